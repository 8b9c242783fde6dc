//! Points 1 to 7: how requests are refused.

use crate::models::{empty, one_job};
use crate::world::World;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tidemill_server::gateway::GatewayConfig;

const NOBODY: &str = "2251799813695000";

#[tokio::test]
async fn point_1_what_cannot_be_read_and_what_breaks_a_rule_have_other_titles() {
    let world = World::new().await;
    let create = |body| world.post("/v2/process-instances", body);
    create(json!({"processDefinitionId": 5})).await.refused(
        400,
        "Bad Request",
        "Request property [processDefinitionId] cannot be parsed",
    );
    create(json!({"processDefinitionKey": "order", "operationReference": 0, "tags": ["1"]})).await.refused(
        400,
        "INVALID_ARGUMENT",
        "The provided processDefinitionKey 'order' is not a valid key. Expected a numeric value. Did you pass an \
         entity id instead of an entity key?. The value for operationReference is '0' but must be > 0. The \
         provided tag '1' is not valid. Tags must start with a letter (a-z, A-Z), followed by alphanumerics, \
         underscores, minuses, colons, or periods. It must not be blank and must be 100 characters or less.",
    );
    let assignment = format!("/v2/user-tasks/{NOBODY}/assignment");
    world.post(&assignment, json!({})).await.refused(400, "INVALID_ARGUMENT", "No assignee provided");
    world.post("/v2/expression/evaluation", json!({})).await.refused(
        400,
        "INVALID_ARGUMENT",
        "No expression provided",
    );
}

#[tokio::test]
async fn point_2_reading_errors_name_the_place() {
    let world = World::new().await;
    let unreadable = |path: &str| format!("Request property [{path}] cannot be parsed");
    let search = "/v2/process-instances/search";
    for (path, body, detail) in [
        ("/v2/process-instances", json!({"processDefinitionID": "a"}), unreadable("processDefinitionID")),
        (search, json!({"filters": {}}), unreadable("filters")),
        (search, json!({"filter": {"processInstance": "1"}}), unreadable("filter.processInstance")),
        (search, json!({"filter": {"state": {"$regex": "A"}}}), unreadable("filter.state.$regex")),
        (search, json!({"filter": {"processInstanceKey": 1}}), unreadable("filter.processInstanceKey")),
        (search, json!({"filter": {"processDefinitionId": true}}), unreadable("filter.processDefinitionId")),
        (search, json!({"filter": {"hasIncident": "true"}}), unreadable("filter.hasIncident")),
        (search, json!({"page": {"limit": "5"}}), unreadable("page.limit")),
        (search, json!([]), unreadable("")),
        ("/v2/jobs/1/completion", json!({"retries": 1}), unreadable("retries")),
        ("/v2/jobs/1/failure", json!({"retries": "1"}), unreadable("retries")),
        ("/v2/messages/publication", json!({"name": "a", "correlationKey": 5}), unreadable("correlationKey")),
        (
            "/v2/process-instances",
            json!({"processDefinitionId": "a", "variables": []}),
            unreadable("variables"),
        ),
        (
            search,
            json!({"filter": {"state": "RUNNING"}}),
            "Unexpected value 'RUNNING' for enum field 'state'. \
             Use any of the following values: [ACTIVE, COMPLETED, SUSPENDED, TERMINATED]"
                .to_owned(),
        ),
        (
            "/v2/process-instances",
            json!({}),
            "At least one of [processDefinitionId, processDefinitionKey] is required".to_owned(),
        ),
        (
            "/v2/process-instances",
            json!({"processDefinitionId": null}),
            "At least one of [processDefinitionId, processDefinitionKey] is required".to_owned(),
        ),
        (
            "/v2/process-instances",
            json!({"processDefinitionId": "a", "processDefinitionKey": "1"}),
            "Only one of [processDefinitionId, processDefinitionKey] is allowed".to_owned(),
        ),
        (search, json!({"page": {}}), "At least one of [from, after, before, limit] is required.".to_owned()),
        (
            search,
            json!({"page": {"from": null}}),
            "At least one of [from, after, before, limit] is required.".to_owned(),
        ),
        (
            search,
            json!({"page": {"from": 1, "after": "a"}}),
            "Only one of [from, after, before] is allowed.".to_owned(),
        ),
    ] {
        world.post(path, body).await.refused(400, "Bad Request", &detail);
    }
}

