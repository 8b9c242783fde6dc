//! Writing: one batch at a time per partition.

use crate::{Batch, BatchId, Committed, Fence, Position, Result};
use async_trait::async_trait;
use tidemill_model::PartitionId;

#[async_trait]
pub trait Commit: Send + Sync {
    /// All or nothing, durable when it returns. Fails with `Fenced` when the partition has another owner.
    async fn commit(&self, batch: Batch) -> Result<Committed>;

    /// Settles an unknown outcome. Ask only after the partition was acquired again.
    async fn has_batch(&self, partition: PartitionId, batch: BatchId) -> Result<bool>;

    /// Counts, durably, one more attempt for each of these entries, which the owner is about to run. A command that
    /// brings down its node is found by this count.
    async fn mark_attempts(&self, fence: &Fence, positions: &[Position]) -> Result<()>;
}
