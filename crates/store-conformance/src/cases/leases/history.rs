//! The claims and commits of a schedule, and what must be true of them. An epoch is over when the next one
//! was handed out: from then on nothing of it may appear.

use super::PARTITION;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use tidemill_model::Timestamp;
use tidemill_store::{BatchId, Fence, KeyBlock, LogRange, Store};

/// Batch ids tell their epoch, their holder and their number.
const EPOCH_BIT: u32 = 32;
const HOLDER_BIT: u32 = 24;

pub(super) struct History {
    seen: Mutex<Seen>,
    /// Batches of earlier schedules do not matter.
    first_epoch: u64,
}

#[derive(Default)]
struct Seen {
    highest_epoch: u64,
    batches: i64,
    claims: BTreeMap<u64, Claim>,
    outcomes: BTreeMap<BatchId, bool>,
    keys: Vec<KeyBlock>,
}

struct Claim {
    holder: usize,
    /// All batches that were there when the partition had been handed over.
    visible: BTreeSet<BatchId>,
}

/// The state that was known when something was begun.
#[derive(Debug)]
pub(super) struct Began {
    highest_epoch: u64,
    /// A later epoch had been handed out already.
    pub(super) is_lost: bool,
}

impl History {
    pub(super) async fn begin(store: &dyn Store) -> History {
        let epoch = store.partitions().await.expect("reads")[0].epoch;
        let seen = Seen { highest_epoch: epoch, ..Seen::default() };
        History { seen: Mutex::new(seen), first_epoch: epoch + 1 }
    }

    pub(super) fn highest_epoch(&self) -> u64 {
        self.seen.lock().expect("no holder panics").highest_epoch
    }

    pub(super) fn begin_claim(&self) -> Began {
        Began { highest_epoch: self.highest_epoch(), is_lost: false }
    }

    pub(super) fn begin_use(&self, fence: &Fence) -> Began {
        let highest_epoch = self.highest_epoch();
        Began { highest_epoch, is_lost: highest_epoch > fence.epoch }
    }

    pub(super) fn next_batch(&self, holder: usize, epoch: u64) -> BatchId {
        let mut seen = self.seen.lock().expect("no holder panics");
        seen.batches += 1;
        BatchId((epoch as i64) << EPOCH_BIT | (holder as i64) << HOLDER_BIT | seen.batches)
    }

    pub(super) fn note(&self, batch: BatchId, is_committed: bool) {
        self.seen.lock().expect("no holder panics").outcomes.insert(batch, is_committed);
    }

    pub(super) fn note_keys(&self, keys: KeyBlock) {
        self.seen.lock().expect("no holder panics").keys.push(keys);
    }

    pub(super) async fn claimed(&self, store: &dyn Store, began: Began, epoch: u64, holder: usize) {
        assert!(epoch > began.highest_epoch, "epoch {epoch} was handed out after {}", began.highest_epoch);
        // First: whoever begins from here on is told that the older epochs are over.
        {
            let mut seen = self.seen.lock().expect("no holder panics");
            seen.highest_epoch = seen.highest_epoch.max(epoch);
        }
        let visible = self.batches(store).await;
        let claim = Claim { holder, visible };
        let known = self.seen.lock().expect("no holder panics").claims.insert(epoch, claim);
        assert!(known.is_none(), "epoch {epoch} was handed out twice");
    }

    async fn batches(&self, store: &dyn Store) -> BTreeSet<BatchId> {
        let from = BatchId((self.first_epoch as i64) << EPOCH_BIT);
        let range = LogRange {
            at: Timestamp(i64::MIN)..Timestamp(i64::MAX),
            ids: (from, BatchId(i64::MAX)),
            is_newest_first: false,
        };
        let batches = store.log(PARTITION, &range, 100_000).await.expect("reads");
        batches.iter().map(|batch| batch.id).collect()
    }

    pub(super) async fn check(&self, store: &dyn Store) {
        let last = self.batches(store).await;
        let seen = self.seen.lock().expect("no holder panics");
        assert!(
            seen.claims.len() > 1 && !last.is_empty(),
            "a schedule in which nothing happens shows nothing"
        );
        for (batch, is_committed) in &seen.outcomes {
            assert_eq!(last.contains(batch), *is_committed, "{batch:?} was told to be committed or not");
        }
        for batch in &last {
            let (epoch, holder) = (epoch_of(*batch), (batch.0 >> HOLDER_BIT) as usize & 0xff);
            let claim = seen.claims.get(&epoch).expect("an epoch that was handed out");
            assert_eq!(claim.holder, holder, "{batch:?} carries the epoch of another holder");
        }
        for (epoch, claim) in &seen.claims {
            let older: BTreeSet<BatchId> =
                last.iter().copied().filter(|batch| epoch_of(*batch) < *epoch).collect();
            let late: Vec<_> = older.difference(&claim.visible).collect();
            assert!(late.is_empty(), "{late:?} appeared after epoch {epoch} was handed out");
        }
        let mut keys = seen.keys.clone();
        keys.sort_by_key(|block| block.start);
        let overlap = keys.windows(2).find(|pair| pair[0].end > pair[1].start);
        assert!(overlap.is_none(), "keys were given twice: {overlap:?}");
    }
}

fn epoch_of(batch: BatchId) -> u64 {
    (batch.0 >> EPOCH_BIT) as u64
}