#[tokio::test]
async fn point_2_paths_queries_and_parts_are_read_strictly() {
    let world = World::new().await;
    world.get("/v2/process-instances/order").await.refused(
        400,
        "Bad Request",
        "Failed to convert 'processInstanceKey' with value: 'order'",
    );
    world.post_nothing("/v2/jobs/order/completion").await.refused(
        400,
        "Bad Request",
        "Failed to convert 'jobKey' with value: 'order'",
    );
    world.post("/v2/variables/search?truncateValues=perhaps", json!({})).await.refused(
        400,
        "Bad Request",
        "Failed to convert 'truncateValues' with value: 'perhaps'",
    );
    world.upload(&[("tenantId", None, "<default>")]).await.refused(
        400,
        "Bad Request",
        "Required part 'resources' is not present.",
    );
    let json = [("content-type", "application/json")];
    world.with_headers("POST", "/v2/process-instances", "", &json).await.refused(
        400,
        "Bad Request",
        "Required request body is missing",
    );
}

#[tokio::test]
async fn point_3_rules_have_their_texts() {
    let world = World::new().await;
    let long = "x".repeat(257);
    for (path, body, detail) in [
        ("/v2/messages/publication", json!({}), "No name provided.".to_owned()),
        (
            "/v2/jobs/activation",
            json!({"type": "a", "timeout": 0, "maxJobsToActivate": 1}),
            "The value for timeout is '0' but must be greater than 0.".to_owned(),
        ),
        (
            "/v2/process-instances/search",
            json!({"filter": {"processInstanceKey": {"$in": ["order"]}}}),
            "The provided processInstanceKey 'order' is not a valid key. Expected a numeric value. \
             Did you pass an entity id instead of an entity key?."
                .to_owned(),
        ),
        (
            "/v2/process-instances/search",
            json!({"filter": {"startDate": {"$gt": "yesterday"}}}),
            "The provided startDate 'yesterday' cannot be parsed as a date according to RFC 3339, section 5.6."
                .to_owned(),
        ),
        (
            "/v2/process-instances",
            json!({"processDefinitionId": "a", "businessId": long}),
            "The provided businessId exceeds the limit of 256 characters.".to_owned(),
        ),
    ] {
        world.post(path, body).await.refused(400, "INVALID_ARGUMENT", &detail);
    }
}

#[tokio::test]
async fn point_4_refusals_of_the_engine_name_intent_code_and_reason() {
    let world = World::new().await;
    let no = |verb: &str, thing: &str| {
        format!("Expected to {verb} {thing} with key '{NOBODY}', but no such {thing} was found")
    };
    for (method, path, body, intent, reason) in [
        ("POST", "jobs/#/completion", json!({}), "COMPLETE", no("complete", "job")),
        ("POST", "jobs/#/failure", json!({}), "FAIL", no("fail", "job")),
        ("POST", "jobs/#/error", json!({"errorCode": "E"}), "THROW_ERROR", no("throw an error for", "job")),
        ("PATCH", "jobs/#", json!({"changeset": {"retries": 1}}), "UPDATE", no("update", "job")),
        ("POST", "user-tasks/#/completion", json!({}), "COMPLETE", no("complete", "user task")),
        ("POST", "user-tasks/#/assignment", json!({"assignee": "a"}), "ASSIGN", no("assign", "user task")),
        ("DELETE", "user-tasks/#/assignee", json!(null), "ASSIGN", no("assign", "user task")),
        (
            "POST",
            "user-tasks/#/assignment",
            json!({"assignee": "a", "allowOverride": false}),
            "CLAIM",
            no("claim", "user task"),
        ),
        ("PATCH", "user-tasks/#", json!({"action": "a"}), "UPDATE", no("update", "user task")),
        ("POST", "incidents/#/resolution", json!({}), "RESOLVE", no("resolve", "incident")),
        (
            "POST",
            "process-instances/#/cancellation",
            json!({}),
            "CANCEL",
            format!(
                "Expected to cancel a process instance with key '{NOBODY}', but no such process was found"
            ),
        ),
        (
            "PUT",
            "element-instances/#/variables",
            json!({"variables": {"a": 1}}),
            "UPDATE",
            format!(
                "Expected to update variables for element with key '{NOBODY}', but no such element was found"
            ),
        ),
        (
            "POST",
            "resources/#/deletion",
            json!({}),
            "DELETE",
            format!("Expected to delete resource but no resource found with key `{NOBODY}`"),
        ),
    ] {
        let path = format!("/v2/{}", path.replace('#', NOBODY));
        let body = if body.is_null() { String::new() } else { body.to_string() };
        world.text(method, &path, &body).await.rejected(404, intent, "NOT_FOUND", &reason);
    }
}

