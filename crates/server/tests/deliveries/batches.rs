//! Many timers in one call, answered one by one.

use crate::receiver::{Receiver, Reply};
use crate::world::{World, soon};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn batch(origin: &str, size: u32) -> Value {
    json!({"type": "http", "url": format!("{origin}/many"), "batch": size, "timeout": 20_000})
}

fn all_taken(told: &crate::receiver::Told) -> Value {
    let result = |timer: &Value| json!({"idempotencyKey": timer["idempotencyKey"], "status": 200});
    json!({"results": told.timers().iter().map(result).collect::<Vec<_>>()})
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_timers_take_few_calls() {
    let receiver = Receiver::start(|_, told| Reply::Json(all_taken(told))).await;
    let world = World::new().await;
    let ids = world.fire(batch(&receiver.origin, 1_000), soon(3), 2_500).await;
    receiver.until(3).await;
    world.until_settled().await;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for told in receiver.told() {
        assert!(told.timers().len() <= 1_000);
        for timer in told.timers() {
            *seen.entry(timer["id"].as_str().expect("an id").to_owned()).or_default() += 1;
        }
    }
    assert_eq!((seen.len(), seen.values().max()), (ids.len(), Some(&1)));
    assert!(receiver.calls() <= 10, "{} calls", receiver.calls());
}

/// It forgets some, names others that were never sent, says two things of one, and refuses one.
#[tokio::test(flavor = "multi_thread")]
async fn a_lying_receiver_gets_again_what_it_did_not_surely_take() {
    let receiver = Receiver::start(|nth, told| match nth {
        0 => {
            let timers = told.timers();
            let key = |nth: usize| timers[nth]["idempotencyKey"].clone();
            Reply::Json(json!({"results": [
                {"idempotencyKey": key(0), "status": 200},
                {"idempotencyKey": key(0), "status": 500},
                {"idempotencyKey": key(1), "status": 400},
                {"idempotencyKey": key(2), "status": "fine"},
                {"idempotencyKey": "never-sent", "status": 200},
            ]}))
        }
        _ => Reply::Json(all_taken(told)),
    })
    .await;
    let world = World::new().await;
    world.fire(batch(&receiver.origin, 10), soon(5), 5).await;
    let first = receiver.until(1).await.remove(0);
    world.until_settled().await;
    let numbers = |timers: Vec<Value>| {
        let mut all: Vec<u64> = timers.iter().filter_map(|timer| timer["payload"]["nth"].as_u64()).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(first.timers().len(), 5, "they fire together");
    let order: Vec<u64> =
        first.timers().iter().filter_map(|timer| timer["payload"]["nth"].as_u64()).collect();
    // The retries may come in one call or in several.
    let mut again = Vec::new();
    for calls in 2.. {
        let told = receiver.until(calls).await;
        again.extend(told[calls - 1].timers());
        if again.len() >= 3 {
            break;
        }
    }
    world.until_settled().await;
    let mut expected = order[2..].to_vec();
    expected.sort_unstable();
    assert_eq!(numbers(again.clone()), expected, "all but the taken and the refused one");
    assert!(again.iter().all(|timer| timer["attempt"] == 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_batch_is_tried_again_as_a_whole() {
    let receiver = Receiver::start(|nth, _| Reply::Status(if nth == 0 { 503 } else { 204 })).await;
    let world = World::new().await;
    world.fire(batch(&receiver.origin, 10), soon(5), 4).await;
    receiver.until(2).await;
    world.until_settled().await;
    let again: usize = {
        let mut calls = 2;
        loop {
            let told = receiver.until(calls).await;
            let count: usize = told[1..].iter().map(|told| told.timers().len()).sum();
            if count >= 4 {
                break count;
            }
            calls += 1;
        }
    };
    assert_eq!(again, 4);
}
