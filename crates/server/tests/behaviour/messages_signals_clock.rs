//! Points 30 to 32: messages, signals, the clock, expressions.

use crate::models::{one_job, timer, waiting_for_message, waiting_for_signal};
use crate::world::{World, text};
use serde_json::{Value, json};

const NEW_YEAR: i64 = 1_767_225_600_000;

#[tokio::test]
async fn point_30_messages_are_published_and_buffered() {
    let world = World::new().await;
    world.deploy(&waiting_for_message("order")).await;
    let publish = async |body: Value| world.post("/v2/messages/publication", body).await;
    publish(json!({})).await.refused(400, "INVALID_ARGUMENT", "No name provided.");
    publish(json!({"name": "paid", "correlationKey": ""})).await.ok();
    publish(json!({"name": "paid"})).await.ok();
    // Without a time to live nobody gets it later.
    publish(json!({"name": "paid", "correlationKey": "1"})).await.ok();
    let late = world.create("order", json!({"order": "1"})).await;
    assert_eq!(world.state(&late).await, "ACTIVE");
    publish(json!({"name": "paid", "correlationKey": "1", "variables": {"sum": 5}})).await.ok();
    world.wait_for_state(&late, "COMPLETED").await;
    assert_eq!(world.one("variables", json!({"name": "sum"})).await["value"], "5");

    let buffered = json!({"name": "paid", "correlationKey": "2", "timeToLive": 60_000, "messageId": "once"});
    publish(buffered.clone()).await.ok();
    let reason =
        "Expected to publish a new message with id 'once', but a message with that id was already published";
    publish(buffered).await.rejected(409, "PUBLISH", "ALREADY_EXISTS", reason);
    let later = world.create("order", json!({"order": "2"})).await;
    world.wait_for_state(&later, "COMPLETED").await;
}

#[tokio::test]
async fn point_30_correlation_needs_somebody_who_waits() {
    let world = World::new().await;
    world.deploy(&waiting_for_message("order")).await;
    let correlate = async |body: Value| world.post("/v2/messages/correlation", body).await;
    correlate(json!({})).await.refused(400, "INVALID_ARGUMENT", "No messageName provided.");
    let instance = world.create("order", json!({"order": "1"})).await;
    let message = json!({"name": "paid", "correlationKey": "1", "variables": {"sum": 5}});
    let correlated = correlate(message.clone()).await.ok();
    assert_eq!(correlated["processInstanceKey"], json!(instance));
    world.wait_for_state(&instance, "COMPLETED").await;
    let reason = "Expected to find subscription for message with name 'paid' and correlation key '1', but none was found.";
    correlate(message).await.rejected(404, "CORRELATE", "NOT_FOUND", reason);
}

#[tokio::test]
async fn point_30_signals_reach_whoever_listens() {
    let world = World::new().await;
    let broadcast = async |body: Value| world.post("/v2/signals/broadcast", body).await;
    broadcast(json!({})).await.refused(400, "INVALID_ARGUMENT", "No signalName provided.");
    broadcast(json!({"signalName": "go"})).await.ok();
    world.deploy(&waiting_for_signal("order")).await;
    let instance = world.create("order", json!({})).await;
    broadcast(json!({"signalName": "go", "variables": {"a": 1}})).await.ok();
    world.wait_for_state(&instance, "COMPLETED").await;
    assert_eq!(world.one("variables", json!({"name": "a"})).await["value"], "1");
}

#[tokio::test]
async fn point_31_timers_deadlines_lives_and_now_follow_the_clock() {
    let world = World::new().await;
    world.pin_clock(NEW_YEAR).await;
    world.deploy(&timer("timer", "PT1H")).await;
    world.deploy(&one_job("job", "work")).await;
    world.deploy(&waiting_for_message("message")).await;
    let timed = world.create("timer", json!({})).await;
    world.create("job", json!({})).await;
    assert_eq!(world.activate("work").await.len(), 1);
    let message = json!({"name": "paid", "correlationKey": "1", "timeToLive": 60_000});
    world.post("/v2/messages/publication", message).await.ok();
    assert_eq!(world.activate("work").await.len(), 0);
    world.pin_clock(NEW_YEAR + 60_000).await;
    assert_eq!(world.activate("work").await.len(), 1, "its deadline is over");
    let late = world.create("message", json!({"order": "1"})).await;
    assert_eq!(world.state(&late).await, "ACTIVE", "the message has lived its time");
    assert_eq!(world.state(&timed).await, "ACTIVE");
    world.pin_clock(NEW_YEAR + 3_600_000).await;
    world.wait_for_state(&timed, "COMPLETED").await;
    let shown = world.get(&format!("/v2/process-instances/{timed}")).await.ok();
    assert_eq!(shown["endDate"], "2026-01-01T01:00:00.000Z");
    let now = async || {
        let answered = world.post("/v2/expression/evaluation", json!({"expression": "=string(now())"})).await;
        text(&answered.ok()["result"])
    };
    assert!(now().await.starts_with("2026-01-01T01:00:00"), "{}", now().await);
    world.post_nothing("/v2/clock/reset").await.done();
    assert!(!now().await.starts_with("2026-01-01T01:00:00"));
    let real = world.create("timer", json!({})).await;
    let shown = world.get(&format!("/v2/process-instances/{real}")).await.ok();
    assert!(text(&shown["startDate"]).as_str() > "2026-06-01", "{shown}");
}