#[tokio::test]
async fn point_4_too_large_is_an_internal_problem() {
    let body_bytes_max = 8 << 20;
    let world = World::with_gateway(GatewayConfig { body_bytes_max, ..GatewayConfig::default() }).await;
    world.deploy(&empty("order")).await;
    let body = json!({"processDefinitionId": "order", "variables": {"a": "x".repeat(5 << 20)}});
    let problem = world.post("/v2/process-instances", body).await.problem(500);
    assert_eq!(problem["title"], "INTERNAL");
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.starts_with("Command 'CREATE' rejected with code '"), "{detail}");
}

#[tokio::test]
async fn point_5_reads_that_find_nothing_say_what() {
    let world = World::new().await;
    for (path, thing) in [
        ("process-instances/#", "Process Instance"),
        ("process-definitions/#", "Process Definition"),
        ("process-definitions/#/xml", "Process Definition"),
        ("process-definitions/#/form", "Process Definition"),
        ("element-instances/#", "Element Instance"),
        ("user-tasks/#", "User Task"),
        ("user-tasks/#/form", "User Task"),
        ("variables/#", "Variable"),
        ("incidents/#", "Incident"),
        ("forms/#", "Form"),
        ("resources/#", "Resource"),
        ("resources/#/content", "Resource"),
        ("resources/#/content/binary", "Resource"),
    ] {
        let detail = format!("{thing} with key '{NOBODY}' not found");
        world.get(&format!("/v2/{}", path.replace('#', NOBODY))).await.refused(404, "NOT_FOUND", &detail);
    }
}

#[tokio::test]
async fn point_6_every_problem_has_its_shape() {
    let world = World::new().await;
    let request = Request::post("/v2/process-instances").header("content-type", "text/plain");
    let answered = world.send(request.body(Body::from("{}")).expect("a request")).await;
    answered.refused(415, "Unsupported Media Type", "Content-Type 'text/plain' is not supported.");
    let answered = world.text("DELETE", "/v2/topology", "").await;
    answered.refused(405, "Method Not Allowed", "Method 'DELETE' is not supported.");
    world.get("/v2/nonsense").await.refused(404, "Not Found", "No endpoint GET /v2/nonsense.");
    world.deploy(&one_job("order", "work")).await;
    let body = json!({"processDefinitionId": "order", "awaitCompletion": true, "requestTimeout": 50});
    let problem = world.post("/v2/process-instances", body).await.problem(504);
    assert_eq!(problem["title"], "DEADLINE_EXCEEDED");
    world.node.stop().await;
    let problem = world.post("/v2/process-instances", json!({"processDefinitionId": "order"})).await;
    assert_eq!(problem.problem(503)["title"], "UNAVAILABLE");
}

#[tokio::test]
async fn point_7_keys_of_other_partitions_and_made_up_keys_are_not_found() {
    let world = World::new().await;
    for key in ["0", "1", "-5", "9007199254740993", "9223372036854775807"] {
        for path in ["jobs/#/completion", "process-instances/#/cancellation", "incidents/#/resolution"] {
            let answered = world.post_nothing(&format!("/v2/{}", path.replace('#', key))).await;
            assert_eq!(answered.problem(404)["title"], "NOT_FOUND", "{key} {path}");
        }
    }
}
