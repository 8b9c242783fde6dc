//! Messages and signals on their way in.

use crate::harness::Fixture;
use serde_json::json;
use tidemill_model::command::{BroadcastSignal, CorrelateMessage, PublishMessage};
use tidemill_model::*;
use tidemill_server::gateway::schema::answer_misfit;

#[tokio::test]
async fn a_message_is_published_with_its_defaults() {
    let fixture = Fixture::new();
    fixture.tell(Ok(Answer::Published { message: MessageKey(6), tenant: TenantId::default() }));
    let answered = fixture.post("/v2/messages/publication", json!({"name": "paid", "messageId": ""})).await;
    assert_eq!(answered.json(), json!({"tenantId": "<default>", "messageKey": "6"}));
    let publish = PublishMessage {
        tenant: TenantId::default(),
        name: "paid".into(),
        correlation_key: "".into(),
        message_id: None,
        business_id: None,
        time_to_live_ms: 0,
        variables: Variables::default(),
    };
    assert_eq!(fixture.executed(), Command::PublishMessage(publish));
}

#[tokio::test]
async fn a_message_is_correlated() {
    let fixture = Fixture::new();
    let (message, instance, tenant) = (MessageKey(6), ProcessInstanceKey(7), TenantId::default());
    fixture.tell(Ok(Answer::Correlated { message, instance, tenant: tenant.clone() }));
    let body = json!({"name": "paid", "correlationKey": "o-1", "variables": {"a": 1}});
    let answered = fixture.post("/v2/messages/correlation", body).await;
    assert_eq!(answer_misfit("correlateMessage", 200, &answered.json()), None);
    assert_eq!(answered.json()["processInstanceKey"], "7");
    let correlate = CorrelateMessage {
        tenant,
        name: "paid".into(),
        correlation_key: "o-1".into(),
        business_id: None,
        variables: Variables::parse("{\"a\":1}").expect("JSON"),
    };
    assert_eq!(fixture.executed(), Command::CorrelateMessage(correlate));
}

#[tokio::test]
async fn a_signal_is_broadcast() {
    let fixture = Fixture::new();
    let tenant = TenantId::default();
    fixture.tell(Ok(Answer::Broadcast { signal: SignalKey(8), tenant: tenant.clone() }));
    let answered = fixture.post("/v2/signals/broadcast", json!({"signalName": "stop"})).await;
    assert_eq!(answered.json(), json!({"tenantId": "<default>", "signalKey": "8"}));
    let broadcast = BroadcastSignal { tenant, name: "stop".into(), variables: Variables::default() };
    assert_eq!(fixture.executed(), Command::BroadcastSignal(broadcast));
}

#[tokio::test]
async fn names_are_needed_and_limited() {
    let fixture = Fixture::new();
    for (path, text) in [
        ("/v2/messages/publication", "No name provided."),
        ("/v2/messages/correlation", "No messageName provided."),
        ("/v2/signals/broadcast", "No signalName provided."),
    ] {
        let problem = fixture.post(path, json!({})).await.problem(400);
        assert_eq!(problem, ("INVALID_ARGUMENT".to_owned(), text.to_owned()));
    }
    let body = json!({"name": "a\u{0}", "correlationKey": "x".repeat(513)});
    let problem = fixture.post("/v2/messages/publication", body).await.problem(400);
    assert_eq!(
        problem.1,
        "The provided name contains a NUL character. The provided correlationKey exceeds the limit of 256 characters."
    );
    for (path, name) in [
        ("/v2/messages/publication", "Publish Message"),
        ("/v2/messages/correlation", "Correlate Message"),
        ("/v2/signals/broadcast", "Broadcast Signal"),
    ] {
        let problem = fixture.post(path, json!({"tenantId": "acme"})).await.problem(400);
        let text = format!(
            "Expected to handle request {name} with tenant identifier 'acme', but multi-tenancy is disabled"
        );
        assert_eq!(problem.1, text);
    }
    assert_eq!(fixture.asked(), []);
}
