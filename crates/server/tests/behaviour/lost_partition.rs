//! A node that finds out with a commit that it has lost its partition.

use crate::models::one_job;
use crate::world::{World, text};
use serde_json::json;
use tidemill_model::PartitionId;
use tidemill_store::Ownership;

/// Ends the epoch of whoever owns the partition, so that its next commit is refused.
pub(crate) async fn take_away(store: &impl Ownership) {
    let owner = store.partitions().await.expect("reads").remove(0).holder.expect("it has an owner");
    store.acquire(PartitionId::FIRST, &owner, 5_000).await.expect("asks").expect("it is the owner's");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_in_hand_run_once_under_the_next_owner() {
    let (world, store) = World::in_cluster().await;
    world.deploy(&one_job("order", "work")).await;
    for round in 0..5 {
        take_away(&*store).await;
        let creates =
            (0..8).map(|_| world.post("/v2/process-instances", json!({"processDefinitionId": "order"})));
        for created in futures_util::future::join_all(creates).await {
            created.ok();
        }
        let found = world.found("process-instances", json!({})).await;
        assert_eq!(found.len(), 8 * (round + 1), "each of them once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_completion_in_hand_is_answered_by_the_next_owner() {
    let (world, store) = World::in_cluster().await;
    world.deploy(&one_job("order", "work")).await;
    let instance = world.create("order", json!({})).await;
    let job = text(&world.activate("work").await[0]["jobKey"]);
    take_away(&*store).await;
    let path = format!("/v2/jobs/{job}/completion");
    world.post_nothing(&path).await.done();
    world.wait_for_state(&instance, "COMPLETED").await;
    assert_eq!(world.post_nothing(&path).await.status, 404);
}