#[tokio::test]
async fn point_31_clock_status_and_user_have_their_answers() {
    let world = World::new().await;
    let pin = async |body: &str| world.text("PUT", "/v2/clock", body).await;
    let detail = "The value for timestamp is '-1' but must be not negative.";
    pin(r#"{"timestamp": -1}"#).await.refused(400, "INVALID_ARGUMENT", detail);
    pin("{}").await.refused(400, "INVALID_ARGUMENT", "No timestamp provided.");
    pin(r#"{"timestamp": 0}"#).await.done();
    world.get("/v2/status").await.done();
    world.get("/v2/topology").await.ok();
    world.get("/v2/license").await.ok();
    world.get("/v2/system/configuration").await.ok();
    assert_eq!(world.get("/v2/authentication/me").await.problem(401)["title"], "UNAUTHORIZED");
    world.node.stop().await;
    assert_eq!(world.get("/v2/status").await.problem(503)["title"], "UNAVAILABLE");
}

#[tokio::test]
async fn point_32_expressions_are_evaluated() {
    let world = World::new().await;
    let evaluate = async |body: Value| world.post("/v2/expression/evaluation", body).await;
    let sum = evaluate(json!({"expression": "=a + 1", "variables": {"a": 2}})).await.ok();
    assert_eq!(sum["result"], 3);
    assert_eq!((&sum["warnings"], &sum["referencedSecrets"]), (&json!([]), &json!([])));
    assert_eq!(sum["expression"], "=a + 1");
    let unknown = evaluate(json!({"expression": "=missing"})).await.ok();
    assert_eq!(unknown["result"], Value::Null);
    assert!(text(&unknown["warnings"][0]["message"]).contains("missing"), "{unknown}");
    let problem = evaluate(json!({"expression": "=1 +"})).await.problem(400);
    let reason = "Command 'EVALUATE' rejected with code 'INVALID_ARGUMENT': Failed to parse expression: failed to parse";
    assert!(text(&problem["detail"]).starts_with(reason), "{problem}");
    // Without a leading `=` it is a value, as in a model.
    assert_eq!(evaluate(json!({"expression": "1 + 1"})).await.ok()["result"], "1 + 1");
    assert_eq!(evaluate(json!({"expression": "42"})).await.ok()["result"], 42);
    let tenant = "Expected to handle request Expression Evaluation with tenant identifier 'acme', but multi-tenancy is disabled";
    evaluate(json!({"expression": "=1", "tenantId": "acme"})).await.refused(400, "INVALID_ARGUMENT", tenant);
    let nowhere = evaluate(json!({"expression": "=1", "scopeKey": "12"})).await;
    nowhere.rejected(404, "EVALUATE", "NOT_FOUND", "No scope found with key '12'");
    let problem = evaluate(json!({"expression": "=assert(1, false)"})).await.problem(400);
    assert_eq!(problem["title"], "INVALID_ARGUMENT");

    world.deploy(&one_job("order", "work")).await;
    let instance = world.create("order", json!({"a": 40})).await;
    let body = json!({"expression": "=a + b", "scopeKey": instance, "variables": {"b": 2}});
    assert_eq!(evaluate(body).await.ok()["result"], 42);
}

#[tokio::test]
async fn subscriptions_show_what_the_model_tells_tools_and_connectors() {
    let world = World::new().await;
    let properties = r#"<zeebe:properties><zeebe:property name="io.camunda.tool:name" value="look up"/><zeebe:property name="io.camunda.tool:purpose" value="finds orders"/><zeebe:property name="inbound.type" value="webhook"/><zeebe:property name="secret" value="not shown"/><zeebe:property name="io.camunda.tool:empty" value=" "/></zeebe:properties>"#;
    let plain = waiting_for_message("plain");
    let tool = waiting_for_message("tool").replacen(
        "<intermediateCatchEvent id=\"wait\">",
        &format!("<intermediateCatchEvent id=\"wait\"><extensionElements>{properties}</extensionElements>"),
        1,
    );
    assert!(tool.contains("inbound.type"), "{tool}");
    world.deploy(&plain).await;
    world.deploy(&tool).await;
    world.create("plain", json!({"order": "1"})).await;
    world.create("tool", json!({"order": "2"})).await;
    let shown = world.soon("message-subscriptions", json!({"toolName": "look up"}), 1).await.remove(0);
    assert_eq!(shown["processDefinitionId"], "tool");
    assert_eq!((&shown["toolName"], &shown["inboundConnectorType"]), (&json!("look up"), &json!("webhook")));
    let tools = json!({"io.camunda.tool:name": "look up", "io.camunda.tool:purpose": "finds orders"});
    assert_eq!(shown["toolProperties"], tools);
    assert_eq!(shown["extensionProperties"]["inbound.type"], "webhook");

    let ids = async |body: Value| -> Vec<String> {
        let found = world.post("/v2/message-subscriptions/search", body).await.ok();
        let items = found["items"].as_array().expect("a list");
        items.iter().map(|item| text(&item["processDefinitionId"])).collect()
    };
    assert_eq!(ids(json!({"filter": {"toolName": {"$exists": false}}})).await, ["plain"]);
    assert_eq!(ids(json!({"filter": {"inboundConnectorType": {"$like": "web*"}}})).await, ["tool"]);
    assert_eq!(ids(json!({"filter": {"inboundConnectorType": "other"}})).await, Vec::<String>::new());
    assert_eq!(ids(json!({"sort": [{"field": "toolName", "order": "DESC"}]})).await, ["tool", "plain"]);
}
