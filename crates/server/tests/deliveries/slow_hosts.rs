//! Receivers that are slow, dead or endless, beside healthy ones.

use crate::receiver::{Receiver, Reply};
use crate::world::{World, allowed, http, soon};
use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::stream;
use serde_json::json;
use tidemill_server::timers::deliver::CallbackSettings;
use tokio::net::TcpListener;

/// More slow hosts than would fill all places, if each took what it may.
#[tokio::test(flavor = "multi_thread")]
async fn slow_hosts_never_hold_up_others() {
    let settings = CallbackSettings { concurrency: 16, host_concurrency: 8, ..allowed(&["127.0.0.1"]) };
    let world = World::with(settings).await;
    let mut slow = Vec::new();
    for _ in 0..4 {
        let receiver = Receiver::start(|_, _| Reply::Never).await;
        world.fire(json!({"type": "http", "url": receiver.origin, "timeout": 120_000}), soon(1), 50).await;
        receiver.until(1).await;
        slow.push(receiver);
    }
    let healthy = Receiver::healthy().await;
    world.fire(http(&healthy.origin), soon(1), 200).await;
    healthy.until(200).await;
    let open: usize = slow.iter().map(Receiver::calls).sum();
    assert!(open < 16, "{open} calls are open, and none is left");
    assert!(slow.iter().all(|receiver| receiver.calls() >= 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_host_is_tried_until_it_lives() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        listener.local_addr().expect("bound").port()
    };
    let world = World::new().await;
    world.fire(http(&format!("http://127.0.0.1:{port}/x")), soon(1_000), 3).await;
    let healthy = Receiver::healthy().await;
    world.fire(http(&healthy.origin), soon(1), 5).await;
    healthy.until(5).await;
    let revived = Receiver::start_at(port, |_, _| Reply::Status(200)).await;
    let told = revived.until(3).await;
    assert!(told.iter().all(|told| told.body["attempt"].as_u64() > Some(1)), "they were tried before");
    world.until_settled().await;
    assert_eq!(revived.calls(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_takes_too_long_is_given_up_after_its_time_out() {
    let slow = Receiver::start(|_, _| Reply::Never).await;
    let world = World::new().await;
    world.fire(json!({"type": "http", "url": slow.origin, "timeout": 50}), soon(3), 1).await;
    let told = slow.until(3).await;
    world.until_settled().await;
    assert_eq!(told.iter().filter(|told| told.body["attempt"].is_u64()).count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_is_cut() {
    let endless = Receiver::start(|_, _| {
        let chunks = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 64 << 10])));
        Reply::With(Response::new(Body::from_stream(chunks)))
    })
    .await;
    let world = World::new().await;
    world.fire(http(&endless.origin), soon(5), 3).await;
    endless.until(3).await;
    world.until_settled().await;
    assert_eq!(endless.calls(), 3, "the status has said that they were taken");
}
