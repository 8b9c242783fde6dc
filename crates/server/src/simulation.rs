//! The door for simulators: nodes on machines that are not real. Everything else of a node is as in a server.

pub use crate::cluster::{Failure, Network};
pub use crate::machine::Machine;

use crate::node::{Node, NodeConfig};
use std::sync::Arc;
use tidemill_model::PartitionId;
pub use tidemill_partition::MemoryUse;
use tidemill_store::{CodecError, Result, Store};

/// As [`Node::start`], on a machine of the caller.
pub async fn start(
    machine: Arc<dyn Machine>,
    store: Arc<dyn Store>,
    config: NodeConfig,
) -> Result<Arc<Node>> {
    Node::start_on(machine, store, config).await
}

/// How much the cores of a node's partitions hold in memory.
pub async fn memory_use(node: &Node) -> Vec<(PartitionId, MemoryUse)> {
    node.memory_use().await
}

/// The reply of a node to a request that came over the network.
/// An error where it does not understand the question.
pub async fn reply(node: &Node, question: &[u8]) -> std::result::Result<Vec<u8>, CodecError> {
    let question = tidemill_store::unpack(question)?;
    Ok(tidemill_store::pack(&node.reply(question).await))
}
