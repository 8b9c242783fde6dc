//! Holders that claim, renew, freeze, release and hand over a partition in any order, several at the same
//! time, while all of them try to commit, also with what they have long lost. In every schedule exactly one of them can.

mod history;
mod holder;

use crate::Place;
use history::History;
use holder::{Action, Holder};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tidemill_model::PartitionId;
use tidemill_model::dice::Dice;
use tidemill_store::{PartitionState, Store};

const PARTITION: PartitionId = PartitionId::FIRST;
const SCHEDULES: u64 = 8;
const ROUNDS: usize = 20;
const HOLDERS: usize = 4;
/// One that outlives the test, and one that is over at once.
const LONG_MS: u64 = 60_000;
const OVER_MS: u64 = 0;
/// Stores may count leases in whole milliseconds.
const A_MOMENT: Duration = Duration::from_millis(3);

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
    let mut holders: Vec<Holder> =
        (0..HOLDERS).map(|number| Holder::new(number, dice.below(1 << 40))).collect();
    for _ in 0..ROUNDS {
        let acting: Vec<_> = holders
            .drain(..)
            .map(|holder| tokio::spawn(holder.act(action(dice), store.clone(), history.clone())))
            .collect();
        for holder in acting {
            holders.push(holder.await.expect("no panic"));
        }
        tokio::time::sleep(A_MOMENT).await;
        check_at_rest(&**store, &history, &mut holders, dice).await;
    }
    // A lease that is left to a holder which does not come back would keep out the holders of the next schedule.
    for holder in &mut holders {
        holder.give_back(&**store, &history).await;
    }
    assert_eq!(store.partitions().await.expect("reads")[0].holder, None, "its owner has given it back");
    history.check(&**store).await;
}

fn action(dice: &mut Dice) -> Action {
    match dice.below(16) {
        0..4 => Action::Claim { lease_ms: lease_ms(dice) },
        4..6 => Action::Renew { lease_ms: lease_ms(dice) },
        6..9 => Action::Commits { count: 1 + dice.below(8) },
        9..11 => Action::CommitAndVanish { after: Duration::from_micros(dice.below(3_000)) },
        11 => Action::ReserveKeys,
        12 => Action::Release,
        13..15 => Action::UseFormer { which: dice.below(1 << 16) as usize },
        _ => Action::Freeze,
    }
}

fn lease_ms(dice: &mut Dice) -> u64 {
    if dice.below(2) == 0 { LONG_MS } else { OVER_MS }
}

/// Nobody acts: exactly the holder that the store names can commit, its lease is the one that it asked for last, and
/// the partition can be taken exactly where it is free or that lease is over.
async fn check_at_rest(store: &dyn Store, history: &History, holders: &mut [Holder], dice: &mut Dice) {
    let state = store.partitions().await.expect("reads").swap_remove(0);
    assert!(state.epoch >= history.highest_epoch(), "epochs only grow");
    let mut lease_of_owner = None;
    for holder in holders.iter_mut() {
        let Some(lease) = holder.believes.clone() else { continue };
        let is_owner = state.holder.as_ref() == Some(&holder.name) && state.epoch == lease.fence.epoch;
        let could = holder.commit(&lease.fence, store, history).await.is_some();
        assert_eq!(could, is_owner, "{lease:?} against {state:?}");
        if is_owner {
            lease_of_owner = Some(lease.lease_ms);
        }
    }
    if let Some(lease_ms) = lease_of_owner {
        assert_eq!(is_over(&state), lease_ms == OVER_MS, "asked for {lease_ms} ms: {state:?}");
    }
    if dice.below(3) > 0 {
        return;
    }
    let other = &mut holders[dice.below(HOLDERS as u64) as usize];
    let is_free = state.holder.is_none() || state.holder.as_ref() == Some(&other.name) || is_over(&state);
    let taken = other.claim(lease_ms(dice), store, history).await;
    assert_eq!(taken.is_some(), is_free, "{state:?}");
    assert!(taken.is_none_or(|epoch| epoch == state.epoch + 1));
    tokio::time::sleep(A_MOMENT).await;
}

fn is_over(state: &PartitionState) -> bool {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    let middle = age.as_millis() as i64 + LONG_MS as i64 / 2;
    state.expires_at.is_none_or(|expires_at| expires_at.0 < middle)
}
