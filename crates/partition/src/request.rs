//! Requests to a partition, and the effects that answer them.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{
    ActivatedJob, Answer, Command, CreatedInstance, DefinitionKey, PartitionId, ProcessInstanceKey,
    Rejection, TenantId, Text,
};
use tidemill_store::StoredIdempotency;

/// Names a caller. Its answer leaves the core as an [`Effect`]; the driver keeps the way back to the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId(pub u64);

/// A request of one caller.
#[derive(Debug)]
pub enum Request {
    /// Answered after the commit that carries the effects of the command.
    Execute { command: Command, options: CommandOptions },
    /// Creates an instance and waits for its end.
    CreateAndAwait { command: Box<CreateInstance>, options: CommandOptions },
    /// Waits for the end of an instance. `Effect::Noted` tells when that is noted: an end before that is in the store.
    AwaitEnd { created: CreatedInstance },
    /// A worker takes jobs: what there is, or the first that come before `until_ms` of the monotonic clock.
    ActivateJobs { command: ActivateJobs, until_ms: Option<u64> },
    /// `Effect::JobsMayBeThere` tells when asking for jobs of this type is worth while.
    WatchJobs { job_type: Text },
    /// The test clock was pinned or released. `Effect::Noted` tells when everything goes by the new time.
    ClockHasChanged,
}

/// Facts that travel with a command of a client.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct CommandOptions {
    pub tenant: TenantId,
    pub idempotency: Option<Idempotency>,
}

impl CommandOptions {
    /// The idempotency key as the store keeps it.
    pub fn stored_idempotency(&self) -> Option<StoredIdempotency> {
        let Idempotency { key, fingerprint } = self.idempotency.clone()?;
        Some(StoredIdempotency { tenant: self.tenant.clone(), key, fingerprint })
    }
}

/// A client's promise that two requests with one key are one request.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Idempotency {
    pub key: Text,
    /// Differs when the request differs; stable across versions and restarts.
    pub fingerprint: u64,
}

/// An instance that was created and has ended while its creator waited.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct EndedInstance {
    pub created: CreatedInstance,
    /// False where it was terminated.
    pub is_completed: bool,
}

/// The answer for a caller who waits for the end of an instance.
#[derive(Clone, PartialEq, Debug)]
pub enum AwaitedEnd {
    Ended(EndedInstance),
    /// It was created and goes on under another owner: wait there.
    GoesOn(CreatedInstance),
}

/// Something that leaves the core. Every effect follows from a commit that has landed, or from a lease that holds.
#[derive(Debug)]
pub enum Effect {
    Answer {
        call: CallId,
        result: Result<Answer, CommandError>,
    },
    /// For a caller who waits for the end: whoever gives up before can say which instance it was.
    Created {
        call: CallId,
        instance: ProcessInstanceKey,
    },
    Ended {
        call: CallId,
        result: Result<AwaitedEnd, CommandError>,
    },
    Jobs {
        call: CallId,
        result: Result<Vec<ActivatedJob>, CommandError>,
    },
    /// Or there is no room to wait.
    JobsMayBeThere {
        call: CallId,
        result: Result<(), CommandError>,
    },
    Noted {
        call: CallId,
    },
    /// The inbox of another partition has grown.
    Wake(PartitionId),
    /// Definitions have changed: partitions of this node look up the newest ones again.
    DefinitionsAt(u64),
    /// These definitions were deployed. The core has their processes; where others share them, they come back by `Event::ProcessesShared`.
    Deployed(Vec<DefinitionKey>),
    /// The commands that ran under a note are written: others may run beside this partition again.
    SuspectsAreDone,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Nothing has run: so much is there already that no more is taken.
    #[error("{reason}")]
    Overloaded { reason: String, retry_after: Duration },
    #[error("the tenant sends more commands than it may")]
    RateLimited { retry_after: Duration },
    #[error("no answer came in time")]
    TimedOut,
    #[error("the instance has not ended in time")]
    NotEnded(ProcessInstanceKey),
    /// Nobody knows whether it was run.
    #[error("no node can be reached that owns the partition: {0}")]
    Unavailable(String),
    /// It was surely not run, because nobody was there to run it.
    #[error("{0}")]
    NotBegun(String),
    /// The command was surely not run here: who sent it may send it to whoever has the partition now.
    #[error("the partition has moved to another node")]
    Moved,
    #[error("the idempotency key was used for another request")]
    OtherRequest,
    #[error("{0}")]
    Internal(String),
}

impl CommandError {
    /// The reason names the limit; a second later there may be room.
    pub fn overloaded(reason: impl Into<String>) -> CommandError {
        CommandError::Overloaded { reason: reason.into(), retry_after: Duration::from_secs(1) }
    }
}

/// The driver's knowledge of its callers, which the core asks for before it leases jobs to one of them.
pub trait Callers {
    /// The caller still waits for an answer.
    fn is_waiting(&self, call: CallId) -> bool;

    /// Claims a worker that may wait at several partitions: only one of them may serve it.
    fn claim(&mut self, call: CallId) -> bool;

    /// Gives up a claim: there was nothing to hand out after all, and another partition may have something.
    fn release(&mut self, call: CallId);
}
