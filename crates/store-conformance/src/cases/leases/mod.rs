//! Holders that claim, renew, freeze, release and hand over a partition in any order, several at the same time,
//! while all of them try to commit. Whatever the schedule: one of them can.

mod dice;
mod history;

use crate::Place;
use dice::Dice;
use history::{Began, History};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Batch, Error, Fence, HolderId, Store};

const PARTITION: PartitionId = PartitionId::FIRST;
const SCHEDULES: u64 = 12;
const ROUNDS: usize = 20;
const HOLDERS: usize = 4;
/// One that outlives the test, and one that is over at once.
const LONG_MS: u64 = 60_000;
const OVER_MS: u64 = 0;
/// Stores may count leases in whole milliseconds.
const A_MOMENT: Duration = Duration::from_millis(3);

/// One of the nodes that want the partition. What it believes to hold may be long lost.
struct Holder {
    name: HolderId,
    number: usize,
    believes: Option<Fence>,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Claim {
        lease_ms: u64,
    },
    Renew {
        lease_ms: u64,
    },
    Commit,
    /// Sends a commit and is not heard of again in this round.
    CommitAndVanish {
        after: Duration,
    },
    Release,
    /// Does nothing, and does not learn what the others do.
    Freeze,
}

pub async fn one_owner_whatever_the_schedule(place: &dyn Place) {
    let store = place.open().await;
    let chance = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    let first = chance.as_micros() as u64;
    for seed in first..first + SCHEDULES {
        // Shown with a failure.
        println!("schedule of seed {seed}");
        run(&store, &mut Dice::new(seed)).await;
    }
}

async fn run(store: &Arc<dyn Store>, dice: &mut Dice) {
    let history = Arc::new(History::begin(&**store).await);
    let mut holders: Vec<Holder> = (0..HOLDERS)
        .map(|number| {
            let name = HolderId::from(format!("holder {number} of {}", dice.below(1 << 40)));
            Holder { name, number, believes: None }
        })
        .collect();
    for _ in 0..ROUNDS {
        let acting: Vec<_> = holders
            .drain(..)
            .map(|holder| {
                let (action, store, history) = (action(dice), store.clone(), history.clone());
                tokio::spawn(act(holder, action, store, history))
            })
            .collect();
        for holder in acting {
            holders.push(holder.await.expect("no panic"));
        }
        tokio::time::sleep(A_MOMENT).await;
        check_at_rest(&**store, &history, &mut holders, dice).await;
    }
    history.check(&**store).await;
}

fn action(dice: &mut Dice) -> Action {
    let lease_ms = if dice.below(2) == 0 { LONG_MS } else { OVER_MS };
    match dice.below(12) {
        0..3 => Action::Claim { lease_ms },
        3..5 => Action::Renew { lease_ms },
        5..8 => Action::Commit,
        8..10 => Action::CommitAndVanish { after: Duration::from_micros(dice.below(3_000)) },
        10 => Action::Release,
        _ => Action::Freeze,
    }
}

async fn act(mut holder: Holder, action: Action, store: Arc<dyn Store>, history: Arc<History>) -> Holder {
    match (action, holder.believes.clone()) {
        (Action::Claim { lease_ms }, _) => {
            claim(&mut holder, lease_ms, &*store, &history).await.map_or((), drop)
        }
        (Action::Renew { lease_ms }, Some(fence)) => {
            let began = history.begin_use(&fence);
            let renewed = store.renew(std::slice::from_ref(&fence), lease_ms).await;
            settle(&mut holder, began, renewed);
        }
        (Action::Release, Some(fence)) => {
            let began = history.begin_use(&fence);
            let released = store.release(&fence).await;
            settle(&mut holder, began, released);
            holder.believes = None;
        }
        (Action::Commit, Some(fence)) => {
            commit(&mut holder, &fence, &*store, &history).await.map_or((), drop)
        }
        (Action::CommitAndVanish { after }, Some(fence)) => {
            let batch = batch(&history, holder.number, &fence);
            // Whether it took place nobody is told.
            let _ = tokio::time::timeout(after, store.commit(batch)).await;
        }
        _ => {}
    }
    holder
}

/// True if it is the owner now.
async fn claim(holder: &mut Holder, lease_ms: u64, store: &dyn Store, history: &History) -> Option<u64> {
    let began = history.begin_claim();
    let owned = store.acquire(PARTITION, &holder.name, lease_ms).await.expect("asks")?;
    let epoch = owned.fence.epoch;
    history.claimed(store, began, epoch, holder.number).await;
    holder.believes = Some(owned.fence);
    Some(epoch)
}

fn batch(history: &History, holder: usize, fence: &Fence) -> Batch {
    let id = history.next_batch(holder, fence.epoch);
    Batch { log: vec![7], ..Batch::empty(fence.clone(), id, Timestamp(1_000)) }
}

async fn commit(holder: &mut Holder, fence: &Fence, store: &dyn Store, history: &History) -> Option<()> {
    let batch = batch(history, holder.number, fence);
    let (id, began) = (batch.id, history.begin_use(fence));
    let committed = store.commit(batch).await;
    history.note(id, committed.is_ok());
    settle(holder, began, committed.map(drop))
}

/// Who is fenced off forgets what it had. Who is not was the owner when it asked, or became one too late to know.
fn settle(holder: &mut Holder, began: Began, outcome: Result<(), Error>) -> Option<()> {
    match outcome {
        Ok(()) => {
            assert!(!began.is_lost, "an epoch that was over before was used: {began:?}");
            Some(())
        }
        Err(Error::Fenced { .. }) => {
            holder.believes = None;
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// Nobody acts: exactly the holder that the store names can commit, and the partition can be taken exactly where it
/// is free or its lease is over.
async fn check_at_rest(store: &dyn Store, history: &History, holders: &mut [Holder], dice: &mut Dice) {
    let state = store.partitions().await.expect("reads").swap_remove(0);
    assert!(state.epoch >= history.highest_epoch(), "epochs only grow");
    for holder in holders.iter_mut() {
        let Some(fence) = holder.believes.clone() else { continue };
        let is_owner = state.holder.as_ref() == Some(&holder.name) && state.epoch == fence.epoch;
        let could = commit(holder, &fence, store, history).await.is_some();
        assert_eq!(could, is_owner, "{fence:?} against {state:?}");
    }
    if dice.below(3) > 0 {
        return;
    }
    let other = &mut holders[dice.below(HOLDERS as u64) as usize];
    let is_over = state.expires_at.is_none_or(|expires_at| expires_at.0 < now_ms() + LONG_MS as i64 / 2);
    let is_free = state.holder.is_none() || state.holder.as_ref() == Some(&other.name) || is_over;
    let lease_ms = if dice.below(2) == 0 { LONG_MS } else { OVER_MS };
    let taken = claim(other, lease_ms, store, history).await;
    assert_eq!(taken.is_some(), is_free, "{state:?}");
    assert!(taken.is_none_or(|epoch| epoch == state.epoch + 1));
    tokio::time::sleep(A_MOMENT).await;
}

fn now_ms() -> i64 {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    age.as_millis() as i64
}
