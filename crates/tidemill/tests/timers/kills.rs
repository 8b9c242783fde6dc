//! `kill -9` while timers fire: every timer arrives at least once, and what concerns processes happens exactly once.

use crate::receiver::Receiver;
use crate::world::{Store, batched, callback, eventually, rounds, start_of_process};
use serde_json::Value;
use std::time::Duration;

const CALLBACKS: usize = 300;
const BATCHED: usize = 300;
const STARTS: usize = 200;

#[test]
fn kills_while_firing_lose_nothing() {
    survives(&Store::embedded());
}

#[test]
fn kills_while_firing_lose_nothing_on_a_server() {
    survives(&Store::shared());
}

fn survives(store: &Store) {
    let receiver = Receiver::start(Duration::from_millis(2));
    let mut server = store.serve();
    server.deploy();
    let (mut ids, rounds) = (Vec::new(), rounds(2, 10));
    for round in 0..rounds {
        let spread = |nth: usize| 300 + (nth as u64 * 7) % 900;
        let timers: Vec<Value> = (0..CALLBACKS)
            .map(|nth| callback(&receiver.url, spread(nth)))
            .chain((0..BATCHED).map(|nth| batched(&receiver.url, spread(nth))))
            .collect();
        let made = server.create_all(&timers);
        assert_eq!(made.len(), timers.len());
        ids.extend(made);
        server.create_all(&(0..STARTS).map(|nth| start_of_process(spread(nth))).collect::<Vec<_>>());
        // Some have fired by then, and others have not.
        let fired = receiver.count(&ids);
        eventually("timers fire", || receiver.count(&ids) > fired + 20 * (round % 5));
        server.kill();
        server = store.serve();
    }
    eventually("every timer arrives", || receiver.count(&ids) == ids.len());
    let expected = (rounds * STARTS) as u64;
    eventually("every process is started", || server.started() >= expected);
    // One that were started twice would be there by the time that another timer takes.
    let last = server.create_all(&[callback(&receiver.url, 500)]);
    eventually("another timer arrives", || receiver.count(&last) == 1);
    assert_eq!(server.started(), expected, "each process is started once");
    assert!(
        ids.iter().all(|id| receiver.occurrences(id) == 1),
        "each timer has one key, however often it comes"
    );
    assert_eq!(receiver.early(), 0);
    eprintln!("{} timers in {rounds} rounds, {} calls repeated", ids.len(), receiver.repeated());
}
