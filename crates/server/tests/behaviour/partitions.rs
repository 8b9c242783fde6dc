//! Several partitions work as one.

use crate::models::{calling, empty, one_job, waiting_for_message, waiting_for_signal};
use crate::world::{World, text};
use serde_json::json;
use std::collections::BTreeSet;

fn partition(key: &str) -> i64 {
    key.parse::<i64>().expect("a key") >> 51
}

#[tokio::test]
async fn instances_go_round_and_workers_get_jobs_of_all_partitions() {
    let world = World::with_partitions(3).await;
    world.deploy(&one_job("order", "work")).await;
    let mut homes = BTreeSet::new();
    for _ in 0..6 {
        homes.insert(partition(&world.create("order", json!({})).await));
    }
    assert_eq!(homes, BTreeSet::from([1, 2, 3]));
    let mut done = BTreeSet::new();
    for _ in 0..6 {
        for job in world.activate("work").await {
            let job = text(&job["jobKey"]);
            world.post_nothing(&format!("/v2/jobs/{job}/completion")).await.done();
            assert!(done.insert(job), "handed out twice");
        }
    }
    assert_eq!(done.len(), 6);
    assert_eq!(done.iter().map(|job| partition(job)).collect::<BTreeSet<_>>(), homes);
    assert_eq!(world.soon("process-instances", json!({"state": "COMPLETED"}), 6).await.len(), 6);
}

#[tokio::test]
async fn a_waiting_worker_is_served_by_whichever_partition_has_work_first() {
    let world = World::with_partitions(3).await;
    world.deploy(&one_job("order", "work")).await;
    for _ in 0..6 {
        let body =
            json!({"type": "work", "timeout": 60_000, "maxJobsToActivate": 1, "requestTimeout": 15_000});
        let create = async {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            world.create("order", json!({})).await
        };
        let (jobs, instance) = tokio::join!(world.post("/v2/jobs/activation", body), create);
        assert_eq!(jobs.ok()["jobs"][0]["processInstanceKey"], json!(instance));
    }
}

#[tokio::test]
async fn messages_find_instances_wherever_they_are() {
    let world = World::with_partitions(3).await;
    world.deploy(&waiting_for_message("order")).await;
    let mut instances = Vec::new();
    for n in 0..9 {
        instances.push(world.create("order", json!({"order": n.to_string()})).await);
    }
    world.soon("message-subscriptions", json!({"messageSubscriptionState": "CREATED"}), 9).await;
    for (n, instance) in instances.iter().enumerate() {
        let body = json!({"name": "paid", "correlationKey": n.to_string(), "variables": {"n": n}});
        if n % 2 == 0 {
            let correlated = world.post("/v2/messages/correlation", body).await.ok();
            assert_eq!(correlated["processInstanceKey"], json!(instance));
        } else {
            world.post("/v2/messages/publication", body).await.ok();
        }
    }
    world.soon("process-instances", json!({"state": "COMPLETED"}), 9).await;
    assert_eq!(world.found("correlated-message-subscriptions", json!({})).await.len(), 9);
}

#[tokio::test]
async fn a_buffered_message_waits_for_an_instance_of_another_partition() {
    let world = World::with_partitions(3).await;
    world.deploy(&waiting_for_message("order")).await;
    for n in 0..6 {
        let body = json!({"name": "paid", "correlationKey": n.to_string(), "timeToLive": 60_000});
        world.post("/v2/messages/publication", body).await.ok();
        let instance = world.create("order", json!({"order": n.to_string()})).await;
        world.wait_for_state(&instance, "COMPLETED").await;
    }
}

#[tokio::test]
async fn signals_reach_all_partitions() {
    let world = World::with_partitions(3).await;
    world.deploy(&waiting_for_signal("order")).await;
    for _ in 0..6 {
        world.create("order", json!({})).await;
    }
    world.post("/v2/signals/broadcast", json!({"signalName": "go"})).await.ok();
    world.soon("process-instances", json!({"state": "COMPLETED"}), 6).await;
}

#[tokio::test]
async fn call_activities_and_waits_for_the_end_work_on_all_partitions() {
    let world = World::with_partitions(3).await;
    world.deploy(&empty("child")).await;
    world.deploy(&calling("parent", "child")).await;
    for n in 0..6 {
        let body = json!({"processDefinitionId": "parent", "variables": {"n": n}, "awaitCompletion": true});
        let ended = world.post("/v2/process-instances", body).await.ok();
        assert_eq!(ended["variables"], json!({"n": n}));
    }
    assert_eq!(world.found("process-instances", json!({"state": "COMPLETED"})).await.len(), 12);
}

#[tokio::test]
async fn a_new_version_is_known_everywhere_at_once() {
    let world = World::with_partitions(3).await;
    for version in 1..=4 {
        world.deploy(&one_job("order", &format!("work-{version}"))).await;
        for _ in 0..3 {
            let created =
                world.post("/v2/process-instances", json!({"processDefinitionId": "order"})).await.ok();
            assert_eq!(created["processDefinitionVersion"], version);
        }
    }
}
