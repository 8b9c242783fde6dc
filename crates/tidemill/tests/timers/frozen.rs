//! An owner that is frozen beyond its lease: another node fires its timers, and what it still writes afterwards fails.

use crate::receiver::Receiver;
use crate::world::{Store, callback, eventually, rounds, start_of_process};
use serde_json::Value;
use std::time::Duration;

const TIMERS: usize = 200;

#[test]
fn a_frozen_owner_fires_nothing_twice() {
    let store = Store::shared();
    let receiver = Receiver::start(Duration::ZERO);
    let (frozen, other) = (store.serve(), store.serve());
    other.deploy();
    let (mut ids, rounds) = (Vec::new(), rounds(1, 10));
    for _ in 0..rounds {
        let spread = |nth: usize| 500 + (nth as u64 * 11) % 3_000;
        let timers: Vec<Value> = (0..TIMERS).map(|nth| callback(&receiver.url, spread(nth))).collect();
        ids.extend(other.create_all(&timers));
        other.create_all(&(0..TIMERS).map(|nth| start_of_process(spread(nth))).collect::<Vec<_>>());
        let fired = receiver.count(&ids);
        eventually("timers fire", || receiver.count(&ids) > fired);
        frozen.freeze();
        eventually("the other node takes over", || receiver.count(&ids) == ids.len());
        frozen.thaw();
    }
    let expected = (rounds * TIMERS) as u64;
    eventually("every process is started", || other.started() >= expected);
    let last = other.create_all(&[callback(&receiver.url, 1_500), callback(&receiver.url, 1_600)]);
    eventually("other timers arrive", || receiver.count(&last) == 2);
    assert_eq!(other.started(), expected, "each process is started once");
    assert!(ids.iter().all(|id| receiver.occurrences(id) == 1));
    assert_eq!(receiver.early(), 0);
}
