//! Wake-ups: advisory only. An owner that misses one finds the work by its next look at the inbox.

use async_trait::async_trait;
use tidemill_model::PartitionId;

#[async_trait]
pub trait Wakeup: Send + Sync {
    /// Tells the owner of the partition, wherever it runs, that its inbox has grown.
    async fn wake(&self, partition: PartitionId);

    /// Waits for the next wake-up; one that came since the last wait counts. May return without one, for a look at
    /// the inbox all the same.
    async fn woken(&self, partition: PartitionId);
}
