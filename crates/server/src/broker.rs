//! The interface through which the gateway makes its requests. Protocols such as REST and gRPC stand before it; a node, alone or in a
//! cluster, stands behind it.

pub use tidemill_partition::{CommandError, CommandOptions, EndedInstance, Idempotency};

use crate::definitions::CacheReport;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tidemill_bpmn::Process;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::{
    ActivatedJob, Answer, Command, DefinitionKey, PartitionCount, PartitionId, Rejection, Text, Timestamp,
};

#[async_trait]
pub trait Broker: Send + Sync + 'static {
    /// Runs a command and gives its answer after the commit that carries its effects. When the returned
    /// future is dropped, a command that was already handed over still runs.
    async fn execute(&self, command: Command, options: CommandOptions) -> Result<Answer, CommandError>;

    /// Appends a command to the durable inbox; what becomes of it is told by `outcome`.
    async fn enqueue(&self, command: Command, options: CommandOptions) -> Result<Receipt, CommandError>;

    /// The result of an enqueued command; none for a position that is unknown or forgotten.
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

    /// A deployed process in its executable form, from the node's cache; none for an unknown key, or where this version cannot read
    /// its file.
    async fn process(&self, definition: DefinitionKey) -> Result<Option<Arc<Process>>, CommandError>;

    /// Stops the engine's clock at this time, or lets it run with the system's again.
    async fn set_clock(&self, pinned_at: Option<Timestamp>) -> Result<(), CommandError>;

    /// The engine's time.
    fn now(&self) -> Timestamp;

    fn topology(&self) -> Topology;

    /// Every node with its address and what its cache of definitions holds; none where it did not answer.
    async fn cache_reports(&self) -> Vec<(String, Option<String>, Option<CacheReport>)> {
        Vec::new()
    }

    /// Why no work should be sent here just now, if so.
    fn unready(&self) -> Option<String> {
        let is_complete = self.topology().is_complete();
        let reason = "Expected every partition to have a healthy owner, but some have none";
        (!is_complete).then(|| reason.to_owned())
    }

    /// Parts that do not work here while everything else does.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Topology {
    pub cluster_id: Option<String>,
    pub partitions: PartitionCount,
    pub nodes: Vec<NodeView>,
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
pub struct NodeView {
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
