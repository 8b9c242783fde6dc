//! One of the nodes that want the partition, and what it can do.

use super::PARTITION;
use super::history::{Began, History};
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::Timestamp;
use tidemill_store::{Batch, Error, Fence, HolderId, Store};

/// A holder may believe in a lease that it has lost long ago.
pub(super) struct Holder {
    pub(super) name: HolderId,
    number: usize,
    pub(super) believes: Option<Lease>,
    /// Fences that it knows to be over: lost, given back, or claimed anew.
    former: Vec<Fence>,
}

#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) fence: Fence,
    /// The time that was asked for last.
    pub(super) lease_ms: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    Claim {
        lease_ms: u64,
    },
    Renew {
        lease_ms: u64,
    },
    /// One after the other, as an owner under load.
    Commits {
        count: u64,
    },
    /// Sends a commit and is not heard of again in this round.
    CommitAndVanish {
        after: Duration,
    },
    ReserveKeys,
    Release,
    /// A part of it has slept and does everything with what is over.
    UseFormer {
        which: usize,
    },
    /// Does nothing, and does not learn what the others do.
    Freeze,
}

impl Holder {
    pub(super) fn new(number: usize, chance: u64) -> Holder {
        let name = HolderId::from(format!("holder {number} of {chance}"));
        Holder { name, number, believes: None, former: Vec::new() }
    }

    pub(super) async fn act(
        mut self,
        action: Action,
        store: Arc<dyn Store>,
        history: Arc<History>,
    ) -> Holder {
        match (action, self.believes.clone()) {
            (Action::Claim { lease_ms }, _) => drop(self.claim(lease_ms, &*store, &history).await),
            (Action::UseFormer { which }, _) => self.use_former(which, &*store, &history).await,
            (action, Some(lease)) => self.act_as_owner(action, lease.fence, &*store, &history).await,
            (_, None) => {}
        }
        self
    }

    async fn act_as_owner(&mut self, action: Action, fence: Fence, store: &dyn Store, history: &History) {
        let began = history.begin_use(&fence);
        match action {
            Action::Renew { lease_ms } => {
                let renewed = store.renew(std::slice::from_ref(&fence), lease_ms).await.map(drop);
                if self.settle(began, renewed).is_some() {
                    self.believes = Some(Lease { fence, lease_ms });
                }
            }
            Action::Commits { count } => {
                for _ in 0..count {
                    if self.commit(&fence, store, history).await.is_none() {
                        break;
                    }
                }
            }
            Action::CommitAndVanish { after } => {
                let batch = self.batch(&fence, history);
                // Nobody is told whether the commit took place.
                let _ = tokio::time::timeout(after, store.commit(batch)).await;
            }
            Action::ReserveKeys => {
                let reserved = store.reserve_keys(&fence, 1).await;
                let reserved = reserved.map(|keys| history.note_keys(keys));
                self.settle(began, reserved);
            }
            Action::Release => self.give_back(store, history).await,
            Action::Claim { .. } | Action::UseFormer { .. } | Action::Freeze => {}
        }
    }

    /// A lease that is given back is over at once, not only when somebody else has it.
    pub(super) async fn give_back(&mut self, store: &dyn Store, history: &History) {
        let Some(Lease { fence, .. }) = self.believes.clone() else { return };
        let began = history.begin_use(&fence);
        let released = store.release(&fence).await;
        self.settle(began, released);
        self.forget();
        self.use_former(self.former.len() - 1, store, history).await;
    }

    /// The epoch, if it is the owner now. Its earlier epoch is over, although its name is still the owner's.
    pub(super) async fn claim(&mut self, lease_ms: u64, store: &dyn Store, history: &History) -> Option<u64> {
        let began = history.begin_claim();
        let owned = store.acquire(PARTITION, &self.name, lease_ms).await.expect("asks")?;
        let epoch = owned.fence.epoch;
        history.note_keys(owned.keys);
        history.claimed(store, began, epoch, self.number).await;
        let had_one = self.believes.is_some();
        self.forget();
        self.believes = Some(Lease { fence: owned.fence, lease_ms });
        if had_one {
            self.use_former(self.former.len() - 1, store, history).await;
        }
        Some(epoch)
    }

    pub(super) async fn commit(&mut self, fence: &Fence, store: &dyn Store, history: &History) -> Option<()> {
        let batch = self.batch(fence, history);
        let (id, began) = (batch.id, history.begin_use(fence));
        let committed = store.commit(batch).await;
        history.note(id, committed.is_ok());
        self.settle(began, committed.map(drop))
    }

    fn batch(&self, fence: &Fence, history: &History) -> Batch {
        let id = history.next_batch(self.number, fence.epoch);
        Batch { log: vec![7], ..Batch::empty(fence.clone(), id, Timestamp(1_000)) }
    }

    /// Nothing of it may have an effect.
    async fn use_former(&self, which: usize, store: &dyn Store, history: &History) {
        let Some(fence) = self.former.get(which % self.former.len().max(1)) else { return };
        let batch = self.batch(fence, history);
        history.note(batch.id, false);
        let uses = [
            ("commit", store.commit(batch).await.map(drop)),
            ("renew", store.renew(std::slice::from_ref(fence), super::LONG_MS).await.map(drop)),
            ("reserve keys", store.reserve_keys(fence, 1).await.map(drop)),
            ("release", store.release(fence).await),
        ];
        for (what, outcome) in uses {
            assert!(
                matches!(outcome, Err(Error::Fenced { .. })),
                "{what} with {fence:?} that is over: {outcome:?}"
            );
        }
    }

    /// A holder that is fenced off forgets its lease. One that is not was the owner when it asked, or became one too late to know.
    fn settle(&mut self, began: Began, outcome: Result<(), Error>) -> Option<()> {
        match outcome {
            Ok(()) => {
                assert!(!began.is_lost, "an epoch that was over before was used: {began:?}");
                Some(())
            }
            Err(Error::Fenced { .. }) => {
                self.forget();
                None
            }
            Err(other) => panic!("{other}"),
        }
    }

    fn forget(&mut self) {
        self.former.extend(self.believes.take().map(|lease| lease.fence));
    }
}
