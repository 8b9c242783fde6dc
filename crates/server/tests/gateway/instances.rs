//! Starting instances, setting their variables, and everything else that is done to them.

use crate::harness::{Asked, Fixture, created};
use serde_json::{Value, json};
use std::time::Duration;
use tidemill_model::command::{
    AssignBusinessId, CreateInstance, DefinitionRef, DeleteInstance, SetVariables, StartInstruction,
};
use tidemill_model::*;
use tidemill_server::broker::CommandError;
use tidemill_server::gateway::schema::answer_misfit;

fn plain(definition: DefinitionRef) -> CreateInstance {
    CreateInstance {
        definition,
        tenant: TenantId::default(),
        variables: Variables::default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }
}

async fn create(body: Value) -> CreateInstance {
    let fixture = Fixture::new();
    fixture.tell(Ok(Answer::Created(created())));
    let answered = fixture.post("/v2/process-instances", body).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    assert_eq!(answer_misfit("createProcessInstance", 200, &answered.json()), None);
    assert_eq!(answered.json()["variables"], json!({}));
    match fixture.executed() {
        Command::CreateInstance(create) => *create,
        other => panic!("not a create: {other:?}"),
    }
}

async fn refused(body: Value) -> (String, String) {
    let fixture = Fixture::new();
    let problem = fixture.post("/v2/process-instances", body).await.problem(400);
    assert_eq!(fixture.asked(), []);
    problem
}

#[tokio::test]
async fn a_definition_is_named_by_id_version_or_key() {
    let by = |body| async { create(body).await.definition };
    assert_eq!(by(json!({"processDefinitionId": "order"})).await, DefinitionRef::Latest("order".into()));
    let body =
        json!({"processDefinitionId": "order", "processDefinitionVersion": -1, "tenantId": "<default>"});
    assert_eq!(by(body).await, DefinitionRef::Latest("order".into()));
    let body = json!({"processDefinitionId": "order", "processDefinitionVersion": 2});
    assert_eq!(by(body).await, DefinitionRef::Version("order".into(), 2));
    let body = json!({"processDefinitionKey": "5", "processDefinitionId": null});
    assert_eq!(by(body).await, DefinitionRef::Key(DefinitionKey(5)));
}

#[tokio::test]
async fn everything_of_the_schema_arrives() {
    let body = json!({
        "processDefinitionId": "order",
        "variables": {"a": 1.50, "b": {"c": [null]}},
        "startInstructions": [{"elementId": "s"}],
        "runtimeInstructions": [{"type": "TERMINATE_PROCESS_INSTANCE", "afterElementId": "e"}],
        "operationReference": 3,
        "fetchVariables": ["a"],
        "requestTimeout": 5,
        "awaitCompletion": false,
        "tags": ["a:b", "c.d-e_1"],
        "businessId": "b-1",
    });
    let text = body.to_string().replace("1.5,", "1.50,");
    let fixture = Fixture::new();
    fixture.tell(Ok(Answer::Created(created())));
    assert_eq!(fixture.text("POST", "/v2/process-instances", &text).await.status, 200);
    let expected = CreateInstance {
        variables: Variables::parse("{\"a\":1.50,\"b\":{\"c\":[null]}}").expect("JSON"),
        start: vec![StartInstruction { element_id: "s".into() }],
        terminate_after: vec!["e".into()],
        tags: vec!["a:b".into(), "c.d-e_1".into()],
        business_id: Some("b-1".into()),
        ..plain(DefinitionRef::Latest("order".into()))
    };
    assert_eq!(fixture.executed(), Command::CreateInstance(Box::new(expected)));
}

#[tokio::test]
async fn one_definition_and_one_only() {
    let reading = |text: &str| ("Bad Request".to_owned(), text.to_owned());
    assert_eq!(
        refused(json!({"variables": {}})).await,
        reading("At least one of [processDefinitionId, processDefinitionKey] is required")
    );
    assert_eq!(
        refused(json!({"processDefinitionId": "a", "processDefinitionKey": "5"})).await,
        reading("Only one of [processDefinitionId, processDefinitionKey] is allowed")
    );
}

