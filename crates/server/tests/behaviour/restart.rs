//! A new node on the same store goes on where the old one stopped.

use crate::models::{one_job, timer, waiting_for_message};
use crate::world::{World, text};
use serde_json::json;

#[tokio::test]
async fn timers_fire_after_a_restart() {
    let world = World::with_partitions(3).await;
    world.deploy(&timer("order", "PT1S")).await;
    let mut instances = Vec::new();
    for _ in 0..3 {
        instances.push(world.create("order", json!({})).await);
    }
    let world = world.restart().await;
    for instance in &instances {
        world.wait_for_state(instance, "COMPLETED").await;
    }
}

#[tokio::test]
async fn a_held_job_is_not_handed_out_again_before_its_deadline() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    world.create("order", json!({})).await;
    let held = world.activate("work").await;
    let deadline = held[0]["deadline"].as_i64().expect("a number");
    let world = world.restart().await;
    assert_eq!(world.activate("work").await.len(), 0);
    world.pin_clock(deadline - 1).await;
    assert_eq!(world.activate("work").await.len(), 0);
    world.pin_clock(deadline).await;
    let again = world.activate("work").await;
    assert_eq!(again[0]["jobKey"], held[0]["jobKey"]);
    world.post_nothing(&format!("/v2/jobs/{}/completion", text(&held[0]["jobKey"]))).await.done();
}

#[tokio::test]
async fn buffered_messages_and_subscriptions_are_kept() {
    let world = World::with_partitions(3).await;
    world.deploy(&waiting_for_message("order")).await;
    let waiting = world.create("order", json!({"order": "1"})).await;
    world.soon("message-subscriptions", json!({"messageSubscriptionState": "CREATED"}), 1).await;
    let body = json!({"name": "paid", "correlationKey": "2", "timeToLive": 60_000});
    world.post("/v2/messages/publication", body).await.ok();
    let world = world.restart().await;
    world.post("/v2/messages/correlation", json!({"name": "paid", "correlationKey": "1"})).await.ok();
    world.wait_for_state(&waiting, "COMPLETED").await;
    let late = world.create("order", json!({"order": "2"})).await;
    world.wait_for_state(&late, "COMPLETED").await;
}

#[tokio::test]
async fn a_worker_that_fails_before_a_restart_gets_its_job_back_after_the_back_off() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    world.create("order", json!({})).await;
    let job = text(&world.activate("work").await[0]["jobKey"]);
    let body = json!({"retries": 1, "retryBackOff": 300});
    world.post(&format!("/v2/jobs/{job}/failure"), body).await.done();
    let world = world.restart().await;
    let body = json!({"type": "work", "timeout": 60_000, "maxJobsToActivate": 1});
    let jobs = world.post("/v2/jobs/activation", body).await.ok();
    assert_eq!(jobs["jobs"][0]["jobKey"], json!(job));
}
