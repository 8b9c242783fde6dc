//! A request with an idempotency key counts once, also over a restart.

use crate::models::{empty, one_job, waiting_for_message};
use crate::world::{Answered, World, text};
use serde_json::{Value, json};

async fn keyed(world: &World, key: &str, path: &str, body: &Value) -> Answered {
    world.with_headers("POST", path, &body.to_string(), &[("idempotency-key", key)]).await
}

const OTHER: &str = "The Idempotency-Key was used before for a request with another content";

#[tokio::test]
async fn the_same_key_gives_the_same_answer_and_another_content_is_refused() {
    for partitions in [1, 3] {
        let world = World::with_partitions(partitions).await;
        world.deploy(&one_job("order", "work")).await;
        let creation = json!({"processDefinitionId": "order", "variables": {"a": 1}});
        let create = "/v2/process-instances";
        let created = keyed(&world, "c", create, &creation).await.ok();
        assert_eq!(keyed(&world, "c", create, &creation).await.ok(), created);
        let message = json!({"name": "paid", "correlationKey": "1", "messageId": "m", "timeToLive": 60_000});
        let publish = "/v2/messages/publication";
        let published = keyed(&world, "p", publish, &message).await.ok();
        let job = text(&world.one("jobs", json!({})).await["jobKey"]);
        let complete = format!("/v2/jobs/{job}/completion");
        let completion = json!({"variables": {"b": 2}});
        keyed(&world, "j", &complete, &completion).await.done();
        keyed(&world, "j", &complete, &completion).await.done();

        let world = world.restart().await;
        assert_eq!(keyed(&world, "c", create, &creation).await.ok(), created);
        assert_eq!(keyed(&world, "p", publish, &message).await.ok(), published);
        keyed(&world, "j", &complete, &completion).await.done();
        assert_eq!(world.found("process-instances", json!({})).await.len(), 1);
        for (key, path, mut body) in
            [("c", create, creation), ("p", publish, message), ("j", complete.as_str(), completion)]
        {
            body["variables"] = json!({"other": true});
            keyed(&world, key, path, &body).await.refused(422, "INVALID_ARGUMENT", OTHER);
        }
        assert_eq!(world.found("process-instances", json!({})).await.len(), 1);
    }
}

#[tokio::test]
async fn a_refusal_is_repeated_too() {
    let world = World::new().await;
    let creation = json!({"processDefinitionId": "order"});
    let first = keyed(&world, "c", "/v2/process-instances", &creation).await;
    let problem = first.problem(404);
    world.deploy(&empty("order")).await;
    assert_eq!(keyed(&world, "c", "/v2/process-instances", &creation).await.problem(404), problem);
}

#[tokio::test]
async fn a_repeated_wait_for_the_end_gets_it_even_if_it_is_over() {
    let world = World::new().await;
    world.deploy(&empty("order")).await;
    let creation = json!({
        "processDefinitionId": "order", "variables": {"a": 1}, "awaitCompletion": true, "requestTimeout": 5000,
    });
    let first = keyed(&world, "c", "/v2/process-instances", &creation).await.ok();
    assert_eq!(first["variables"], json!({"a": 1}));
    assert_eq!(keyed(&world, "c", "/v2/process-instances", &creation).await.ok(), first);
    let world = world.restart().await;
    assert_eq!(keyed(&world, "c", "/v2/process-instances", &creation).await.ok(), first);
    assert_eq!(world.found("process-instances", json!({})).await.len(), 1);
}

#[tokio::test]
async fn many_repeated_waits_for_the_end_get_it_together() {
    let world = World::new().await;
    world.deploy(&empty("order")).await;
    let send = async || {
        let sent = (0..30).map(|n| {
            let creation = json!({
                "processDefinitionId": "order", "variables": {"n": n}, "awaitCompletion": true, "requestTimeout": 5000,
            });
            let world = &world;
            async move { keyed(world, &format!("k{n}"), "/v2/process-instances", &creation).await.ok() }
        });
        futures_util::future::join_all(sent).await
    };
    let first = send().await;
    assert_eq!(first[7]["variables"], json!({"n": 7}));
    assert_eq!(send().await, first);
    assert_eq!(world.found("process-instances", json!({})).await.len(), 30);
}

#[tokio::test]
async fn a_correlation_counts_once() {
    for partitions in [1, 3] {
        let world = World::with_partitions(partitions).await;
        world.deploy(&waiting_for_message("order")).await;
        world.create("order", json!({"order": "1"})).await;
        let instances = json!({"messageSubscriptionState": "CREATED"});
        world.soon("message-subscriptions", instances, 1).await;
        let message = json!({"name": "paid", "correlationKey": "1"});
        let first = keyed(&world, "m", "/v2/messages/correlation", &message).await.ok();
        assert_eq!(keyed(&world, "m", "/v2/messages/correlation", &message).await.ok(), first);
        let world = world.restart().await;
        assert_eq!(keyed(&world, "m", "/v2/messages/correlation", &message).await.ok(), first);
    }
}
