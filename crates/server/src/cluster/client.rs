//! Asking other nodes, over connections that are kept.

use super::{PATH, PeerReply, PeerRequest, SECRET_HEADER};
use crate::error_text::told;
use crate::telemetry;
use async_trait::async_trait;
use axum::http::{HeaderValue, Request, StatusCode};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A node that is alive takes connections at once.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
const IDLE_CONNECTION_LIMIT: Duration = Duration::from_secs(30);

/// The reason why there is no reply.
#[derive(Debug)]
pub enum Failure {
    /// Not a byte has left: the request was not heard.
    NotSent(String),
    /// It may have been heard.
    Lost(String),
    /// It was heard and not listened to.
    Refused(String),
    /// The other node has another cluster secret.
    Stranger(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::NotSent(reason) => write!(f, "cannot be reached: {reason}"),
            Failure::Lost(reason) => write!(f, "gave no answer: {reason}"),
            Failure::Refused(reason) | Failure::Stranger(reason) => write!(f, "refuses: {reason}"),
        }
    }
}

/// Carries requests to other nodes and brings their replies.
#[async_trait]
pub trait Network: Send + Sync {
    async fn ask(&self, address: &str, request: Bytes) -> Result<Bytes, Failure>;

    /// True if a server may answer there that does not know this node.
    fn may_meet_strangers(&self) -> bool {
        false
    }
}

/// The other nodes.
pub(crate) struct Peers {
    network: Arc<dyn Network>,
    /// Somebody was asked who does not know this node.
    has_met_stranger: AtomicBool,
}

impl Peers {
    pub(crate) fn over(network: Arc<dyn Network>) -> Peers {
        Peers { network, has_met_stranger: AtomicBool::new(false) }
    }

    pub(crate) fn may_meet_strangers(&self) -> bool {
        self.network.may_meet_strangers()
    }

    /// True once for all strangers that were met since the last time.
    pub(crate) fn takes_note_of_stranger(&self) -> bool {
        self.has_met_stranger.swap(false, Ordering::AcqRel)
    }

    /// A request has come from a node with another secret, or from anybody else.
    pub(crate) fn note_stranger(&self) {
        self.has_met_stranger.store(true, Ordering::Release);
    }

    pub(crate) async fn ask(&self, address: &str, request: &PeerRequest) -> Result<PeerReply, Failure> {
        let reply = self.network.ask(address, Bytes::from(tidemill_store::pack(request))).await;
        if matches!(reply, Err(Failure::Stranger(_))) {
            self.note_stranger();
        }
        let reply = reply?;
        // It was heard, whatever the reply means.
        tidemill_store::unpack(&reply).map_err(|error| Failure::Lost(error.to_string()))
    }
}

pub(crate) struct HttpNetwork {
    client: Client<HttpConnector, Full<Bytes>>,
    secret: HeaderValue,
}

impl HttpNetwork {
    pub(crate) fn new(secret: &str) -> HttpNetwork {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT_LIMIT));
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION_LIMIT)
            .build(connector);
        let mut secret = HeaderValue::from_bytes(secret.as_bytes()).unwrap_or(HeaderValue::from_static(""));
        secret.set_sensitive(true);
        HttpNetwork { client, secret }
    }
}

#[async_trait]
impl Network for HttpNetwork {
    async fn ask(&self, address: &str, request: Bytes) -> Result<Bytes, Failure> {
        let mut builder = Request::post(format!("http://{address}{PATH}"));
        if let Some(context) = telemetry::current() {
            // A request is traced on all nodes that it comes to.
            builder = builder.header(telemetry::TRACEPARENT, context.header());
        }
        let request = builder
            .header(SECRET_HEADER, self.secret.clone())
            .body(Full::new(request))
            .map_err(|error| Failure::NotSent(error.to_string()))?;
        let response = self.client.request(request).await.map_err(|error| {
            if error.is_connect() { Failure::NotSent(told(&error)) } else { Failure::Lost(told(&error)) }
        })?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| Failure::Lost(told(&error)))?;
        let body = body.to_bytes();
        match status {
            StatusCode::OK => Ok(body),
            StatusCode::UNAUTHORIZED => Err(Failure::Stranger(String::from_utf8_lossy(&body).into_owned())),
            _ => Err(Failure::Refused(format!("{status}: {}", String::from_utf8_lossy(&body)))),
        }
    }

    fn may_meet_strangers(&self) -> bool {
        true
    }
}
