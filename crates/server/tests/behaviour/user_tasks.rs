//! Point 29: user tasks.

use crate::models::one_user_task;
use crate::world::{World, text};
use serde_json::{Value, json};

async fn with_task() -> (World, String) {
    let world = World::new().await;
    world.deploy(&one_user_task("review")).await;
    world.create("review", json!({})).await;
    let task = world.one("user-tasks", json!({})).await;
    assert_eq!(task["priority"], 50);
    let key = text(&task["userTaskKey"]);
    (world, key)
}

async fn shown(world: &World, task: &str) -> Value {
    world.get(&format!("/v2/user-tasks/{task}")).await.ok()
}

#[tokio::test]
async fn point_29_assignment_overrides_unless_told_otherwise() {
    let (world, task) = with_task().await;
    let assign = async |body: Value| world.post(&format!("/v2/user-tasks/{task}/assignment"), body).await;
    let unassign = async || world.text("DELETE", &format!("/v2/user-tasks/{task}/assignee"), "").await;
    unassign().await.done();
    assign(json!({"assignee": "ada"})).await.done();
    assign(json!({"assignee": "ada"})).await.done();
    assign(json!({"assignee": "bob"})).await.done();
    assert_eq!(shown(&world, &task).await["assignee"], "bob");
    let reason = format!("Expected to claim user task with key '{task}', but it has already been assigned");
    let claim = json!({"assignee": "ada", "allowOverride": false});
    assign(claim.clone()).await.rejected(409, "CLAIM", "INVALID_STATE", &reason);
    unassign().await.done();
    unassign().await.done();
    assert_eq!(shown(&world, &task).await["assignee"], Value::Null);
    assign(claim.clone()).await.done();
    assign(claim).await.done();
    for none in [json!({}), json!({"assignee": null}), json!({"assignee": " "})] {
        assign(none).await.refused(400, "INVALID_ARGUMENT", "No assignee provided");
    }
}

#[tokio::test]
async fn point_29_an_update_leaves_nulls_and_clears_with_nothing() {
    let (world, task) = with_task().await;
    let update =
        async |body: Value| world.text("PATCH", &format!("/v2/user-tasks/{task}"), &body.to_string()).await;
    let detail = "No update data provided. Provide at least an \"action\" or a non-null value for a supported \
                  attribute in the \"changeset\".";
    for nothing in [json!({}), json!({"changeset": {}}), json!({"changeset": {"priority": null}})] {
        update(nothing).await.refused(400, "INVALID_ARGUMENT", detail);
    }
    for priority in [-1, 101] {
        let detail = format!("The value for priority is '{priority}' but must be within the [0,100] range.");
        update(json!({"changeset": {"priority": priority}})).await.refused(400, "INVALID_ARGUMENT", &detail);
    }
    update(json!({"action": "look"})).await.done();
    let due = "2030-01-01T00:00:00.000Z";
    let changeset = json!({
        "dueDate": due, "followUpDate": due, "candidateUsers": ["ada"], "candidateGroups": ["editors"],
        "priority": 100,
    });
    update(json!({"changeset": changeset})).await.done();
    update(json!({"changeset": {"dueDate": null, "candidateUsers": null, "priority": 0}})).await.done();
    let after = shown(&world, &task).await;
    assert_eq!((&after["dueDate"], &after["followUpDate"]), (&json!(due), &json!(due)));
    assert_eq!(after["candidateUsers"], json!(["ada"]));
    assert_eq!(after["candidateGroups"], json!(["editors"]));
    assert_eq!(after["priority"], 0);
    update(json!({"changeset": {"dueDate": "", "candidateUsers": []}})).await.done();
    let after = shown(&world, &task).await;
    assert_eq!((&after["dueDate"], &after["followUpDate"]), (&Value::Null, &json!(due)));
    assert_eq!(after["candidateUsers"], json!([]));
    assert_eq!(after["candidateGroups"], json!(["editors"]));
}

#[tokio::test]
async fn point_29_an_ended_task_is_readable_but_takes_no_commands() {
    let (world, completed) = with_task().await;
    let instance = world.create("review", json!({})).await;
    let cancelled = world.one("user-tasks", json!({"processInstanceKey": instance})).await;
    let cancelled = text(&cancelled["userTaskKey"]);
    let body = json!({"variables": {"ok": true}});
    world.post(&format!("/v2/user-tasks/{completed}/completion"), body).await.done();
    world.post_nothing(&format!("/v2/process-instances/{instance}/cancellation")).await.done();
    for (task, state) in [(&completed, "COMPLETED"), (&cancelled, "CANCELED")] {
        assert_eq!(shown(&world, task).await["state"], state);
        let gone = |verb: &str| {
            format!("Expected to {verb} user task with key '{task}', but no such user task was found")
        };
        let path = format!("/v2/user-tasks/{task}");
        let answered = world.post_nothing(&format!("{path}/completion")).await;
        answered.rejected(404, "COMPLETE", "NOT_FOUND", &gone("complete"));
        let answered = world.post(&format!("{path}/assignment"), json!({"assignee": "ada"})).await;
        answered.rejected(404, "ASSIGN", "NOT_FOUND", &gone("assign"));
        let answered = world.text("PATCH", &path, r#"{"action": "a"}"#).await;
        answered.rejected(404, "UPDATE", "NOT_FOUND", &gone("update"));
    }
    assert_eq!(world.one("variables", json!({"name": "ok"})).await["value"], "true");
}
