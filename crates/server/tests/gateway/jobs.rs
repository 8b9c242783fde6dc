//! Requests of workers and their answers.

use crate::harness::{Asked, Fixture};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::command::*;
use tidemill_model::entity::{Job, JobEvent, JobKind, JobState, Lease, Origin};
use tidemill_model::*;
use tidemill_server::gateway::schema::answer_misfit;

fn activation() -> ActivateJobs {
    ActivateJobs {
        job_type: "pay".into(),
        worker: "w".into(),
        timeout_ms: 1000,
        jobs_max: 5,
        fetch_variables: vec!["a".into()],
        tenants: vec![TenantId::default()],
        with_lease: true,
    }
}

fn activation_body() -> Value {
    json!({
        "type": "pay", "worker": "w", "timeout": 1000, "maxJobsToActivate": 5, "fetchVariable": ["a"],
        "tenantIds": ["<default>"], "tenantFilter": "PROVIDED", "withLease": true,
    })
}

#[tokio::test]
async fn an_activation_takes_no_idempotency_key() {
    let fixture = Fixture::new();
    let request = axum::http::Request::post("/v2/jobs/activation")
        .header("content-type", "application/json")
        .header("idempotency-key", "k")
        .body(axum::body::Body::from(activation_body().to_string()))
        .expect("a request");
    let (title, detail) = fixture.send(request).await.problem(400);
    assert_eq!(title, "Bad Request");
    assert!(detail.contains("each activation hands out other jobs"), "{detail}");
    assert_eq!(fixture.asked(), []);
}

fn activated() -> ActivatedJob {
    let job = Job {
        key: JobKey(9),
        origin: Origin {
            instance: ProcessInstanceKey(1),
            root: ProcessInstanceKey(1),
            definition: DefinitionKey(2),
            tenant: TenantId::default(),
        },
        element_instance: ElementInstanceKey(3),
        element: ElementIndex(1),
        element_id: "task".into(),
        kind: JobKind::BpmnElement,
        job_type: "pay".into(),
        retries: 3,
        priority: 0,
        state: JobState::Waiting,
        last_event: JobEvent::Created,
        headers: None,
        lease: Some(Lease {
            key: LeaseKey(8),
            worker: "w".into(),
            deadline: Timestamp(5000),
            is_exclusive: true,
        }),
        released: None,
        last_held: None,
        error_code: None,
        error_message: None,
        has_failed_with_retries_left: false,
        business_id: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        ended_at: None,
    };
    let variables = RawJson::new("{\"a\":1.0}");
    ActivatedJob { job: Arc::new(job), process_id: "order".into(), version: 1, tags: Vec::new(), variables }
}

#[tokio::test]
async fn jobs_are_handed_out_in_their_shape() {
    let fixture = Fixture::new();
    fixture.broker.jobs.lock().expect("free").push(activated());
    let answered = fixture.post("/v2/jobs/activation", activation_body()).await;
    assert_eq!(answer_misfit("activateJobs", 200, &answered.json()), None);
    let job = &answered.json()["jobs"][0];
    assert_eq!(job["jobKey"], "9");
    assert_eq!(job["deadline"], 5000);
    assert_eq!(job["leaseToken"], "8");
    assert_eq!(job["jobLeaseToken"], "8");
    assert_eq!(job["customHeaders"], json!({}));
    assert!(answered.text.contains("\"variables\":{\"a\":1.0}"), "values keep their digits");
    assert_eq!(fixture.asked(), [Asked::Activate(activation(), Duration::from_secs(10))]);
}

#[tokio::test]
async fn the_long_poll_is_as_long_as_asked_for() {
    for (given, expected) in [(json!(0), 10_000), (json!(null), 10_000), (json!(300), 300), (json!(-1), 0)] {
        let fixture = Fixture::new();
        let mut body = activation_body();
        body["requestTimeout"] = given;
        assert_eq!(fixture.post("/v2/jobs/activation", body).await.json(), json!({"jobs": []}));
        assert_eq!(fixture.asked(), [Asked::Activate(activation(), Duration::from_millis(expected))]);
    }
}

