//! Deleting ended instances: through the loop of their partition, under its fence, large ones in steps.

use crate::lost_partition::take_away;
use crate::models::{END, START, model, one_job};
use crate::world::World;
use serde_json::json;

/// Runs through with as many elements as the collection has entries.
fn many(id: &str) -> String {
    let task = r#"<task id="each"><multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item"/></extensionElements></multiInstanceLoopCharacteristics></task>"#;
    model(id, &[START, task, END], "", "")
}

fn deletion(instance: &str) -> String {
    format!("/v2/process-instances/{instance}/deletion")
}

async fn total(world: &World, what: &str, instance: &str) -> u64 {
    let body = json!({"filter": {"processInstanceKey": instance}, "page": {"limit": 1}});
    let found = world.post(&format!("/v2/{what}/search"), body).await.ok();
    found["page"]["totalItems"].as_u64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_instance_is_gone_at_once_and_its_rows_follow() {
    let world = World::new().await;
    world.deploy(&many("order")).await;
    let items: Vec<usize> = (0..1_800).collect();
    let (instance, other) = (
        world.create("order", json!({"items": items})).await,
        world.create("order", json!({"items": [1, 2]})).await,
    );
    world.wait_for_state(&instance, "COMPLETED").await;
    world.wait_for_state(&other, "COMPLETED").await;
    assert!(total(&world, "element-instances", &instance).await > 1_800);
    let left = total(&world, "element-instances", &other).await;
    let keyed =
        async || world.with_headers("POST", &deletion(&instance), "", &[("idempotency-key", "d")]).await;
    keyed().await.done();
    assert_eq!(world.get(&format!("/v2/process-instances/{instance}")).await.status, 404);
    world.post_nothing(&deletion(&instance)).await.problem(404);
    keyed().await.done();
    for what in ["element-instances", "variables"] {
        world.soon(what, json!({"processInstanceKey": instance}), 0).await;
    }
    assert_eq!(total(&world, "element-instances", &other).await, left);
    let world = world.restart().await;
    world.with_headers("POST", &deletion(&instance), "", &[("idempotency-key", "d")]).await.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_in_hand_is_done_by_the_next_owner() {
    let (world, store) = World::in_cluster().await;
    world.deploy(&one_job("order", "work")).await;
    for _ in 0..5 {
        let instance = world.create("order", json!({})).await;
        world.post_nothing(&format!("/v2/process-instances/{instance}/cancellation")).await.done();
        take_away(&*store).await;
        world.post_nothing(&deletion(&instance)).await.done();
        assert_eq!(world.get(&format!("/v2/process-instances/{instance}")).await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_together_with_the_end_leaves_nothing_or_everything() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    for _ in 0..30 {
        let instance = world.create("order", json!({"a": 1})).await;
        let cancel = format!("/v2/process-instances/{instance}/cancellation");
        let delete = deletion(&instance);
        let (cancelled, deleted) = tokio::join!(world.post_nothing(&cancel), world.post_nothing(&delete));
        cancelled.done();
        match deleted.status.as_u16() {
            204 => {}
            409 => world.post_nothing(&delete).await.done(),
            other => panic!("{other}: {}", deleted.text),
        }
        world.post_nothing(&delete).await.problem(404);
        for what in ["element-instances", "variables", "jobs"] {
            world.soon(what, json!({"processInstanceKey": instance}), 0).await;
        }
    }
}
