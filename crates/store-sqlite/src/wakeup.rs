//! Wake-ups within the one process that has the file open.

use crate::SqliteStore;
use async_trait::async_trait;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Wakeup;
use tokio::sync::Notify;

/// One per partition.
pub(crate) struct Notifiers(Vec<Notify>);

impl Notifiers {
    pub(crate) fn new(partitions: PartitionCount) -> Notifiers {
        Notifiers(partitions.ids().map(|_| Notify::new()).collect())
    }

    /// Partitions count from 1.
    fn of(&self, partition: PartitionId) -> &Notify {
        &self.0[usize::from(partition.0) - 1]
    }
}

#[async_trait]
impl Wakeup for SqliteStore {
    async fn wake(&self, partition: PartitionId) {
        // `Notify` keeps one permit: a wake-up that comes while the owner works is not lost, and many of them are one.
        self.notifiers.of(partition).notify_one();
    }

    async fn woken(&self, partition: PartitionId) {
        self.notifiers.of(partition).notified().await;
    }
}
