//! Many timers that are due in the same second: all arrive, and others are created meanwhile. The figures are printed; only
//! `./test full`, with a million of them, holds creates to their limit.

use crate::receiver::Receiver;
use crate::world::{Server, Store, batched, callback, eventually, is_full, rounds};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const LINES: usize = 5_000;
/// Creates that are timed before the storm, and at least so many in it.
const TIMED: usize = 200;
/// How much longer a create may take in the storm than before it, for 99 of 100.
const TIMES_USUAL_MAX: u32 = 5;
/// A usual time below this says more about the clock than about the server.
const USUAL_MIN: Duration = Duration::from_millis(5);

#[test]
fn a_storm_lets_others_through() {
    storm(&Store::embedded());
}

#[test]
fn a_storm_lets_others_through_on_a_server() {
    storm(&Store::shared());
}

fn storm(store: &Store) {
    let (receiver, server, count) =
        (Receiver::start(Duration::ZERO), store.serve(), rounds(20_000, 1_000_000));
    let many = json!({"type": "http", "url": format!("{}/many", receiver.url), "batch": 1_000});
    // Late enough for all to be there, and in one second.
    let due_ms = receiver_now_ms() + if is_full() { 120_000 } else { 10_000 };
    let due = tidemill_model::Timestamp(due_ms).to_string();
    let timer = json!({"executeAt": due, "target": many});
    let mut ids = Vec::new();
    while ids.len() < count {
        ids.extend(server.create_all(&vec![timer.clone(); LINES.min(count - ids.len())]));
    }
    let usual = p99(&mut (0..TIMED).map(|_| timed_create(&server, &receiver)).collect::<Vec<_>>());
    eventually("the storm begins", || receiver.has(&ids[0]) || receiver_now_ms() > due_ms);
    let mut meanwhile = Vec::new();
    let began = Instant::now();
    while meanwhile.len() < TIMED || receiver.heard() < count {
        meanwhile.push(timed_create(&server, &receiver));
        assert!(began.elapsed() < Duration::from_secs(300), "{} of {count} have come", receiver.heard());
    }
    let worst = p99(&mut meanwhile);
    eventually("all have come", || receiver.count(&ids) == count);
    eprintln!(
        "a storm of {count}: through after {:?}; creates take {usual:?} usually and {worst:?} meanwhile (p99 of {})",
        began.elapsed(),
        meanwhile.len()
    );
    assert_eq!(receiver.early(), 0);
    if is_full() {
        assert!(worst < usual.max(USUAL_MIN) * TIMES_USUAL_MAX, "{worst:?} instead of {usual:?}");
    }
}

fn timed_create(server: &Server, receiver: &Receiver) -> Duration {
    let later: Value = callback(&receiver.url, 3_600_000);
    let began = Instant::now();
    server.post("/v1/timers", &later);
    began.elapsed()
}

fn p99(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[(times.len() * 99).div_ceil(100) - 1]
}

fn receiver_now_ms() -> i64 {
    crate::receiver::now_ms()
}

/// Slots of a second that are larger than the memory of a shard are fired block by block: nothing is lost, and nothing comes twice
/// without a crash.
#[test]
fn slots_larger_than_memory_are_fired() {
    for (memory, few, full) in [("1MB", 6_000, 60_000), ("16MB", 30_000, 400_000)] {
        let (receiver, store) = (Receiver::start(Duration::ZERO), Store::embedded());
        under_pressure(&store, &receiver, memory, rounds(few, full));
    }
}

#[test]
fn slots_larger_than_memory_are_fired_on_a_server() {
    for (memory, few, full) in [("1MB", 6_000, 60_000), ("16MB", 30_000, 400_000)] {
        let (receiver, store) = (Receiver::start(Duration::ZERO), Store::shared());
        under_pressure(&store, &receiver, memory, rounds(few, full));
    }
}

fn under_pressure(store: &Store, receiver: &Receiver, memory: &str, count: usize) {
    let server = store.serve_with(&["--timer-memory", memory]);
    let mut ids = Vec::new();
    let mut timer = batched(&receiver.url, 0);
    timer["payload"] = json!("x".repeat(200));
    let due_ms = receiver_now_ms() + 5_000 + count as i64 / 20;
    timer["executeAt"] = json!(tidemill_model::Timestamp(due_ms).to_string());
    timer.as_object_mut().expect("an object").remove("delay");
    while ids.len() < count {
        ids.extend(server.create_all(&vec![timer.clone(); 1_000.min(count - ids.len())]));
    }
    eventually("every timer arrives", || receiver.heard() >= count && receiver.count(&ids) == count);
    assert_eq!((receiver.repeated(), receiver.early()), (0, 0));
}
