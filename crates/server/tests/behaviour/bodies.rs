//! Points 8 to 11: what bodies may leave out, and how values look.

use crate::models::{END, START, broken, model, one_job, one_user_task, service};
use crate::world::{World, text};
use serde_json::{Value, json};

const SEARCHES: &[&str] = &[
    "process-definitions",
    "process-instances",
    "element-instances",
    "jobs",
    "user-tasks",
    "variables",
    "incidents",
    "message-subscriptions",
    "correlated-message-subscriptions",
    "resources",
];

#[tokio::test]
async fn point_8_bodies_may_be_missing_where_nothing_must_be_said() {
    for body in ["", "{}"] {
        let world = World::new().await;
        for what in SEARCHES {
            world.text("POST", &format!("/v2/{what}/search"), body).await.ok();
        }
        let post = async |path: String| world.text("POST", &path, body).await;
        world.deploy(&one_job("order", "work")).await;
        let instance = world.create("order", json!({})).await;
        world.create("order", json!({})).await;
        let jobs = world.activate("work").await;
        post(format!("/v2/jobs/{}/completion", text(&jobs[0]["jobKey"]))).await.done();
        post(format!("/v2/process-instances/{instance}/deletion")).await.done();
        post(format!("/v2/jobs/{}/failure", text(&jobs[1]["jobKey"]))).await.done();
        let incident = world.one("incidents", json!({})).await;
        let cancelled = text(&incident["processInstanceKey"]);
        post(format!("/v2/process-instances/{cancelled}/cancellation")).await.done();

        world.deploy(&one_user_task("review")).await;
        world.create("review", json!({})).await;
        let task = world.one("user-tasks", json!({})).await;
        post(format!("/v2/user-tasks/{}/completion", text(&task["userTaskKey"]))).await.done();

        let definition = world.deploy(&broken("broken")).await;
        let instance = world.create("broken", json!({})).await;
        let set = format!("/v2/element-instances/{instance}/variables");
        world.text("PUT", &set, &json!({"variables": {"missing": "work"}}).to_string()).await.done();
        let incident = world.one("incidents", json!({"processInstanceKey": instance})).await;
        post(format!("/v2/incidents/{}/resolution", text(&incident["incidentKey"]))).await.done();
        post(format!("/v2/resources/{definition}/deletion")).await.ok();
    }
}

#[tokio::test]
async fn point_8_bodies_may_not_be_missing_elsewhere() {
    let world = World::new().await;
    for (method, path) in [
        ("POST", "/v2/process-instances"),
        ("POST", "/v2/jobs/activation"),
        ("POST", "/v2/user-tasks/5/assignment"),
        ("POST", "/v2/jobs/5/error"),
        ("POST", "/v2/messages/correlation"),
        ("POST", "/v2/messages/publication"),
        ("POST", "/v2/signals/broadcast"),
        ("PUT", "/v2/element-instances/5/variables"),
    ] {
        let json = [("content-type", "application/json")];
        let answered = world.with_headers(method, path, "", &json).await;
        answered.refused(400, "Bad Request", "Required request body is missing");
        assert_eq!(world.text(method, path, "").await.status, 415, "{path}");
    }
}

#[tokio::test]
async fn point_9_keys_are_strings_dates_have_milliseconds_and_empty_ids_are_null() {
    let world = World::new().await;
    let versioned = model("order", &[START, &service("work", "work"), END], "", "").replacen(
        "<startEvent",
        r#"<extensionElements><zeebe:versionTag value=""/></extensionElements><startEvent"#,
        1,
    );
    let definition = world.deploy(&versioned).await;
    let shown = world.get(&format!("/v2/process-definitions/{definition}")).await.ok();
    assert_eq!(shown["versionTag"], Value::Null);
    let body = json!({"processDefinitionId": "order", "businessId": ""});
    let created = world.post("/v2/process-instances", body).await.ok();
    assert_eq!(created["businessId"], Value::Null);
    assert_eq!(created["tags"], json!([]));
    assert_eq!(created["variables"], json!({}));
    let key = text(&created["processInstanceKey"]);
    let instance = world.get(&format!("/v2/process-instances/{key}")).await.ok();
    assert_eq!(instance["businessId"], Value::Null);
    assert_eq!(instance["endDate"], Value::Null);
    assert_date(&instance["startDate"]);
    let job = world.one("jobs", json!({"processInstanceKey": key})).await;
    assert_eq!(job["customHeaders"], json!({}));
    assert_date(&job["creationTime"]);

    world.pin_clock(1_767_225_600_000).await;
    let pinned = world.create("order", json!({})).await;
    let instance = world.get(&format!("/v2/process-instances/{pinned}")).await.ok();
    assert_eq!(instance["startDate"], "2026-01-01T00:00:00.000Z");

    let body = json!({"operationReference": 0});
    let answered = world.post(&format!("/v2/process-instances/{key}/cancellation"), body).await;
    let detail = "The value for operationReference is '0' but must be > 0.";
    answered.refused(400, "INVALID_ARGUMENT", detail);
    let body = json!({"operationReference": 1});
    world.post(&format!("/v2/process-instances/{key}/cancellation"), body).await.done();
}

