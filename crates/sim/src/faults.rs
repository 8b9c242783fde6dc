//! The faults of a run: one after the other, for as long as it is rough.

use crate::executor::OUTSIDE;
use crate::fleet::{self, LEASE};
use crate::world::World;
use std::sync::Arc;
use tidemill_store_memory::Fault;

/// Node deaths and pauses past the lease in each run, at least.
const BLOWS_MIN: u64 = 2;

/// Strikes until this time of the run has come and enough has happened.
pub(crate) async fn strike_until(world: &Arc<World>, end_ms: u64) {
    loop {
        let counts = world.ledger().counts;
        if world.now_ms() >= end_ms && counts.crashes + counts.pauses >= BLOWS_MIN && counts.takeovers > 0 {
            // The last one has begun by then.
            return world.pause(100, 100).await;
        }
        world.pause(200, 5_000).await;
        let member = world.below(world.members().len() as u64) as usize;
        strike(world, member);
    }
}

fn strike(world: &Arc<World>, member: usize) {
    let lease_ms = LEASE.as_millis() as u64;
    let until_ms = world.now_ms() + world.between(200, 2 * lease_ms);
    let strange = world.clone();
    match world.below(14) {
        0..=2 => world.spawn(OUTSIDE, async move {
            if fleet::kill(&strange, member) {
                strange.ledger().counts.crashes += 1;
            }
            strange.pause(50, 6_000).await;
            fleet::start(&strange, member);
        }),
        3..=4 => world.spawn(OUTSIDE, async move {
            let for_ms = strange.between(lease_ms + 500, 3 * lease_ms);
            if fleet::pause(&strange, member, for_ms).await {
                strange.ledger().counts.pauses += 1;
            }
        }),
        5 => world.spawn(OUTSIDE, async move {
            if fleet::stop(&strange, member).await {
                strange.pause(50, 3_000).await;
                fleet::start(&strange, member);
            }
        }),
        6 => {
            world.note(|| format!("node {member} has no way to the store until {until_ms}"));
            world.members()[member].store_is_away_until = until_ms;
        }
        7 => {
            world.note(|| format!("node {member} is cut off from others until {until_ms}"));
            world.members()[member].others_are_away_until = until_ms;
        }
        8 => {
            let skew_ms = i64::try_from(world.below(120_000)).unwrap_or(0) - 60_000;
            world.note(|| format!("the clock of node {member} is wrong by {skew_ms} ms"));
            world.members()[member].skew_ms = skew_ms;
        }
        9 => plan_commits(world),
        10..=11 => {
            world.note(|| format!("the store is slow for node {member} until {until_ms}"));
            world.members()[member].store_is_slow_until = until_ms;
        }
        12 => {
            world.note(|| format!("a loop of node {member} is to panic"));
            world.members()[member].loop_panics = true;
        }
        _ => {
            let by_ms = i64::try_from(world.between(10, 20_000)).unwrap_or(0);
            if world.percent(30) {
                world.note(|| format!("the clock of the store is set back by {by_ms} ms"));
                world.set_store_clock_back(by_ms);
            }
        }
    }
}

/// Some of the next commits do not go well.
fn plan_commits(world: &World) {
    let faults: Vec<Fault> = (0..world.between(1, 6))
        .map(|_| match world.below(6) {
            0 => Fault::LostBeforeCommit,
            1 => Fault::LostAfterCommit,
            2 => Fault::Fenced,
            3 => Fault::FullForNow,
            _ => Fault::None,
        })
        .collect();
    world.note(|| format!("the next commits: {faults:?}"));
    world.memory.faults().plan(faults);
}

/// Everything is as it should be from now on.
pub(crate) fn heal(world: &Arc<World>) {
    world.is_rough.store(false, std::sync::atomic::Ordering::Relaxed);
    world.memory.faults().forget();
    let count = world.members().len();
    for member in 0..count {
        {
            let mut members = world.members();
            members[member].store_is_away_until = 0;
            members[member].store_is_slow_until = 0;
            members[member].others_are_away_until = 0;
            members[member].loop_panics = false;
        }
        fleet::start(world, member);
        if world.members()[member].is_old {
            let world_of_node = world.clone();
            world.spawn(OUTSIDE, async move {
                if !fleet::stop(&world_of_node, member).await {
                    fleet::kill(&world_of_node, member);
                }
                fleet::start(&world_of_node, member);
            });
        }
    }
}
