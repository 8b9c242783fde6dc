//! A receiver of callbacks that notes what it was told and answers as the test wants.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Long enough for a loaded machine; nothing waits so long unless it fails.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Told {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The timers of a batch.
    pub(crate) fn timers(&self) -> Vec<Value> {
        self.body["timers"].as_array().expect("a batch has a list of timers").clone()
    }
}

pub(crate) enum Reply {
    Status(u16),
    Json(Value),
    With(Response),
    /// Nothing, for as long as the connection lives.
    Never,
}

type Answer = dyn Fn(usize, &Told) -> Reply + Send + Sync;

struct Heard {
    told: Mutex<Vec<Told>>,
    answer: Box<Answer>,
}

pub(crate) struct Receiver {
    heard: Arc<Heard>,
    pub(crate) origin: String,
    pub(crate) port: u16,
    serving: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Receiver {
    /// `answer` gets the number of calls before this one.
    pub(crate) async fn start(answer: impl Fn(usize, &Told) -> Reply + Send + Sync + 'static) -> Receiver {
        Receiver::start_at(0, answer).await
    }

    pub(crate) async fn start_at(
        port: u16,
        answer: impl Fn(usize, &Told) -> Reply + Send + Sync + 'static,
    ) -> Receiver {
        let heard = Arc::new(Heard { told: Mutex::default(), answer: Box::new(answer) });
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let router = Router::new().fallback(hear).with_state(heard.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("serves") });
        Receiver { heard, origin: format!("http://127.0.0.1:{port}"), port, serving }
    }

    pub(crate) async fn healthy() -> Receiver {
        Receiver::start(|_, _| Reply::Status(204)).await
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.heard.told.lock().expect("no holder panics").clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.heard.told.lock().expect("no holder panics").len()
    }

    /// Waits until it was called so often.
    #[track_caller]
    pub(crate) fn until(&self, calls: usize) -> impl Future<Output = Vec<Told>> + '_ {
        let place = std::panic::Location::caller();
        async move {
            let began = tokio::time::Instant::now();
            while self.calls() < calls {
                let heard = self.calls();
                assert!(began.elapsed() < PATIENCE, "{place}: {heard} calls have come, not {calls}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            self.told()
        }
    }
}

async fn hear(State(heard): State<Arc<Heard>>, uri: Uri, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let bytes: Bytes = axum::body::to_bytes(body, usize::MAX).await.expect("a whole body");
    let text = String::from_utf8(bytes.to_vec()).expect("text");
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    let told = Told { path: uri.to_string(), headers: parts.headers, text, body };
    let nth = {
        let mut all = heard.told.lock().expect("no holder panics");
        all.push(told.clone());
        all.len() - 1
    };
    match (heard.answer)(nth, &told) {
        Reply::Status(status) => StatusCode::from_u16(status).expect("a status").into_response(),
        Reply::Json(value) => value.to_string().into_response(),
        Reply::With(response) => response,
        Reply::Never => std::future::pending().await,
    }
}
