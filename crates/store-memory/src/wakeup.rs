//! Wake-ups of partitions, for all servers that share the memory.

use crate::MemoryStore;
use async_trait::async_trait;
use std::collections::BTreeMap;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Wakeup;
use tokio::sync::Notify;

/// One per partition.
pub(crate) struct Notifiers(BTreeMap<PartitionId, Notify>);

impl Notifiers {
    pub(crate) fn new(partitions: PartitionCount) -> Notifiers {
        Notifiers(partitions.ids().map(|id| (id, Notify::new())).collect())
    }

    pub(crate) fn notify(&self, partition: PartitionId) {
        if let Some(notifier) = self.0.get(&partition) {
            notifier.notify_one();
        }
    }
}

#[async_trait]
impl Wakeup for MemoryStore {
    async fn wake(&self, partition: PartitionId) {
        self.shared.notifiers.notify(partition);
    }

    async fn woken(&self, partition: PartitionId) {
        match self.shared.notifiers.0.get(&partition) {
            Some(notifier) => notifier.notified().await,
            None => std::future::pending().await,
        }
    }
}
