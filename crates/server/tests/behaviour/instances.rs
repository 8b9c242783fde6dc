//! Points 23 to 26: instances, their variables and their incidents.

use crate::models::{broken, calling, empty, one_job, waiting_for_signal};
use crate::world::{World, text};
use serde_json::{Value, json};

#[tokio::test]
async fn point_23_create_by_id_version_and_key() {
    let world = World::new().await;
    let first = world.deploy(&empty("order")).await;
    world.deploy(&one_job("order", "work")).await;
    let create = async |body: Value| world.post("/v2/process-instances", body).await;
    for (body, version) in [
        (json!({"processDefinitionId": "order"}), 2),
        (json!({"processDefinitionId": "order", "processDefinitionVersion": -1}), 2),
        (json!({"processDefinitionId": "order", "processDefinitionVersion": 1}), 1),
        (json!({"processDefinitionKey": first}), 1),
        (json!({"processDefinitionKey": first, "processDefinitionVersion": -1}), 1),
    ] {
        let created = create(body).await.ok();
        assert_eq!(created["processDefinitionVersion"], version);
        assert_eq!(created["processDefinitionId"], "order");
        assert_eq!(created["variables"], json!({}));
    }
    let reason = "Expected to find process definition with process ID 'nobody', but none found";
    create(json!({"processDefinitionId": "nobody"})).await.rejected(404, "CREATE", "NOT_FOUND", reason);
    let answered = create(json!({"processDefinitionId": "order", "processDefinitionVersion": 9})).await;
    assert_eq!(answered.problem(404)["title"], "NOT_FOUND");
    assert_eq!(create(json!({"processDefinitionKey": "12"})).await.problem(404)["title"], "NOT_FOUND");
}

#[tokio::test]
async fn point_23_creations_obey_their_rules() {
    let world = World::new().await;
    world.deploy(&empty("order")).await;
    let create = async |body: Value| world.post("/v2/process-instances", body).await;
    let problem = create(json!({"processDefinitionId": "1 order"})).await.problem(400);
    assert_eq!(problem["title"], "INVALID_ARGUMENT");
    let beginning = "The provided processDefinitionId contains illegal characters. ";
    assert!(text(&problem["detail"]).starts_with(beginning), "{problem}");
    let tag = format!("a{}", "b".repeat(99));
    let tags = json!(["a", "b_1", "c-2", "d:3", "e.4", tag, "g", "h", "i", "j"]);
    let body = json!({"processDefinitionId": "order", "tags": tags, "businessId": "b".repeat(256)});
    let created = create(body).await.ok();
    assert_eq!(created["tags"], tags);
    assert_eq!(created["businessId"], "b".repeat(256));
    for body in [
        json!({"processDefinitionId": "order", "tags": ["1a"]}),
        json!({"processDefinitionId": "order", "tags": ["a b"]}),
        json!({"processDefinitionId": "order", "tags": [format!("{tag}c")]}),
        json!({"processDefinitionId": "order", "tags": (0..11).map(|n| format!("t{n}")).collect::<Vec<_>>()}),
        json!({"processDefinitionId": "order", "businessId": "b".repeat(257)}),
    ] {
        assert_eq!(create(body).await.problem(400)["title"], "INVALID_ARGUMENT");
    }
    let message_start = waiting_for_signal("signalled").replace(
        r#"<startEvent id="start"/>"#,
        r#"<startEvent id="start"><signalEventDefinition signalRef="s"/></startEvent>"#,
    );
    world.deploy(&message_start).await;
    let reason = "Expected to create instance of process with none start event, but there is no such event";
    create(json!({"processDefinitionId": "signalled"})).await.rejected(
        409,
        "CREATE",
        "INVALID_STATE",
        reason,
    );
}

#[tokio::test]
async fn point_23_await_completion_gives_the_variables() {
    let world = World::new().await;
    world.deploy(&empty("order")).await;
    let variables = json!({"a": 1, "b": {"c": 2.50}, "d": null});
    let mut body = json!({
        "processDefinitionId": "order", "variables": variables, "awaitCompletion": true, "requestTimeout": 0,
    });
    let answered = world.post("/v2/process-instances", body.clone()).await.ok();
    assert_eq!(answered["variables"], variables);
    body["fetchVariables"] = json!(["a", "missing"]);
    assert_eq!(world.post("/v2/process-instances", body).await.ok()["variables"], json!({"a": 1}));
}

#[tokio::test]
async fn point_23_await_completion_waits_for_workers() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let body = json!({"processDefinitionId": "order", "variables": {"a": 1}, "awaitCompletion": true});
    let work = async {
        let body = json!({"type": "work", "timeout": 60_000, "maxJobsToActivate": 1});
        let job = world.post("/v2/jobs/activation", body).await.ok();
        let path = format!("/v2/jobs/{}/completion", text(&job["jobs"][0]["jobKey"]));
        world.post(&path, json!({"variables": {"b": 2}})).await.done();
    };
    let (ended, ()) = tokio::join!(world.post("/v2/process-instances", body), work);
    assert_eq!(ended.ok()["variables"], json!({"a": 1, "b": 2}));
}

