//! Messages between nodes of one store: requests and replies as MessagePack over the HTTP listener that
//! clients use as well, told apart by a secret that all nodes share.

mod client;
#[cfg(test)]
mod golden;
mod server;

pub use client::{Failure, Network};
pub(crate) use client::{HttpNetwork, Peers};
pub(crate) use server::routes;

use crate::broker::{CommandError, CommandOptions, EndedInstance};
use crate::definitions::CacheReport;
use crate::timers::wire::{WireAnswer, WireRequest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tidemill_model::command::ActivateJobs;
use tidemill_model::{
    ActivatedJob, Answer, Command, CreatedInstance, PartitionId, ProcessInstanceKey, Text, Timestamp,
};

const PATH: &str = "/internal/v1/requests";
const SECRET_HEADER: &str = "x-tidemill-cluster-secret";

/// A request of one node to another.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) enum PeerRequest {
    /// Runs a command on a partition of that node. The options carry a key, so that a retry gets the first answer.
    Execute {
        partition: PartitionId,
        command: Command,
        options: CommandOptions,
    },
    /// Something was appended to these inboxes: whatever is sent from now on comes after it.
    InboxesHaveGrown {
        partitions: BTreeSet<PartitionId>,
    },
    /// Definitions that are older may be out of date.
    DefinitionsAreAt {
        version: u64,
    },
    /// Jobs of that node's partitions, without waiting.
    ActivateJobs {
        command: ActivateJobs,
    },
    /// Waits until that node may have jobs of a type.
    AwaitJobs {
        job_type: Text,
        wait_ms: u64,
    },
    /// Waits for the end of an instance.
    AwaitEnd {
        created: CreatedInstance,
        wait_ms: u64,
    },
    /// A partition was given up, or a node has come or gone: have a look.
    OwnershipHasChanged,
    SetClock {
        pinned_at: Option<Timestamp>,
    },
    /// Something of the service timers of a partition of that node.
    Timers {
        partition: PartitionId,
        request: WireRequest,
    },
    /// The definitions that the node keeps.
    CacheReport,
}

#[derive(Serialize, Deserialize, Debug)]
pub(crate) enum PeerReply {
    Answer(Result<Answer, CommandError>),
    Jobs(Result<Vec<ActivatedJob>, CommandError>),
    /// None while it goes on.
    End(Option<EndedInstance>),
    Timers(Result<WireAnswer, CommandError>),
    Noted,
    Cache(Box<CacheReport>),
}

tidemill_store::packed!(PeerRequest, PeerReply);

impl PeerRequest {
    /// For the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            PeerRequest::Execute { .. } => "execute",
            PeerRequest::InboxesHaveGrown { .. } => "inboxes have grown",
            PeerRequest::DefinitionsAreAt { .. } => "definitions are at",
            PeerRequest::ActivateJobs { .. } => "activate jobs",
            PeerRequest::AwaitJobs { .. } => "await jobs",
            PeerRequest::AwaitEnd { .. } => "await end",
            PeerRequest::OwnershipHasChanged => "ownership has changed",
            PeerRequest::SetClock { .. } => "set clock",
            PeerRequest::Timers { .. } => "timers",
            PeerRequest::CacheReport => "cache report",
        }
    }
}

/// The partition that an instance lives on.
pub(crate) fn partition_of(instance: ProcessInstanceKey) -> PartitionId {
    instance.partition().unwrap_or(PartitionId::FIRST)
}
