//! Commands that are not waited for: their receipts, what becomes of them, and their place in the order.

use crate::models::{one_job, waiting_for_message};
use crate::world::{Answered, World, text};
use serde_json::{Value, json};
use std::time::Duration;

const ASYNC: (&str, &str) = ("prefer", "respond-async");

/// Sends it and gives the place where its outcome will be.
#[track_caller]
fn receipt(answered: &Answered) -> String {
    assert_eq!(answered.status, 202, "{}", answered.text);
    assert_eq!(answered.headers["preference-applied"], "respond-async");
    let location = answered.headers["location"].to_str().expect("text").to_owned();
    assert_eq!(location, format!("/v1/commands/{}", text(&answered.json()["commandPosition"])));
    location
}

async fn outcome(world: &World, location: &str) -> Value {
    for _ in 0..2000 {
        let status = world.get(location).await.ok();
        if status["state"] != "WAITING" {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{location} still waits");
}

#[tokio::test]
async fn the_outcome_is_told_later() {
    let world = World::with_partitions(3).await;
    world.deploy(&one_job("order", "work")).await;
    let send = async |path: &str, body: Value| {
        receipt(&world.with_headers("POST", path, &body.to_string(), &[ASYNC]).await)
    };
    let created = send("/v2/process-instances", json!({"processDefinitionId": "order"})).await;
    let created = outcome(&world, &created).await;
    assert_eq!(created["state"], "DONE", "{created}");
    let instance = text(&created["result"]["processInstanceKey"]);
    world.wait_for_state(&instance, "ACTIVE").await;

    let refused = send("/v2/process-instances", json!({"processDefinitionId": "nobody"})).await;
    let refused = outcome(&world, &refused).await;
    assert_eq!(refused["state"], "REJECTED");
    assert_eq!(
        refused["problem"]["detail"],
        "Command 'CREATE' rejected with code 'NOT_FOUND': \
         Expected to find process definition with process ID 'nobody', but none found"
    );
    let cancelled = send(&format!("/v2/process-instances/{instance}/cancellation"), json!({})).await;
    let cancelled_outcome = outcome(&world, &cancelled).await;
    assert_eq!((&cancelled_outcome["state"], &cancelled_outcome["result"]), (&json!("DONE"), &Value::Null));
    assert_eq!(world.state(&instance).await, "TERMINATED");
    let detail = "Command with position '999999' not found";
    world.get("/v1/commands/999999").await.refused(404, "NOT_FOUND", detail);

    let world = world.restart().await;
    assert_eq!(world.get(&cancelled).await.ok(), cancelled_outcome);
}

#[tokio::test]
async fn a_correlation_is_told_later_too() {
    for partitions in [1, 3] {
        let world = World::with_partitions(partitions).await;
        world.deploy(&waiting_for_message("order")).await;
        let instance = world.create("order", json!({"order": "1"})).await;
        world.soon("message-subscriptions", json!({"messageSubscriptionState": "CREATED"}), 1).await;
        let message = json!({"name": "paid", "correlationKey": "1"}).to_string();
        let sent = world.with_headers("POST", "/v2/messages/correlation", &message, &[ASYNC]).await;
        let correlated = outcome(&world, &receipt(&sent)).await;
        assert_eq!(correlated["state"], "DONE", "{correlated}");
        assert_eq!(correlated["result"]["processInstanceKey"], json!(instance));
    }
}

#[tokio::test]
async fn a_repeated_command_has_an_outcome_under_each_of_its_receipts() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let body = json!({"processDefinitionId": "order"}).to_string();
    let headers = [ASYNC, ("idempotency-key", "k")];
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        let sent = world.with_headers("POST", "/v2/process-instances", &body, &headers).await;
        outcomes.push(outcome(&world, &receipt(&sent)).await);
    }
    assert_eq!(outcomes[0]["state"], "DONE");
    assert_eq!(outcomes[0]["result"], outcomes[1]["result"]);
    let body = json!({"processDefinitionId": "order", "variables": {"a": 1}}).to_string();
    let sent = world.with_headers("POST", "/v2/process-instances", &body, &headers).await;
    let other = outcome(&world, &receipt(&sent)).await;
    assert_eq!(other["state"], "REJECTED", "{other}");
    assert_eq!(world.found("process-instances", json!({})).await.len(), 1);
}

#[tokio::test]
async fn what_was_sent_first_runs_first() {
    let world = World::new().await;
    let two = crate::models::model(
        "order",
        &[
            crate::models::START,
            &crate::models::service("first", "first"),
            &crate::models::service("second", "second"),
            crate::models::END,
        ],
        "",
        "",
    );
    world.deploy(&two).await;
    for n in 0..20 {
        let instance = world.create("order", json!({"n": -1})).await;
        let job = text(&world.one("jobs", json!({"processInstanceKey": instance})).await["jobKey"]);
        let set = format!("/v2/element-instances/{instance}/variables");
        let body = json!({"variables": {"n": n}}).to_string();
        receipt(&world.with_headers("PUT", &set, &body, &[ASYNC]).await);
        world.post_nothing(&format!("/v2/jobs/{job}/completion")).await.done();
        let jobs = world.activate("second").await;
        assert_eq!(jobs[0]["variables"], json!({"n": n}), "the completion came after the variable");
    }
}
