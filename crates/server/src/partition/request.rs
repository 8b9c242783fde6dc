//! What can be asked of a partition's loop, and who waits for the answer.

use super::pollers::Watcher;
use crate::broker::{CommandError, CommandOptions, EndedInstance};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{ActivatedJob, Answer, Command, CreatedInstance, ProcessInstanceKey, Text};
use tokio::sync::oneshot;

pub(crate) enum Request {
    Execute {
        command: Command,
        options: CommandOptions,
        reply: oneshot::Sender<Result<Answer, CommandError>>,
    },
    CreateAndAwait {
        command: Box<CreateInstance>,
        options: CommandOptions,
        reply: AwaitReply,
    },
    /// Waits for the end of an instance. Whoever asks is told when that is noted: an end before that is in the store.
    AwaitEnd {
        created: CreatedInstance,
        noted: oneshot::Sender<()>,
        reply: AwaitReply,
    },
    Poll(Poller),
    /// Tells when there may be jobs of a type.
    AwaitJobs {
        job_type: Text,
        reply: Watcher,
    },
    /// Something was appended to the inbox.
    InboxHasGrown,
    /// The clock was pinned or let go: what is due may have changed in both directions.
    ClockHasChanged(oneshot::Sender<()>),
    /// The server is about to stop: workers that wait are sent away, and those who wait for the end of an instance
    /// are told that it goes on.
    EndWaits,
    Stop,
}

/// What somebody who waits for an instance gets.
pub(crate) type Awaited = Result<AwaitedEnd, CommandError>;

pub(crate) enum AwaitedEnd {
    Ended(EndedInstance),
    /// It was created and goes on, under another owner: wait there.
    GoesOn(CreatedInstance),
}

impl Request {
    /// Turns away whoever came too late: nothing was done for them here.
    pub(super) fn turn_away(self) {
        match self {
            Request::Execute { reply, .. } => drop(reply.send(Err(CommandError::Moved))),
            Request::CreateAndAwait { reply, .. } => drop(reply.ended.send(Err(CommandError::Moved))),
            Request::AwaitEnd { created, reply, .. } => {
                drop(reply.ended.send(Ok(AwaitedEnd::GoesOn(created))))
            }
            // Who waits for jobs finds the others gone too; the rest concerns this loop alone.
            _ => {}
        }
    }
}

/// A worker that waits for jobs.
pub(crate) struct Poller {
    pub(crate) command: ActivateJobs,
    /// Until when it waits; without a wait it gets what there is.
    pub(crate) until: Option<Instant>,
    pub(crate) claim: Claim,
    pub(crate) reply: oneshot::Sender<Result<Vec<ActivatedJob>, CommandError>>,
}

/// A worker may wait at several partitions, but only one of them may serve it.
#[derive(Clone, Default)]
pub(crate) struct Claim(Arc<AtomicBool>);

impl Claim {
    /// True for the first who takes it.
    pub(crate) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// There was nothing to serve after all.
    pub(crate) fn give_back(&self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Somebody who waits for the end of an instance.
pub(super) struct Waiter {
    pub(super) created: CreatedInstance,
    pub(super) reply: AwaitReply,
}

/// The way back to somebody who waits for the end of an instance. Whoever gives up before learns which it is.
pub(crate) struct AwaitReply {
    pub(crate) ended: oneshot::Sender<Awaited>,
    pub(crate) created: Arc<OnceLock<ProcessInstanceKey>>,
}