#[tokio::test]
async fn broken_rules_are_told_together() {
    let rule = |text: &str| ("INVALID_ARGUMENT".to_owned(), text.to_owned());
    assert_eq!(
        refused(json!({"processDefinitionKey": "order", "operationReference": 0})).await,
        rule(
            "The provided processDefinitionKey 'order' is not a valid key. Expected a numeric value. \
             Did you pass an entity id instead of an entity key?. \
             The value for operationReference is '0' but must be > 0."
        )
    );
    let (title, detail) = refused(json!({"processDefinitionId": "a b"})).await;
    assert_eq!(title, "INVALID_ARGUMENT");
    assert!(detail.starts_with("The provided processDefinitionId contains illegal characters. "), "{detail}");
    assert_eq!(
        refused(json!({"processDefinitionId": "a", "businessId": "x".repeat(257)})).await,
        rule("The provided businessId exceeds the limit of 256 characters.")
    );
    assert_eq!(
        refused(json!({"processDefinitionId": "a", "tenantId": "acme"})).await,
        rule(
            "Expected to handle request Create Process Instance with tenant identifier 'acme', \
             but multi-tenancy is disabled"
        )
    );
    for tags in [json!(["1a"]), json!(["a b"]), json!([""]), json!(["x".repeat(101)]), json!(["a", "\u{fc}"])]
    {
        let (title, _) = refused(json!({"processDefinitionId": "a", "tags": tags})).await;
        assert_eq!(title, "INVALID_ARGUMENT", "{tags}");
    }
    let (title, detail) = refused(json!({"processDefinitionId": "a", "variables": {"a\u{0}b": 1}})).await;
    assert_eq!(
        (title.as_str(), detail.as_str()),
        ("INVALID_ARGUMENT", "The provided variables contains a NUL character.")
    );
}

#[tokio::test]
async fn the_end_of_an_instance_can_be_awaited() {
    for (timeout, expected) in
        [(json!(null), 15_000), (json!(0), 15_000), (json!(-1), 15_000), (json!(200), 200)]
    {
        let fixture = Fixture::new();
        fixture.tell(Ok(Answer::Created(created())));
        let body =
            json!({"processDefinitionId": "order", "awaitCompletion": true, "requestTimeout": timeout});
        let answered = fixture.post("/v2/process-instances", body).await;
        assert_eq!(answer_misfit("createProcessInstance", 200, &answered.json()), None);
        let create = plain(DefinitionRef::Latest("order".into()));
        assert_eq!(fixture.asked(), [Asked::Await(create, Duration::from_millis(expected))]);
    }
    let fixture = Fixture::new();
    fixture.tell(Err(CommandError::TimedOut));
    let body = json!({"processDefinitionId": "order", "awaitCompletion": true});
    assert_eq!(fixture.post("/v2/process-instances", body).await.problem(504).0, "DEADLINE_EXCEEDED");
}

#[tokio::test]
async fn variables_are_set_in_a_scope() {
    let fixture = Fixture::new();
    let path = "/v2/element-instances/5/variables";
    assert_eq!(fixture.text("PUT", path, "{\"variables\": {\"a\": 1}}").await.status, 204);
    let variables = Variables::parse("{\"a\":1}").expect("JSON");
    let set = SetVariables { scope: ElementInstanceKey(5), variables, is_local: false };
    assert_eq!(fixture.executed(), Command::SetVariables(set));
    for body in ["{\"variables\": {}}", "{}", "{\"variables\": null}"] {
        let problem = fixture.text("PUT", path, body).await.problem(400);
        assert_eq!(problem, ("INVALID_ARGUMENT".to_owned(), "No variables provided.".to_owned()));
    }
    let problem = fixture.text("PUT", path, "{\"variables\": [1]}").await.problem(400);
    assert_eq!(problem.1, "Request property [variables] cannot be parsed");
}

#[tokio::test]
async fn history_is_deleted_by_a_command() {
    let fixture = Fixture::new();
    assert_eq!(fixture.text("POST", "/v2/process-instances/5/deletion", "").await.status, 204);
    let delete = DeleteInstance { instance: ProcessInstanceKey(5) };
    assert_eq!(fixture.executed(), Command::DeleteInstance(delete));
    fixture.tell(Err(Rejection::invalid_state("Expected to delete ..., but it is active").into()));
    fixture.text("POST", "/v2/process-instances/5/deletion", "").await.problem(409);
}

#[tokio::test]
async fn a_business_id_is_assigned() {
    let fixture = Fixture::new();
    let path = "/v2/process-instances/9/business-id-assignment";
    assert_eq!(fixture.post(path, json!({"businessId": "b-1"})).await.status, 204);
    let expected = AssignBusinessId { instance: ProcessInstanceKey(9), business_id: "b-1".into() };
    assert_eq!(fixture.executed(), Command::AssignBusinessId(expected));
    for body in [json!({}), json!({"businessId": ""}), json!({"businessId": "b".repeat(257)})] {
        fixture.post(path, body).await.problem(400);
    }
}
