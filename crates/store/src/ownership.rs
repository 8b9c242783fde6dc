//! Ownership of partitions, and the nodes that there are. Everything that an owner writes here carries its fence; nodes and
//! the wishes of operators belong to no partition and need none.

use crate::{Fence, HolderId, Result};
use async_trait::async_trait;
use std::ops::Range;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};

/// Key counters that nobody else will use.
pub type KeyBlock = Range<u64>;

/// Keys that an owner gets at a time, unless it needs more: enough that reserving never shows, few enough that a crash
/// wastes nothing that matters.
/// Counters have 51 bits, so two thousand million blocks can be wasted.
pub const KEYS_PER_BLOCK: u64 = 1 << 20;

/// A partition just taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owned {
    pub fence: Fence,
    pub keys: KeyBlock,
    /// The time of the partition's last batch: its clock must not fall behind it.
    pub last_batch_at: Option<Timestamp>,
    /// The store's clock when the partition was taken.
    pub now: Timestamp,
    /// The predecessor released the partition. If not, it may have died on a command that waits again.
    pub was_released: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartitionState {
    pub partition: PartitionId,
    pub holder: Option<HolderId>,
    pub epoch: u64,
    /// The store's clock counts here, because those of nodes differ.
    pub expires_at: Option<Timestamp>,
    /// An operator wants this node to have it.
    pub preferred: Option<HolderId>,
}

/// A running server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeInfo {
    pub holder: HolderId,
    /// Where other nodes reach it; none for a node that stands alone.
    pub address: Option<String>,
    pub version: String,
    /// An operator wants it to hand over what it has. Set by `drain`, not by announcing it.
    pub is_draining: bool,
}

#[async_trait]
pub trait Ownership: Send + Sync {
    /// Fixed when the store was made.
    fn partition_count(&self) -> PartitionCount;

    async fn partitions(&self) -> Result<Vec<PartitionState>>;

    /// Takes the partition if it is free, expired or already this holder's; none if another holds it. The epoch
    /// grows each time, so whatever was in flight before is either visible now or will fail.
    async fn acquire(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        lease_ms: u64,
    ) -> Result<Option<Owned>>;

    /// The next block of at least so many keys, for an owner that has used up its own.
    async fn reserve_keys(&self, fence: &Fence, keys_min: u64) -> Result<KeyBlock>;

    /// Prolongs all of them, or fails with the first that is lost. Gives the store's time where
    /// there was something to prolong.
    /// They go together, so that a beat of a node with many partitions costs one round trip.
    async fn renew(&self, fences: &[Fence], lease_ms: u64) -> Result<Option<Timestamp>>;

    /// The next owner can begin at once, need not wait for the lease to run out, and knows that nobody died.
    async fn release(&self, fence: &Fence) -> Result<()>;

    /// Says that this node is alive for so long.
    async fn announce(&self, node: &NodeInfo, lease_ms: u64) -> Result<()>;

    /// The nodes that have said so and whose time has not run out.
    async fn nodes(&self) -> Result<Vec<NodeInfo>>;

    /// Asks a node to hand over what it has, or to take its share again; false where there is no such node. A store
    /// of one node has none to spare.
    async fn drain(&self, _node: &HolderId, _is_draining: bool) -> Result<bool> {
        Ok(false)
    }

    /// Asks for a partition to be with a node, as long as that node lives; false where that cannot be.
    async fn prefer(&self, _partition: PartitionId, _node: &HolderId) -> Result<bool> {
        Ok(false)
    }
}
