//! Points 17 to 19: elements, and what is asked of one instance or of many.

use crate::models::{END, START, broken, calling, empty, model, one_job, one_user_task};
use crate::world::{World, text};
use serde_json::{Value, json};

#[tokio::test]
async fn point_17_a_multi_instance_activity_shows_as_body_and_inner_instances() {
    let world = World::new().await;
    let task = r#"<serviceTask id="each" name="For each"><extensionElements><zeebe:taskDefinition type="work"/></extensionElements><multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=[1,2]" inputElement="item"/></extensionElements></multiInstanceLoopCharacteristics></serviceTask>"#;
    world.deploy(&model("order", &[START, task, END], "", "")).await;
    let instance = world.create("order", json!({})).await;
    let elements = world.found("element-instances", json!({"processInstanceKey": instance})).await;
    let mut shown: Vec<_> = elements
        .iter()
        .map(|element| (text(&element["elementId"]), text(&element["type"]), text(&element["elementName"])))
        .collect();
    shown.sort();
    let expected = [
        ("each", "MULTI_INSTANCE_BODY", "For each"),
        ("each", "SERVICE_TASK", "For each"),
        ("each", "SERVICE_TASK", "For each"),
        ("start", "START_EVENT", "start"),
    ];
    let expected = expected.map(|(id, kind, name)| (id.to_owned(), kind.to_owned(), name.to_owned()));
    assert_eq!(shown, expected);
}

/// `parent` calls `child`, which is stuck: the keys of both.
async fn stuck_child() -> (World, String, String) {
    let world = World::new().await;
    world.deploy(&broken("child")).await;
    world.deploy(&calling("parent", "child")).await;
    let parent = world.create("parent", json!({})).await;
    let child = world.one("process-instances", json!({"processDefinitionId": "child"})).await;
    (world, parent, text(&child["processInstanceKey"]))
}

#[tokio::test]
async fn point_17_everything_above_an_incident_shows_it() {
    let (world, parent, child) = stuck_child().await;
    let incident = world.one("incidents", json!({})).await;
    let stuck =
        world.one("element-instances", json!({"processInstanceKey": child, "elementId": "work"})).await;
    assert_eq!(stuck["hasIncident"], true);
    assert_eq!(stuck["incidentKey"], incident["incidentKey"]);
    let fine =
        world.one("element-instances", json!({"processInstanceKey": child, "elementId": "start"})).await;
    assert_eq!((&fine["hasIncident"], &fine["incidentKey"]), (&json!(false), &Value::Null));
    let call =
        world.one("element-instances", json!({"processInstanceKey": parent, "elementId": "call"})).await;
    assert_eq!(call["hasIncident"], true);
    for instance in [&parent, &child] {
        let shown = world.get(&format!("/v2/process-instances/{instance}")).await.ok();
        assert_eq!(shown["hasIncident"], true);
    }
    assert_eq!(world.found("process-instances", json!({"hasIncident": true})).await.len(), 2);
}

#[tokio::test]
async fn point_18_what_is_asked_of_one_instance() {
    let (world, parent, child) = stuck_child().await;
    let of = |key: &str, what: &str| format!("/v2/process-instances/{key}/{what}");
    for what in ["sequence-flows", "statistics/element-instances"] {
        assert_eq!(world.get(&of("12", what)).await.ok(), json!({"items": []}));
    }
    let flows = world.get(&of(&parent, "sequence-flows")).await.ok();
    assert_eq!(flows["items"][0]["elementId"], "start-call");
    let statistics = world.get(&of(&child, "statistics/element-instances")).await.ok();
    let stuck = json!({"elementId": "work", "active": 0, "canceled": 0, "incidents": 1, "completed": 0});
    assert!(statistics["items"].as_array().is_some_and(|items| items.contains(&stuck)), "{statistics}");

    assert_eq!(world.get(&of(&parent, "call-hierarchy")).await.ok(), json!([]));
    let calls = world.get(&of(&child, "call-hierarchy")).await.ok();
    let calls: Vec<_> =
        calls.as_array().expect("a list").iter().map(|c| text(&c["processInstanceKey"])).collect();
    assert_eq!(calls, [&*parent, &*child]);
    let unknown = "Process Instance with key '12' not found";
    world.get(&of("12", "call-hierarchy")).await.refused(404, "NOT_FOUND", unknown);

    let incidents = world.post(&of(&parent, "incidents/search"), json!({})).await.ok();
    assert_eq!(incidents["items"][0]["processInstanceKey"], json!(child));
    world.post(&of("12", "incidents/search"), json!({})).await.refused(404, "NOT_FOUND", unknown);
}

#[tokio::test]
async fn point_18_files_and_forms() {
    let world = World::new().await;
    let xml = one_user_task("review");
    let definition = world.deploy(&xml).await;
    let answered = world.get(&format!("/v2/process-definitions/{definition}/xml")).await;
    assert_eq!(answered.status, 200);
    assert_eq!(answered.text, xml);
    let kind = answered.headers["content-type"].to_str().expect("text");
    assert!(kind.starts_with("text/xml"), "{kind}");
    world.get(&format!("/v2/process-definitions/{definition}/form")).await.done();
    world.create("review", json!({})).await;
    let task = world.one("user-tasks", json!({})).await;
    world.get(&format!("/v2/user-tasks/{}/form", text(&task["userTaskKey"]))).await.done();
    world.get("/v2/user-tasks/12/form").await.refused(404, "NOT_FOUND", "User Task with key '12' not found");
}

#[tokio::test]
async fn point_19_batch_endpoints_are_not_offered_and_say_so() {
    let world = World::new().await;
    world.deploy(&empty("order")).await;
    for what in ["cancellation", "deletion", "incident-resolution", "migration", "modification"] {
        let answered = world.post(&format!("/v2/process-instances/{what}"), json!({"filter": {}})).await;
        assert_eq!(answered.problem(501)["title"], "Not Implemented");
    }
}

#[tokio::test]
async fn all_incidents_of_an_instance_are_resolved_at_once() {
    let world = World::new().await;
    world.deploy(&one_job("inner", "work")).await;
    world.deploy(&calling("outer", "inner")).await;
    let outer = world.create("outer", json!({})).await;
    let other = world.create("inner", json!({})).await;
    world.soon("process-instances", json!({"processDefinitionId": "inner"}), 2).await;
    for job in world.activate("work").await {
        let fail = format!("/v2/jobs/{}/failure", text(&job["jobKey"]));
        world.post(&fail, json!({"retries": 0})).await.done();
    }
    world.soon("incidents", json!({"state": "ACTIVE"}), 2).await;
    let resolved =
        world.post_nothing(&format!("/v2/process-instances/{outer}/incident-resolution")).await.ok();
    assert_eq!(resolved["batchOperationType"], "RESOLVE_INCIDENT");
    let left = world.one("incidents", json!({"state": "ACTIVE"})).await;
    assert_eq!(left["processInstanceKey"], json!(other));
    assert_eq!(world.activate("work").await.len(), 1, "its job is tried again");
    let unknown = world.post_nothing("/v2/process-instances/12/incident-resolution").await;
    unknown.refused(404, "NOT_FOUND", "Process Instance with key '12' not found");
}
