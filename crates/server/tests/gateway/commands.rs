//! Commands that are not waited for, repeated commands, and deployments.

use crate::harness::{Asked, Fixture, created};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use std::sync::Arc;
use tidemill_model::command::{CancelInstance, DeleteResource, Deploy, ResourceFile};
use tidemill_model::entity::{DefinitionState, ProcessDefinition};
use tidemill_model::*;
use tidemill_server::broker::CommandOutcome;
use tidemill_server::gateway::schema::answer_misfit;

fn cancel() -> Command {
    Command::CancelInstance(CancelInstance { instance: ProcessInstanceKey(5) })
}

#[tokio::test]
async fn nobody_can_wait_and_not_wait() {
    let fixture = Fixture::new();
    let request = Request::post("/v2/process-instances")
        .header("prefer", "respond-async")
        .header("content-type", "application/json")
        .body(Body::from(r#"{"processDefinitionId": "order", "awaitCompletion": true}"#))
        .expect("a request");
    let (_, detail) = fixture.send(request).await.problem(400);
    assert!(detail.contains("awaitCompletion") && detail.contains("respond-async"), "{detail}");
    assert!(fixture.asked().is_empty());
}

#[tokio::test]
async fn an_async_command_is_accepted_and_can_be_asked_for() {
    let fixture = Fixture::new();
    let request =
        Request::post("/v2/process-instances/5/cancellation").header("prefer", "wait=5, respond-async");
    let answered = fixture.send(request.body(Body::empty()).expect("a request")).await;
    assert_eq!(answered.status, 202);
    assert_eq!(answered.json(), json!({"commandPosition": "77", "timestamp": "1970-01-01T00:00:00.000Z"}));
    assert_eq!(answered.headers["location"], "/v1/commands/77");
    assert_eq!(answered.headers["preference-applied"], "respond-async");
    assert_eq!(fixture.asked(), [Asked::Enqueue(cancel())]);

    let told = |outcome| *fixture.broker.outcome.lock().expect("free") = Some(outcome);
    told(CommandOutcome::Waiting);
    assert_eq!(fixture.get("/v1/commands/77").await.json()["state"], "WAITING");
    told(CommandOutcome::Answered { answer: Answer::Created(created()), at: Timestamp(1) });
    let status = fixture.get("/v1/commands/77").await.json();
    assert_eq!((&status["state"], &status["result"]["processInstanceKey"]), (&json!("DONE"), &json!("11")));
    let rejection = Rejection::not_found("Expected a, but b");
    told(CommandOutcome::Refused { intent: "CANCEL".into(), rejection, at: Timestamp(1) });
    let status = fixture.get("/v1/commands/77").await.json();
    assert_eq!((&status["state"], &status["problem"]["status"]), (&json!("REJECTED"), &json!(404)));
    fixture.get("/v1/commands/78").await.problem(404);
    fixture.get("/v1/commands/x").await.problem(400);
}

#[tokio::test]
async fn an_idempotency_key_travels_with_a_print_of_the_request() {
    let fixture = Fixture::new();
    let send = |path: &'static str, key: &'static str, body: &'static str| {
        let request =
            Request::post(path).header("idempotency-key", key).header("content-type", "application/json");
        fixture.send(request.body(Body::from(body)).expect("a request"))
    };
    assert_eq!(send("/v2/jobs/5/completion", "k1", "{\"variables\": {\"a\": 1}}").await.status, 204);
    assert_eq!(send("/v2/jobs/5/completion", "k1", "{\"variables\":{\"a\":1}}").await.status, 204);
    assert_eq!(send("/v2/jobs/5/completion", "k1", "{\"variables\":{\"a\":2}}").await.status, 204);
    assert_eq!(send("/v2/jobs/6/completion", "k1", "{\"variables\":{\"a\":1}}").await.status, 204);
    let keys: Vec<_> = fixture
        .asked()
        .into_iter()
        .map(|asked| match asked {
            Asked::Execute(_, options) => options.idempotency.expect("a key"),
            other => panic!("not a command: {other:?}"),
        })
        .collect();
    assert!(keys.iter().all(|idempotency| idempotency.key == "k1"));
    assert_eq!(keys[0].fingerprint, keys[1].fingerprint, "white space is no difference");
    assert_ne!(keys[0].fingerprint, keys[2].fingerprint);
    assert_ne!(keys[0].fingerprint, keys[3].fingerprint);
    send("/v2/jobs/5/completion", "  ", "{}").await.problem(400);
}

fn multipart(parts: &[(&str, Option<&str>, &str)]) -> Request<Body> {
    let mut body = String::new();
    for (name, file, content) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body +=
            &format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n");
    }
    body += "--XX--\r\n";
    let request = Request::post("/v2/deployments").header("content-type", "multipart/form-data; boundary=XX");
    request.body(Body::from(body)).expect("a request")
}

