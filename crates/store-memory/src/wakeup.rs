//! Wake-ups of partitions, for all servers that share the memory.

use crate::MemoryStore;
use async_trait::async_trait;
use std::collections::BTreeMap;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Wakeup;
use tokio::sync::Notify;

/// One per partition.
pub(crate) struct Bells(BTreeMap<PartitionId, Notify>);

impl Bells {
    pub(crate) fn new(partitions: PartitionCount) -> Bells {
        Bells(partitions.ids().map(|id| (id, Notify::new())).collect())
    }

    pub(crate) fn ring(&self, partition: PartitionId) {
        if let Some(bell) = self.0.get(&partition) {
            bell.notify_one();
        }
    }
}

#[async_trait]
impl Wakeup for MemoryStore {
    async fn wake(&self, partition: PartitionId) {
        self.shared.bells.ring(partition);
    }

    async fn woken(&self, partition: PartitionId) {
        match self.shared.bells.0.get(&partition) {
            Some(bell) => bell.notified().await,
            None => std::future::pending().await,
        }
    }
}