#[tokio::test]
async fn point_23_await_completion_gives_up_in_time_and_tells_of_a_cancellation() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let mut body = json!({"processDefinitionId": "order", "awaitCompletion": true, "requestTimeout": 1_000});
    let problem = world.post("/v2/process-instances", body.clone()).await.problem(504);
    assert_eq!(problem["title"], "DEADLINE_EXCEEDED");
    let instance = world.one("process-instances", json!({})).await;
    assert_eq!(instance["state"], "ACTIVE", "the instance goes on");
    assert_eq!(problem["processInstanceKey"], instance["processInstanceKey"]);

    body["requestTimeout"] = json!(20_000);
    let cancel = async {
        let started = world.soon("process-instances", json!({"state": "ACTIVE"}), 2).await;
        let key = text(&started[1]["processInstanceKey"]);
        world.post_nothing(&format!("/v2/process-instances/{key}/cancellation")).await.done();
    };
    let (ended, ()) = tokio::join!(world.post("/v2/process-instances", body), cancel);
    assert_eq!(ended.problem(409)["title"], "INVALID_STATE");
}

#[tokio::test]
async fn a_server_that_stops_keeps_nobody_waiting() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let body = json!({"processDefinitionId": "order", "awaitCompletion": true, "requestTimeout": 50_000});
    let began = std::time::Instant::now();
    let stop = async {
        world.soon("process-instances", json!({"state": "ACTIVE"}), 1).await;
        world.node.end_waits().await;
    };
    let (answer, ()) = tokio::join!(world.post("/v2/process-instances", body), stop);
    let problem = answer.problem(504);
    assert_eq!(problem["title"], "DEADLINE_EXCEEDED");
    let instance = world.one("process-instances", json!({})).await;
    assert_eq!(problem["processInstanceKey"], instance["processInstanceKey"]);
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "the wait was cut short");
}

#[tokio::test]
async fn point_24_cancel_is_204_then_404_and_409_for_children() {
    let world = World::new().await;
    world.deploy(&one_job("child", "work")).await;
    world.deploy(&calling("parent", "child")).await;
    let parent = world.create("parent", json!({})).await;
    let child = world.one("process-instances", json!({"processDefinitionId": "child"})).await;
    let child = text(&child["processInstanceKey"]);
    let cancel = |key: &str| format!("/v2/process-instances/{key}/cancellation");
    let reason = format!(
        "Expected to cancel a process instance with key '{child}', but it is created by a parent process instance. \
         Cancel the root process instance '{parent}' instead."
    );
    world.post_nothing(&cancel(&child)).await.rejected(409, "CANCEL", "INVALID_STATE", &reason);
    world.post_nothing(&cancel(&parent)).await.done();
    let gone = |key: &str| {
        format!("Expected to cancel a process instance with key '{key}', but no such process was found")
    };
    world.post_nothing(&cancel(&parent)).await.rejected(404, "CANCEL", "NOT_FOUND", &gone(&parent));
    world.wait_for_state(&parent, "TERMINATED").await;
    world.wait_for_state(&child, "TERMINATED").await;
    world.deploy(&empty("order")).await;
    let finished = world.create("order", json!({})).await;
    world.post_nothing(&cancel(&finished)).await.rejected(404, "CANCEL", "NOT_FOUND", &gone(&finished));
}

#[tokio::test]
async fn point_24_history_is_deleted_after_the_end() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let instance = world.create("order", json!({"a": 1})).await;
    let delete = format!("/v2/process-instances/{instance}/deletion");
    let reason = format!(
        "Expected to delete history for process instance with key '{instance}', but it is still active."
    );
    world.post_nothing(&delete).await.rejected(409, "DELETE", "INVALID_STATE", &reason);
    world.post_nothing(&format!("/v2/process-instances/{instance}/cancellation")).await.done();
    world.post_nothing(&delete).await.done();
    assert_eq!(world.get(&format!("/v2/process-instances/{instance}")).await.status, 404);
    for what in ["variables", "element-instances", "jobs"] {
        assert_eq!(world.found(what, json!({})).await, Vec::<Value>::new(), "{what}");
    }
    let gone = world.post_nothing(&delete).await;
    assert_eq!(gone.status, 404);
    assert_eq!(gone.json()["detail"], format!("Process Instance with key '{instance}' not found"));
}

