//! Answers of receivers, and their consequences.

use crate::receiver::{Receiver, Reply};
use crate::world::{World, http, now_ms, soon};
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_receiver_is_told_everything_once() {
    let receiver = Receiver::healthy().await;
    let world = World::new().await;
    let mut target = http(&format!("{}/orders/7?x=1", receiver.origin));
    target["headers"] = json!({"X-Api-Key": "secret"});
    let before_ms = now_ms();
    let ids = world.fire(target, soon(3), 3).await;
    let told = receiver.until(3).await;
    world.until_settled().await;
    assert_eq!(receiver.calls(), 3);
    let mut seen: Vec<String> =
        told.iter().map(|told| told.body["id"].as_str().expect("an id").to_owned()).collect();
    seen.sort();
    let mut ids = ids;
    ids.sort();
    assert_eq!(seen, ids);
    for told in &told {
        assert_eq!(told.path, "/orders/7?x=1");
        assert_eq!(told.header("x-api-key"), "secret");
        assert_eq!(told.header("content-type"), "application/json");
        assert_eq!(told.header("idempotency-key"), told.body["idempotencyKey"]);
        assert_eq!((&told.body["tenantId"], &told.body["namespace"]), (&json!("acme"), &json!("orders")));
        assert_eq!(told.body["attempt"], 1);
        assert!(told.body["payload"]["nth"].is_u64());
        for time in ["scheduledAt", "firedAt"] {
            let text = told.body[time].as_str().expect("a date");
            assert!(text.ends_with('Z') && text.starts_with("20"), "{text}");
        }
    }
    assert!(now_ms() >= before_ms);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_try_that_fails_is_repeated_under_the_same_key() {
    let receiver = Receiver::start(|nth, _| Reply::Status([503, 500, 429, 302, 200][nth.min(4)])).await;
    let world = World::new().await;
    let ids = world.fire(http(&receiver.origin), soon(10), 1).await;
    let told = receiver.until(5).await;
    world.until_settled().await;
    assert_eq!(receiver.calls(), 5, "the last one was taken");
    for (nth, told) in told.iter().enumerate() {
        assert_eq!(told.body["id"], json!(ids[0]), "its id stays");
        assert_eq!(told.header("idempotency-key"), told_key(&told.body, &json!(told_first(&receiver))));
        assert_eq!(told.body["attempt"], json!(nth + 1));
        assert_eq!(told.body["scheduledAt"], told_first_body(&receiver)["scheduledAt"]);
    }
}

fn told_first(receiver: &Receiver) -> String {
    receiver.told()[0].header("idempotency-key").to_owned()
}

fn told_first_body(receiver: &Receiver) -> Value {
    receiver.told()[0].body.clone()
}

fn told_key<'a>(body: &'a Value, first: &'a Value) -> &'a str {
    assert_eq!(&body["idempotencyKey"], first);
    first.as_str().expect("a text")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_or_fails_too_often_is_given_up() {
    let refusing = Receiver::start(|_, _| Reply::Status(404)).await;
    let failing = Receiver::start(|_, _| Reply::Status(500)).await;
    let world = World::new().await;
    world.fire(http(&refusing.origin), soon(10), 2).await;
    world.fire(http(&failing.origin), soon(3), 1).await;
    refusing.until(2).await;
    failing.until(3).await;
    world.until_settled().await;
    // A call more would have come by the time in which another timer goes through.
    let healthy = Receiver::healthy().await;
    world.fire(http(&healthy.origin), soon(1), 1).await;
    healthy.until(1).await;
    assert_eq!((refusing.calls(), failing.calls()), (2, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_may_ask_for_more_time() {
    let receiver = Receiver::start(|nth, _| match nth {
        0 => Reply::With(
            Response::builder().status(503).header("retry-after", "1").body(Body::empty()).expect("valid"),
        ),
        _ => Reply::Status(200),
    })
    .await;
    let world = World::new().await;
    let began = tokio::time::Instant::now();
    world.fire(http(&receiver.origin), soon(5), 1).await;
    receiver.until(2).await;
    assert!(began.elapsed().as_millis() >= 1_000, "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_may_ask_for_another_call() {
    let at_ms = now_ms() + 300;
    let receiver = Receiver::start(move |nth, _| match nth {
        0 => Reply::Json(json!({"nextExecuteAt": at_ms})),
        _ => Reply::Json(json!({"nextExecuteAt": null})),
    })
    .await;
    let world = World::new().await;
    world.fire(http(&receiver.origin), soon(5), 1).await;
    let told = receiver.until(2).await;
    world.until_settled().await;
    assert!(now_ms() >= at_ms, "not before its time");
    assert_eq!(told[0].body["id"], told[1].body["id"]);
    assert_eq!(told[1].body["attempt"], 1);
    assert_ne!(
        told[0].header("idempotency-key"),
        told[1].header("idempotency-key"),
        "it is another occurrence"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_what_was_not_settled_is_delivered_under_the_same_keys() {
    let receiver = Receiver::start(|nth, _| if nth < 20 { Reply::Never } else { Reply::Status(200) }).await;
    let world = World::new().await;
    let mut ids = world.fire(http(&receiver.origin), soon(5), 20).await;
    receiver.until(20).await;
    let world = world.restart().await;
    let told = receiver.until(40).await;
    world.until_settled().await;
    let keys = |from: usize| {
        let mut keys: Vec<&str> =
            told[from..from + 20].iter().map(|told| told.header("idempotency-key")).collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(keys(0), keys(20));
    let mut seen: Vec<&str> = told[20..].iter().filter_map(|told| told.body["id"].as_str()).collect();
    seen.sort_unstable();
    ids.sort_unstable();
    assert_eq!(seen, ids);
}
