//! A store in the hands of one owner: what tests do over and over.

use crate::{Builder, Place};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tidemill_model::{Change, Entity, Need, PartitionId, Timestamp};
use tidemill_store::{Batch, BatchId, Committed, Fence, HolderId, LIST_ROWS_MAX, Loaded, Result, Store};

const LEASE_MS: u64 = 60_000;

pub struct Session {
    pub store: Arc<dyn Store>,
    pub fence: Fence,
    /// Makes entities with keys of this partition.
    pub make: Builder,
    next_batch: AtomicI64,
}

impl Session {
    /// Opens the store and takes its first partition.
    pub async fn open(place: &dyn Place) -> Session {
        Session::take(place.open().await, PartitionId::FIRST).await
    }

    pub async fn take(store: Arc<dyn Store>, partition: PartitionId) -> Session {
        let holder = HolderId::from(format!("holder of {partition}"));
        let owned = store.acquire(partition, &holder, LEASE_MS).await.expect("acquires");
        let owned = owned.expect("nobody else holds it");
        let make = Builder::new(partition, owned.keys.start);
        // Epochs make batch ids unique over sessions.
        let first_batch = i64::try_from(owned.fence.epoch).expect("small") * 1_000_000;
        Session { store, fence: owned.fence, make, next_batch: AtomicI64::new(first_batch) }
    }

    pub fn batch(&self, changes: Vec<Change>) -> Batch {
        let id = BatchId(self.next_batch.fetch_add(1, Ordering::Relaxed));
        Batch {
            changes,
            highest_key: self.make.highest_key(),
            log: vec![1, 2, 3],
            ..Batch::empty(self.fence.clone(), id, Timestamp(1_000))
        }
    }

    pub async fn try_commit(&self, changes: Vec<Change>) -> Result<Committed> {
        self.store.commit(self.batch(changes)).await
    }

    pub async fn commit(&self, changes: Vec<Change>) -> Committed {
        self.try_commit(changes).await.expect("commits")
    }

    pub async fn put<E: Into<Entity>>(&self, entities: impl IntoIterator<Item = E>) {
        self.commit(entities.into_iter().map(|entity| Change::Put(entity.into())).collect()).await;
    }

    pub async fn load(&self, need: Need) -> Loaded {
        self.load_list(need, LIST_ROWS_MAX).await
    }

    pub async fn load_list(&self, need: Need, rows_max: u32) -> Loaded {
        self.load_at(self.fence.partition, need, rows_max).await
    }

    pub async fn load_at(&self, partition: PartitionId, need: Need, rows_max: u32) -> Loaded {
        self.store.load(partition, &[need], rows_max).await.expect("loads").remove(0)
    }
}
