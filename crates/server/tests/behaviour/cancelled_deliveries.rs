//! Cancelling a timer that has fired: its delivery is taken back as long as nobody has begun it.

use crate::world::{World, text};
use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tidemill_server::NodeConfig;
use tidemill_server::timers::deliver::{AllowRules, CallbackSettings};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

const PATIENCE: Duration = Duration::from_secs(20);

/// Answers by a status, each call when it is let go.
struct Receiver {
    url: String,
    heard: Arc<Mutex<Vec<Value>>>,
    turns: Arc<Semaphore>,
}

impl Receiver {
    async fn start(status: StatusCode) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/hook", listener.local_addr().expect("bound"));
        let (heard, turns) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::new(Semaphore::new(0)));
        let (notes, gate) = (heard.clone(), turns.clone());
        let hear = move |body: Bytes| {
            let (notes, gate) = (notes.clone(), gate.clone());
            async move {
                notes.lock().expect("no holder panics").push(serde_json::from_slice(&body).expect("JSON"));
                gate.acquire().await.expect("never closed").forget();
                status
            }
        };
        let router = Router::new().route("/hook", post(hear));
        tokio::spawn(async move { axum::serve(listener, router).await.expect("serves") });
        Receiver { url, heard, turns }
    }

    fn ids(&self) -> Vec<String> {
        self.heard.lock().expect("no holder panics").iter().map(|told| text(&told["id"])).collect()
    }

    async fn until(&self, calls: usize) {
        let began = Instant::now();
        while self.ids().len() < calls {
            assert!(began.elapsed() < PATIENCE, "{} calls have come, not {calls}", self.ids().len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// One call at a time, so that others wait.
async fn world() -> World {
    let allow = AllowRules(vec!["127.0.0.1".parse().expect("a rule")]);
    let callbacks = CallbackSettings { allow, host_concurrency: 1, ..CallbackSettings::default() };
    World::with_node(NodeConfig { callbacks: Some(callbacks), ..NodeConfig::default() }).await
}

async fn make(world: &World, id: &str, receiver: &Receiver, retry: Value) {
    let target = json!({"type": "http", "url": receiver.url});
    let made =
        world.post("/v1/timers", json!({"id": id, "delay": 0, "target": target, "retry": retry})).await;
    assert_eq!(made.status, 201, "{}", made.text);
}

async fn cancel(world: &World, id: &str) -> String {
    text(&world.text("DELETE", &format!("/v1/timers/{id}"), "").await.ok()["result"])
}

#[tokio::test]
async fn a_queued_delivery_is_taken_back_unless_it_has_begun() {
    let (world, receiver) = (world().await, Receiver::start(StatusCode::OK).await);
    make(&world, "begun", &receiver, json!({})).await;
    receiver.until(1).await;
    for id in ["a", "b", "c"] {
        make(&world, id, &receiver, json!({})).await;
    }
    assert_ne!(cancel(&world, "begun").await, "CANCELLED");
    assert_eq!(cancel(&world, "b").await, "CANCELLED");
    assert_eq!(cancel(&world, "b").await, "ABSENT", "it is not there any more");
    receiver.turns.add_permits(10);
    receiver.until(3).await;
    make(&world, "last", &receiver, json!({})).await;
    receiver.until(4).await;
    let mut ids = receiver.ids();
    ids.sort();
    assert_eq!(ids, ["a", "begun", "c", "last"]);
}

#[tokio::test]
async fn a_delivery_that_waits_to_be_tried_again_is_shown_and_cancelled() {
    let (world, receiver) = (world().await, Receiver::start(StatusCode::SERVICE_UNAVAILABLE).await);
    receiver.turns.add_permits(10);
    make(&world, "again", &receiver, json!({"attempts": 5, "initial": "PT1H"})).await;
    receiver.until(1).await;
    let began = Instant::now();
    // The call is over for the receiver before it is for the server.
    let shown = loop {
        let shown = world.get("/v1/timers/again").await;
        if shown.status == 200 {
            break shown.ok();
        }
        assert!(began.elapsed() < PATIENCE, "{}", shown.text);
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!((&shown["id"], &shown["state"]), (&json!("again"), &json!("SCHEDULED")));
    assert_eq!(cancel(&world, "again").await, "CANCELLED");
    assert_eq!(cancel(&world, "again").await, "ABSENT");
}
