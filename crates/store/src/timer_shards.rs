//! Service timers. The shard of a partition (`tidemill-timers`) packs them into blocks; a store keeps these and a few plain
//! rows, and understands none of them.

use crate::{HolderId, NewInboxEntry, Result};
use async_trait::async_trait;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_timers::shard::{Batch, DeliveryId, DeliveryRow, TargetRow};
pub use tidemill_timers::shard::{Need as TimerNeed, Supply};

/// Batches of a shard whose ids are kept, so that an unknown outcome can be settled: one is in flight at a time.
pub const TIMER_BATCHES_KEPT: i64 = 256;

/// One commit of one shard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimerBatch {
    pub holder: HolderId,
    pub batch: Batch,
    /// The commands of timers that fire with this batch.
    /// They are appended in the same transaction: a timer that tells a process must neither be lost nor run twice.
    pub outgoing: Vec<NewInboxEntry>,
}

impl TimerBatch {
    pub fn partition(&self) -> PartitionId {
        // Shards name partitions by 32 bits. A number that does not fit leads to a partition that no store has.
        PartitionId(u16::try_from(self.batch.fence.partition).unwrap_or(u16::MAX))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryPage {
    pub rows: Vec<DeliveryRow>,
    pub is_last: bool,
}

/// A shard has an owner and an epoch of its own: a row that its commits and those of its partition shared
/// would cost both of them a lock. A node that takes a partition from another holder takes its shard in the same transaction.
#[async_trait]
pub trait TimerShards: Send + Sync {
    /// All or nothing, durable when it returns. Fails with `Fenced` when the shard has another owner or epoch. Gives the
    /// store's time.
    async fn commit_timers(&self, batch: TimerBatch) -> Result<Timestamp>;

    /// Answers a read of the shard that this holder owns. `Recover` and `Settle` begin a new epoch first, so that whatever was
    /// in flight before is visible in the answer or will fail; they fail with `Fenced` when another holder owns the shard.
    async fn supply_timers(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        need: TimerNeed,
    ) -> Result<Supply>;

    /// Rows of a lane behind `after`, in order; as many as have `entries_max` entries, but one at least.
    async fn deliveries(
        &self,
        partition: PartitionId,
        lane: u32,
        after: Option<DeliveryId>,
        entries_max: usize,
    ) -> Result<DeliveryPage>;

    /// The first lane from this one on that has deliveries.
    async fn next_lane(&self, partition: PartitionId, from: u32) -> Result<Option<u32>>;

    /// Targets with all their data.
    async fn timer_targets(&self, partition: PartitionId, ids: &[u32]) -> Result<Vec<TargetRow>>;
}
