//! Business ids that are kept unique among the running root instances of a process.

use crate::models::{END, START, calling, model, one_job, service};
use crate::world::{Answered, World, text};
use serde_json::{Value, json};
use tidemill_server::gateway::GatewayConfig;

async fn unique_world() -> World {
    World::with_gateway(GatewayConfig { unique_business_ids: true, ..GatewayConfig::default() }).await
}

async fn create(world: &World, process: &str, business_id: &str) -> Answered {
    world
        .post("/v2/process-instances", json!({"processDefinitionId": process, "businessId": business_id}))
        .await
}

fn taken(process: &str) -> String {
    format!(
        "Expected to create instance of process with business id 'b-1', but an instance with this business id already \
         exists for process definition '{process}'"
    )
}

#[tokio::test]
async fn a_second_root_instance_is_refused_until_the_first_has_ended() {
    let world = unique_world().await;
    let definition = world.deploy(&one_job("order", "work")).await;
    world.deploy(&one_job("other", "work")).await;
    let first = text(&create(&world, "order", "b-1").await.ok()["processInstanceKey"]);
    create(&world, "order", "b-1").await.rejected(409, "CREATE", "ALREADY_EXISTS", &taken("order"));
    let by_key = json!({"processDefinitionKey": definition, "businessId": "b-1"});
    world.post("/v2/process-instances", by_key).await.rejected(
        409,
        "CREATE",
        "ALREADY_EXISTS",
        &taken("order"),
    );
    create(&world, "order", "b-2").await.ok();
    create(&world, "other", "b-1").await.ok();
    world.create("order", json!({})).await;
    world.post_nothing(&format!("/v2/process-instances/{first}/cancellation")).await.done();
    create(&world, "order", "b-1").await.ok();
}

#[tokio::test]
async fn many_at_once_make_one_instance() {
    let world = unique_world().await;
    world.deploy(&one_job("order", "work")).await;
    let all = (0..8).map(|_| create(&world, "order", "b-1"));
    let answered = futures_util::future::join_all(all).await;
    assert_eq!(answered.iter().filter(|answered| answered.status == 200).count(), 1);
    assert_eq!(world.found("process-instances", json!({"businessId": "b-1"})).await.len(), 1);
}

#[tokio::test]
async fn called_instances_do_not_count_and_ids_are_not_assigned_later() {
    let world = unique_world().await;
    world.deploy(&one_job("inner", "work")).await;
    world.deploy(&calling("outer", "inner")).await;
    create(&world, "outer", "b-1").await.ok();
    create(&world, "inner", "b-1").await.ok();

    world.deploy(&model("late", &[START, &service("late-work", "late"), END], "", "")).await;
    let instance = world.create("late", json!({})).await;
    let reason = format!(
        "Expected to assign a business id to process instance with key '{instance}', but business id assignment is not \
         allowed while business id uniqueness is enabled"
    );
    let assign = format!("/v2/process-instances/{instance}/business-id-assignment");
    world.post(&assign, json!({"businessId": "b-9"})).await.rejected(409, "ASSIGN", "INVALID_STATE", &reason);
    let job: Value = world.activate("late").await.remove(0);
    let complete = format!("/v2/jobs/{}/completion", text(&job["jobKey"]));
    world.post(&complete, json!({"businessId": "b-9"})).await.rejected(
        409,
        "ASSIGN",
        "INVALID_STATE",
        &reason,
    );
    world.post(&complete, json!({})).await.done();
}