/// `2026-01-01T00:00:00.000Z`
#[track_caller]
fn assert_date(date: &Value) {
    let date = text(date);
    let shape: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{date}");
}

#[tokio::test]
async fn point_10_other_tenants_are_refused_while_tenants_are_off() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let detail = |name: &str| {
        format!(
            "Expected to handle request {name} with tenant identifier 'acme', but multi-tenancy is disabled"
        )
    };
    for (name, path, body, tenant) in [
        ("Create Process Instance", "process-instances", json!({"processDefinitionId": "order"}), "tenantId"),
        ("Publish Message", "messages/publication", json!({"name": "a"}), "tenantId"),
        ("Correlate Message", "messages/correlation", json!({"name": "a"}), "tenantId"),
        ("Broadcast Signal", "signals/broadcast", json!({"signalName": "a"}), "tenantId"),
        (
            "Activate Jobs",
            "jobs/activation",
            json!({"type": "a", "timeout": 1, "maxJobsToActivate": 1, "requestTimeout": -1}),
            "tenantIds",
        ),
    ] {
        let with = async |id: &str| {
            let mut body = body.clone();
            body[tenant] = if tenant == "tenantIds" { json!([id]) } else { json!(id) };
            world.post(&format!("/v2/{path}"), body).await
        };
        with("acme").await.refused(400, "INVALID_ARGUMENT", &detail(name));
        for known in ["", " ", "<default>"] {
            let answered = with(known).await;
            let expected = if name == "Correlate Message" { 404 } else { 200 };
            assert_eq!(answered.status, expected, "{name} {known:?}: {}", answered.text);
            if expected == 200 && tenant == "tenantId" {
                assert_eq!(answered.json()["tenantId"], "<default>");
            }
        }
    }
    let file = one_job("order", "work");
    let parts = [("resources", Some("process.bpmn"), file.as_str()), ("tenantId", None, "acme")];
    world.upload(&parts).await.refused(400, "INVALID_ARGUMENT", &detail("Deploy Resources"));
    let parts = [("resources", Some("process.bpmn"), file.as_str()), ("tenantId", None, "<default>")];
    assert_eq!(world.upload(&parts).await.ok()["tenantId"], "<default>");
}

#[tokio::test]
async fn point_11_the_lease_token_has_two_names() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    world.create("order", json!({})).await;
    world.create("order", json!({})).await;
    let body = json!({
        "type": "work", "timeout": 60_000, "maxJobsToActivate": 5, "requestTimeout": -1, "withLease": true,
    });
    let answered = world.post("/v2/jobs/activation", body).await.ok();
    let jobs = answered["jobs"].as_array().expect("a list");
    for (job, name) in jobs.iter().zip(["leaseToken", "jobLeaseToken"]) {
        assert_eq!(job["leaseToken"], job["jobLeaseToken"]);
        let (key, token) = (text(&job["jobKey"]), text(&job["leaseToken"]));
        let path = format!("/v2/jobs/{key}/completion");
        for (wrong, why) in [
            (json!({}), "a matching lease token must be provided because the job is currently leased"),
            (
                json!({name: "12"}),
                "the supplied lease token does not match. The job may have been re-activated by another worker.",
            ),
        ] {
            let reason = format!("Expected to process job with key '{key}', but {why}");
            world.post(&path, wrong).await.rejected(409, "COMPLETE", "INVALID_STATE", &reason);
        }
        world.post(&path, json!({name: token})).await.done();
    }
    assert_eq!(jobs.len(), 2);
}