#[tokio::test]
async fn point_25_variables_are_set_in_living_scopes() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let instance = world.create("order", json!({"a": 1})).await;
    let element = world.one("element-instances", json!({"elementId": "work"})).await;
    let element = text(&element["elementInstanceKey"]);
    let set = async |scope: &str, body: Value| {
        world.text("PUT", &format!("/v2/element-instances/{scope}/variables"), &body.to_string()).await
    };
    set(&element, json!({"variables": {"a": 2, "b": 3}})).await.done();
    set(&element, json!({"variables": {"c": 4}, "local": true})).await.done();
    let scope = async |name: &str| {
        let variable = world.one("variables", json!({"name": name})).await;
        (text(&variable["scopeKey"]), text(&variable["value"]))
    };
    assert_eq!(scope("a").await, (instance.clone(), "2".to_owned()), "not local: up to where it is");
    assert_eq!(scope("b").await, (instance.clone(), "3".to_owned()), "not local: new ones at the top");
    assert_eq!(scope("c").await, (element.clone(), "4".to_owned()));
    for empty in [json!({"variables": {}}), json!({"variables": null}), json!({})] {
        set(&element, empty).await.refused(400, "INVALID_ARGUMENT", "No variables provided.");
    }
    world.post_nothing(&format!("/v2/process-instances/{instance}/cancellation")).await.done();
    for ended in [&element, &instance] {
        let reason = format!(
            "Expected to update variables for element with key '{ended}', but no such element was found"
        );
        let answered = set(ended, json!({"variables": {"a": 1}})).await;
        answered.rejected(404, "UPDATE", "NOT_FOUND", &reason);
    }
}

#[tokio::test]
async fn point_26_incidents_are_resolved_once() {
    let world = World::new().await;
    world.deploy(&broken("order")).await;
    let instance = world.create("order", json!({})).await;
    let incident = text(&world.one("incidents", json!({"state": "ACTIVE"})).await["incidentKey"]);
    let resolve = format!("/v2/incidents/{incident}/resolution");
    let body = json!({"variables": {"missing": "work"}}).to_string();
    world.text("PUT", &format!("/v2/element-instances/{instance}/variables"), &body).await.done();
    world.post_nothing(&resolve).await.done();
    let reason =
        format!("Expected to resolve incident with key '{incident}', but no such incident was found");
    world.post_nothing(&resolve).await.rejected(404, "RESOLVE", "NOT_FOUND", &reason);
    assert_eq!(world.get(&format!("/v2/incidents/{incident}")).await.ok()["state"], "RESOLVED");
    assert_eq!(world.activate("work").await.len(), 1);
}

#[tokio::test]
async fn point_26_jobs_get_retries_before_their_incident_is_resolved() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    world.create("order", json!({})).await;
    let job = text(&world.one("jobs", json!({})).await["jobKey"]);
    let update = async |changeset: Value| {
        let body = json!({"changeset": changeset}).to_string();
        world.text("PATCH", &format!("/v2/jobs/{job}"), &body).await
    };
    let needed = "At least one of [retries, timeout, priority] is required.";
    update(json!({})).await.refused(400, "INVALID_ARGUMENT", needed);
    update(json!({"retries": null})).await.refused(400, "INVALID_ARGUMENT", needed);
    let reason = format!(
        "Expected to update retries for job with key '{job}' with a positive amount of retries, but the amount given was \
         '0'"
    );
    update(json!({"retries": 0})).await.rejected(400, "UPDATE", "INVALID_ARGUMENT", &reason);
    let body = json!({"changeset": {"retries": 0}}).to_string();
    let unknown = world.text("PATCH", "/v2/jobs/2251799813699999", &body).await;
    assert_eq!(unknown.status, 404, "whether there is such a job counts first");
    let reason = format!("Expected to update the timeout of job with key '{job}', but it is not active");
    update(json!({"timeout": 1000})).await.rejected(400, "UPDATE", "INVALID_ARGUMENT", &reason);

    world.post(&format!("/v2/jobs/{job}/failure"), json!({"retries": 0, "errorMessage": "oh"})).await.done();
    let incident = world.one("incidents", json!({})).await;
    assert_eq!((&incident["errorType"], &incident["errorMessage"]), (&json!("JOB_NO_RETRIES"), &json!("oh")));
    let incident = text(&incident["incidentKey"]);
    let resolve = format!("/v2/incidents/{incident}/resolution");
    let reason = format!(
        "Expected to resolve incident with key '{incident}', but job with key '{job}' has no retries left. Please \
         update the job retries and retry resolving the incident"
    );
    world.post_nothing(&resolve).await.rejected(409, "RESOLVE", "INVALID_STATE", &reason);
    update(json!({"retries": 2, "priority": 7})).await.done();
    world.post_nothing(&resolve).await.done();
    let jobs = world.activate("work").await;
    assert_eq!((&jobs[0]["retries"], &jobs[0]["priority"]), (&json!(2), &json!(7)));
    update(json!({"timeout": 1000})).await.done();
}
