//! Writing: one batch at a time per partition.

use crate::{Batch, BatchId, Committed, Fence, HolderId, Result};
use async_trait::async_trait;
use tidemill_model::PartitionId;

#[async_trait]
pub trait Commit: Send + Sync {
    /// All or nothing, durable when it returns. Fails with `Fenced` when the partition has another owner. The
    /// core answers its callers when this returns, so a store must not return before the batch survives a crash.
    async fn commit(&self, batch: Batch) -> Result<Committed>;

    /// Settles an unknown outcome. Ask only after the partition was acquired again.
    async fn has_batch(&self, partition: PartitionId, batch: BatchId) -> Result<bool>;

    /// The same for a batch of this writer. An id is enough where an epoch is given once; a store whose fail-over may give one
    /// twice looks at the writer too.
    async fn has_batch_of(&self, partition: PartitionId, batch: BatchId, writer: &HolderId) -> Result<bool> {
        let _ = writer;
        self.has_batch(partition, batch).await
    }

    /// The last note of a partition's owner about the commands that it was about to run.
    async fn in_hand(&self, partition: PartitionId) -> Result<Option<Vec<u8>>>;

    /// Notes durably what the owner is about to run, in place of what was noted before. A command that brings down its
    /// node is found by this note.
    async fn note_in_hand(&self, fence: &Fence, note: Option<Vec<u8>>) -> Result<()>;
}
