//! What the gateway asks of the partition loops. The one door between protocol and engine: REST and gRPC
//! both stand before it, one node's loops or a whole cluster behind it.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tidemill_bpmn::Process;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{
    ActivatedJob, Answer, Command, CreatedInstance, DefinitionKey, PartitionCount, PartitionId,
    ProcessInstanceKey, Rejection, TenantId, Text, Timestamp,
};

#[async_trait]
pub trait Broker: Send + Sync + 'static {
    /// Runs a command and gives its answer after the commit that carries its effects. When the returned
    /// future is dropped, a command that was already handed over still runs.
    async fn execute(&self, command: Command, options: CommandOptions) -> Result<Answer, CommandError>;

    /// Appends a command to the durable inbox; what becomes of it is told by `outcome`.
    async fn enqueue(&self, command: Command, options: CommandOptions) -> Result<Receipt, CommandError>;

    /// What became of an enqueued command; none for a position that is unknown or forgotten.
    async fn outcome(&self, position: i64) -> Result<Option<CommandOutcome>, CommandError>;

    /// Creates an instance and waits for its end. The waiter is registered before the command is handed over.
    /// When the time is up, the instance goes on: `CommandError::NotEnded`, or `TimedOut` where it is not even
    /// created yet.
    async fn create_and_await(
        &self,
        command: CreateInstance,
        options: CommandOptions,
        timeout: Duration,
    ) -> Result<EndedInstance, CommandError>;

    /// Takes jobs of a type; where there are none, waits for them up to `wait` and then gives an empty list.
    /// Gives what there is at once, be it fewer jobs than asked for. When the returned future is dropped, the
    /// caller is gone: no job may be handed to it any more.
    async fn activate_jobs(
        &self,
        command: ActivateJobs,
        options: CommandOptions,
        wait: Duration,
    ) -> Result<Vec<ActivatedJob>, CommandError>;

    /// A deployed process in its executable form, from the node's cache; none for an unknown key.
    async fn process(&self, definition: DefinitionKey) -> Result<Option<Arc<Process>>, CommandError>;

    /// Stops the engine's clock at this time, or lets it run with the system's again.
    async fn set_clock(&self, pinned_at: Option<Timestamp>) -> Result<(), CommandError>;

    /// The engine's time.
    fn now(&self) -> Timestamp;

    fn topology(&self) -> Topology;

    /// Why no work should be sent here just now, if so.
    fn unready(&self) -> Option<String> {
        let is_complete = self.topology().is_complete();
        let reason = "Expected every partition to have a healthy owner, but some have none";
        (!is_complete).then(|| reason.to_owned())
    }
}

/// What travels with a command.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct CommandOptions {
    pub tenant: TenantId,
    pub idempotency: Option<Idempotency>,
}

/// A client's promise that two requests with one key are one request.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Idempotency {
    pub key: Text,
    /// Differs when the request differs; stable across versions and restarts.
    pub fingerprint: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receipt {
    pub position: i64,
    pub received_at: Timestamp,
}

#[derive(Clone, PartialEq, Debug)]
pub enum CommandOutcome {
    Waiting,
    Answered {
        answer: Answer,
        at: Timestamp,
    },
    Refused {
        intent: Text,
        rejection: Rejection,
        at: Timestamp,
    },
    /// It could not be run and was put aside.
    DeadLetter {
        reason: String,
        at: Timestamp,
    },
}

/// An instance that was created and has ended while its creator waited.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct EndedInstance {
    pub created: CreatedInstance,
    /// False where it was terminated.
    pub is_completed: bool,
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
    /// The reason names the limit.
    pub(crate) fn overloaded(reason: impl Into<String>) -> CommandError {
        CommandError::Overloaded { reason: reason.into(), retry_after: Duration::from_secs(1) }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Topology {
    pub cluster_id: Option<String>,
    pub partitions: PartitionCount,
    pub nodes: Vec<Node>,
}

impl Topology {
    /// Some partition has a healthy owner: work can be done.
    pub fn can_work(&self) -> bool {
        self.nodes.iter().flat_map(|node| &node.partitions).any(|owned| owned.is_healthy)
    }

    /// Every partition has a healthy owner.
    pub fn is_complete(&self) -> bool {
        let has_owner = |id: PartitionId| {
            self.nodes
                .iter()
                .flat_map(|node| &node.partitions)
                .any(|owned| owned.id == id && owned.is_healthy)
        };
        self.partitions.ids().all(has_owner)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    pub id: i32,
    pub name: String,
    pub host: String,
    pub port: u16,
    pub version: String,
    /// The partitions that this node owns.
    pub partitions: Vec<OwnedPartition>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnedPartition {
    pub id: PartitionId,
    pub is_healthy: bool,
}
