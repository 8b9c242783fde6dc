//! Calls of the node to one of its partitions: requests of callers, each with a channel for its answer, and notices.

use super::callers::Claim;
use crate::broker::{CommandError, CommandOptions};
use crate::telemetry::SpanContext;
use std::sync::{Arc, OnceLock};
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{ActivatedJob, Answer, Command, CreatedInstance, ProcessInstanceKey, Text};
use tidemill_partition::{AwaitedEnd, MemoryUse};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A request with the way back to its caller, or a notice. The driver keeps the way back and hands the request to the core.
pub(crate) enum PartitionCall {
    Execute {
        command: Command,
        options: CommandOptions,
        reply: oneshot::Sender<Result<Answer, CommandError>>,
        sent_at: Instant,
        trace: Option<SpanContext>,
    },
    CreateAndAwait {
        command: Box<CreateInstance>,
        options: CommandOptions,
        reply: AwaitReply,
        trace: Option<SpanContext>,
    },
    /// Waits for the end of an instance. `noted` tells when that is noted: an end before that is in the store.
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
    /// A worker that another partition had claimed waits again.
    PollerIsFree,
    /// The clock was pinned or released: what is due may have changed in both directions.
    ClockHasChanged(oneshot::Sender<()>),
    /// Asks how much the core holds in memory.
    MemoryUse(oneshot::Sender<MemoryUse>),
    /// The server is about to stop: workers that wait are sent away, and those who wait for the end of an instance
    /// are told that it goes on.
    EndWaits,
    Stop,
}

impl PartitionCall {
    /// Rejects a request that came too late: nothing was done for it here.
    pub(super) fn reject(self) {
        match self {
            PartitionCall::Execute { reply, .. } => drop(reply.send(Err(CommandError::Moved))),
            PartitionCall::CreateAndAwait { reply, .. } => drop(reply.ended.send(Err(CommandError::Moved))),
            PartitionCall::AwaitEnd { created, reply, .. } => {
                drop(reply.ended.send(Ok(AwaitedEnd::GoesOn(created))))
            }
            // Workers find the others gone too; the rest concerns this partition alone.
            _ => {}
        }
    }
}

/// Told when there may be jobs, or that there is no room to wait.
pub(crate) type Watcher = oneshot::Sender<Result<(), CommandError>>;

/// A worker that waits for jobs.
pub(crate) struct Poller {
    pub(crate) command: ActivateJobs,
    /// Until when it waits; without a wait it gets what there is.
    pub(crate) until: Option<Instant>,
    pub(crate) claim: Claim,
    pub(crate) reply: oneshot::Sender<Result<Vec<ActivatedJob>, CommandError>>,
}

/// The way back to somebody who waits for the end of an instance. A caller that gives up before that learns
/// the key of the instance.
pub(crate) struct AwaitReply {
    pub(crate) ended: oneshot::Sender<Result<AwaitedEnd, CommandError>>,
    pub(crate) created: Arc<OnceLock<ProcessInstanceKey>>,
}
