//! Points 27 and 28: what workers get and what they report.

use crate::models::{END, START, catching_error, model, one_job};
use crate::world::{World, text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn point_27_an_activation_obeys_its_rules() {
    let world = World::new().await;
    for (body, detail) in [
        (json!({}), "No type provided. No timeout provided. No maxJobsToActivate provided."),
        (json!({"type": " ", "timeout": 1, "maxJobsToActivate": 1}), "No type provided."),
        (json!({"type": "a", "maxJobsToActivate": 1}), "No timeout provided."),
        (
            json!({"type": "a", "timeout": 1, "maxJobsToActivate": 0}),
            "The value for maxJobsToActivate is '0' but must be greater than 0.",
        ),
    ] {
        world.post("/v2/jobs/activation", body).await.refused(400, "INVALID_ARGUMENT", detail);
    }
}

#[tokio::test]
async fn point_27_the_long_poll_ends_empty_or_with_the_first_jobs() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let poll = async |wait: i64| {
        let began = Instant::now();
        let body = json!({"type": "work", "timeout": 60_000, "maxJobsToActivate": 9, "requestTimeout": wait});
        (world.post("/v2/jobs/activation", body).await.ok(), began.elapsed())
    };
    assert_eq!(poll(-1).await.0, json!({"jobs": []}));
    let (none, waited) = poll(200).await;
    assert_eq!(none, json!({"jobs": []}));
    assert!(waited >= Duration::from_millis(200), "{waited:?}");
    let create = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        world.create("order", json!({})).await
    };
    let ((jobs, waited), _) = tokio::join!(poll(0), create);
    assert_eq!(jobs["jobs"].as_array().map(Vec::len), Some(1), "fewer than asked for come at once");
    assert!(waited < Duration::from_secs(10), "{waited:?}");
}

#[tokio::test]
async fn point_27_higher_priority_comes_first_and_deadlines_have_two_forms() {
    let world = World::new().await;
    let task = r#"<serviceTask id="work"><extensionElements><zeebe:taskDefinition type="work"/><zeebe:jobPriorityDefinition priority="=p"/></extensionElements></serviceTask>"#;
    world.deploy(&model("order", &[START, task, END], "", "")).await;
    for priority in [1, 50, 7] {
        world.create("order", json!({"p": priority})).await;
    }
    world.pin_clock(1_767_225_600_000).await;
    let jobs = world.activate("work").await;
    assert_eq!(
        jobs.iter().map(|job| job["priority"].as_i64()).collect::<Vec<_>>(),
        [Some(50), Some(7), Some(1)]
    );
    assert_eq!(jobs[0]["deadline"], 1_767_225_660_000_i64);
    assert_eq!(jobs[0]["worker"], "");
    let held = world.one("jobs", json!({"jobKey": jobs[0]["jobKey"]})).await;
    assert_eq!(held["deadline"], "2026-01-01T00:01:00.000Z");
    assert_eq!(held["state"], "CREATED");
}

/// A fresh job of `order`, which catches the error `E`.
async fn new_job(world: &World) -> String {
    let instance = world.create("order", json!({})).await;
    text(&world.one("jobs", json!({"processInstanceKey": instance})).await["jobKey"])
}

#[tokio::test]
async fn point_28_a_job_that_is_gone_is_not_found() {
    let world = World::new().await;
    world.deploy(&catching_error("order", "work")).await;
    let (completed, caught, cancelled) =
        (new_job(&world).await, new_job(&world).await, new_job(&world).await);
    // None of them was activated before.
    world.post(&format!("/v2/jobs/{completed}/completion"), json!({"variables": {"a": 1}})).await.done();
    world.post(&format!("/v2/jobs/{caught}/error"), json!({"errorCode": "E"})).await.done();
    let job = world.one("jobs", json!({"jobKey": cancelled})).await;
    let instance = text(&job["processInstanceKey"]);
    world.post_nothing(&format!("/v2/process-instances/{instance}/cancellation")).await.done();
    for job in [completed, caught, cancelled] {
        for (report, verb, intent) in [
            ("completion", "complete", "COMPLETE"),
            ("failure", "fail", "FAIL"),
            ("error", "throw an error for", "THROW_ERROR"),
        ] {
            let body = if report == "error" { json!({"errorCode": "E"}) } else { json!({}) };
            let reason = format!("Expected to {verb} job with key '{job}', but no such job was found");
            let answered = world.post(&format!("/v2/jobs/{job}/{report}"), body).await;
            answered.rejected(404, intent, "NOT_FOUND", &reason);
        }
    }
}

#[tokio::test]
async fn point_28_a_job_that_waits_for_help_is_in_another_state() {
    let world = World::new().await;
    world.deploy(&catching_error("order", "work")).await;
    let (failed, backing_off, uncaught) =
        (new_job(&world).await, new_job(&world).await, new_job(&world).await);
    world.post_nothing(&format!("/v2/jobs/{failed}/failure")).await.done();
    let body = json!({"retries": 2, "retryBackOff": 60_000});
    world.post(&format!("/v2/jobs/{backing_off}/failure"), body).await.done();
    let path = format!("/v2/jobs/{uncaught}/error");
    world.post(&path, json!({})).await.refused(400, "INVALID_ARGUMENT", "No errorCode provided.");
    world.post(&path, json!({"errorCode": "other"})).await.done();
    let state = |job: &str, state: &str| {
        format!("Expected to complete job with key '{job}', but it is in state '{state}'")
    };
    for (job, name) in [(&failed, "FAILED"), (&backing_off, "FAILED"), (&uncaught, "ERROR_THROWN")] {
        let answered = world.post_nothing(&format!("/v2/jobs/{job}/completion")).await;
        answered.rejected(409, "COMPLETE", "INVALID_STATE", &state(job, name));
    }
    let mut kinds: Vec<_> =
        world.found("incidents", json!({})).await.iter().map(|i| text(&i["errorType"])).collect();
    kinds.sort();
    assert_eq!(kinds, ["JOB_NO_RETRIES", "UNHANDLED_ERROR_EVENT"]);
    let job = world.one("jobs", json!({"jobKey": failed})).await;
    assert_eq!((&job["retries"], &job["state"]), (&json!(0), &json!("FAILED")));
    assert_eq!(world.activate("work").await, Vec::<Value>::new(), "nobody gets them");
}

#[tokio::test]
async fn point_28_a_failed_job_comes_back_at_once_or_after_its_back_off() {
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    world.pin_clock(1_767_225_600_000).await;
    let job = new_job(&world).await;
    let fail = async |body: Value| world.post(&format!("/v2/jobs/{job}/failure"), body).await.done();
    fail(json!({"retries": 2, "errorMessage": "oh", "variables": {"tried": 1}})).await;
    let jobs = world.activate("work").await;
    assert_eq!((&jobs[0]["retries"], &jobs[0]["variables"]), (&json!(2), &json!({"tried": 1})));
    fail(json!({"retries": 1, "retryBackOff": 5000})).await;
    assert_eq!(world.activate("work").await.len(), 0);
    world.pin_clock(1_767_225_604_999).await;
    assert_eq!(world.activate("work").await.len(), 0);
    world.pin_clock(1_767_225_605_000).await;
    assert_eq!(world.activate("work").await.len(), 1);
}