fn deployed() -> Answer {
    let process = ProcessDefinition {
        key: DefinitionKey(5),
        tenant: TenantId::default(),
        process_id: "order".into(),
        version: 1,
        version_tag: None,
        name: None,
        resource_name: "order.bpmn".into(),
        checksum: "".into(),
        deployment: DeploymentKey(4),
        deployed_at: Timestamp(0),
        has_start_form: false,
        state: DefinitionState::Active,
    };
    Answer::Deployed(Deployment {
        key: DeploymentKey(4),
        tenant: TenantId::default(),
        resources: vec![DeployedResource::Process(Arc::new(process))],
    })
}

#[tokio::test]
async fn files_are_deployed_under_their_names() {
    let fixture = Fixture::new();
    fixture.tell(Ok(deployed()));
    let parts = [
        ("resources", Some("order.bpmn"), "<a/>"),
        ("tenantId", None, "<default>"),
        ("resources", Some("b.form"), "{}"),
    ];
    let answered = fixture.send(multipart(&parts)).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert_eq!(answer_misfit("createDeployment", 200, &answered.json()), None);
    let deployment = &answered.json()["deployments"][0];
    assert_eq!(deployment["processDefinition"]["processDefinitionKey"], "5");
    for member in ["decisionDefinition", "decisionRequirements", "form", "resource"] {
        assert!(deployment[member].is_null() && deployment.get(member).is_some(), "{member}");
    }
    let file =
        |name: &str, content: &str| ResourceFile { name: name.into(), content: content.as_bytes().into() };
    let files = vec![file("order.bpmn", "<a/>"), file("b.form", "{}")];
    assert_eq!(fixture.executed(), Command::Deploy(Deploy { tenant: TenantId::default(), files }));
}

#[tokio::test]
async fn a_refused_model_is_told_with_line_and_column() {
    let fixture = Fixture::new();
    fixture.tell(Err(Rejection::invalid_argument("Expected to deploy new resources, but ...").into()));
    let answered = fixture.send(multipart(&[("resources", Some("order.bpmn"), "<a>\n  <b></a>")])).await;
    let (title, detail) = answered.problem(400);
    assert_eq!(title, "INVALID_ARGUMENT");
    assert!(detail.starts_with("Command 'CREATE' rejected with code 'INVALID_ARGUMENT': Expected to deploy"));
    let finding = &answered.json()["findings"][0];
    assert_eq!((&finding["file"], &finding["line"]), (&json!("order.bpmn"), &json!(2)));
}

#[tokio::test]
async fn a_deployment_needs_files_and_multipart() {
    let fixture = Fixture::new();
    let expected = ("Bad Request".to_owned(), "Required part 'resources' is not present.".to_owned());
    assert_eq!(fixture.send(multipart(&[("tenantId", None, "<default>")])).await.problem(400), expected);
    fixture.post("/v2/deployments", json!({})).await.problem(415);
    let (title, detail) = fixture
        .send(multipart(&[("resources", Some("a.bpmn"), "x"), ("tenantId", None, "acme")]))
        .await
        .problem(400);
    assert_eq!(title, "INVALID_ARGUMENT");
    assert_eq!(
        detail,
        "Expected to handle request Deploy Resources with tenant identifier 'acme', but multi-tenancy is disabled"
    );
    assert_eq!(fixture.asked(), []);
}

#[tokio::test]
async fn a_deleted_resource_is_named_in_the_answer() {
    let fixture = Fixture::new();
    let answered = fixture.text("POST", "/v2/resources/5/deletion", "{\"deleteHistory\": false}").await;
    assert_eq!(answered.json(), json!({"resourceKey": "5", "batchOperation": null}));
    assert_eq!(fixture.executed(), Command::DeleteResource(DeleteResource { key: ResourceKey(5) }));
}

/// A client that asks to delete the history relies on it, so the resource stays if that cannot be done.
#[tokio::test]
async fn history_is_not_deleted_with_its_resource() {
    let fixture = Fixture::new();
    let answered = fixture.text("POST", "/v2/resources/5/deletion", "{\"deleteHistory\": true}").await;
    let (title, detail) = answered.problem(400);
    assert_eq!(title, "INVALID_ARGUMENT");
    assert!(detail.starts_with("deleteHistory is not offered"), "{detail}");
    assert_eq!(fixture.asked(), []);
}