#[tokio::test]
async fn an_activation_needs_type_timeout_and_number() {
    let fixture = Fixture::new();
    let refused = async |body: Value| fixture.post("/v2/jobs/activation", body).await.problem(400);
    let rule = |text: &str| ("INVALID_ARGUMENT".to_owned(), text.to_owned());
    assert_eq!(
        refused(json!({})).await,
        rule("No type provided. No timeout provided. No maxJobsToActivate provided.")
    );
    assert_eq!(
        refused(json!({"type": " ", "timeout": 0, "maxJobsToActivate": -1})).await,
        rule(
            "No type provided. The value for timeout is '0' but must be greater than 0. \
             The value for maxJobsToActivate is '-1' but must be greater than 0."
        )
    );
    let mut body = activation_body();
    body["tenantIds"] = json!(["acme"]);
    assert_eq!(
        refused(body).await,
        rule(
            "Expected to handle request Activate Jobs with tenant identifier 'acme', \
             but multi-tenancy is disabled"
        )
    );
    assert_eq!(
        refused(json!({"type": "a", "tenantFilter": "ALL"})).await,
        (
            "Bad Request".to_owned(),
            "Unexpected value 'ALL' for enum field 'tenantFilter'. \
             Use any of the following values: [PROVIDED, ASSIGNED]"
                .to_owned()
        )
    );
    assert_eq!(fixture.asked(), []);
}

#[tokio::test]
async fn results_of_work_become_commands() {
    let variables = Variables::parse("{\"a\":1}").expect("JSON");
    let (job, none) = (JobKey(9), Variables::default);
    for (path, body, expected) in [
        (
            "completion",
            json!({"variables": {"a": 1}, "jobLeaseToken": "8", "result": {"type": "userTask", "denied": false}}),
            Command::CompleteJob(CompleteJob {
                business_id: None,
                job,
                variables: variables.clone(),
                lease: Some(LeaseKey(8)),
            }),
        ),
        (
            "completion",
            json!({"businessId": "b-1"}),
            Command::CompleteJob(CompleteJob {
                job,
                variables: none(),
                lease: None,
                business_id: Some("b-1".into()),
            }),
        ),
        (
            "failure",
            json!({}),
            Command::FailJob(FailJob {
                job,
                retries: 0,
                backoff_ms: 0,
                error_message: None,
                variables: none(),
                lease: None,
            }),
        ),
        (
            "failure",
            json!({"retries": 2, "retryBackOff": 50, "errorMessage": "oh", "leaseToken": "nonsense"}),
            Command::FailJob(FailJob {
                job,
                retries: 2,
                backoff_ms: 50,
                error_message: Some("oh".into()),
                variables: none(),
                lease: Some(LeaseKey(0)),
            }),
        ),
        (
            "error",
            json!({"errorCode": "E", "errorMessage": null, "variables": {"a": 1}}),
            Command::ThrowJobError(ThrowJobError {
                job,
                error_code: "E".into(),
                error_message: None,
                variables: variables.clone(),
                lease: None,
            }),
        ),
    ] {
        let fixture = Fixture::new();
        let answered = fixture.post(&format!("/v2/jobs/9/{path}"), body).await;
        assert_eq!(answered.status, 204, "{}", answered.text);
        assert_eq!(fixture.executed(), expected);
    }
}

#[tokio::test]
async fn an_error_needs_its_code_and_a_result_its_shape() {
    let fixture = Fixture::new();
    let problem = fixture.post("/v2/jobs/9/error", json!({"errorMessage": "x"})).await.problem(400);
    assert_eq!(problem.1, "No errorCode provided.");
    let body = json!({"result": {"type": "userTask", "corrections": {"prio": 1}}});
    let problem = fixture.post("/v2/jobs/9/completion", body).await.problem(400);
    assert_eq!(problem.1, "Request property [result.corrections.prio] cannot be parsed");
    fixture.post("/v2/jobs/9/completion", json!({"businessId": "b".repeat(257)})).await.problem(400);
    assert_eq!(fixture.asked(), []);
}

#[tokio::test]
async fn an_update_changes_what_is_given() {
    let fixture = Fixture::new();
    let body = json!({"changeset": {"retries": 3, "timeout": null}}).to_string();
    assert_eq!(fixture.text("PATCH", "/v2/jobs/9", &body).await.status, 204);
    let update =
        UpdateJob { job: JobKey(9), retries: Some(3), timeout_ms: None, priority: None, lease: None };
    assert_eq!(fixture.executed(), Command::UpdateJob(update));
    for (changeset, text) in [
        ("{}", "At least one of [retries, timeout, priority] is required."),
        ("null", "At least one of [retries, timeout, priority] is required."),
    ] {
        let body = format!("{{\"changeset\": {changeset}}}");
        let problem = fixture.text("PATCH", "/v2/jobs/9", &body).await.problem(400);
        assert_eq!(problem, ("INVALID_ARGUMENT".to_owned(), text.to_owned()));
    }
}
