//! The callbacks of a node: one pool of connections, one gate, and limits on what a receiver may send back.

use super::allow::AllowRules;
use super::connect::{Connector, refusal};
use super::gate::Gate;
use super::keys::Keys;
use super::reply::{Reply, Verdict};
use super::tls::Tls;
use crate::error_text::told;
use crate::metrics::Counter;
use axum::http::{Request, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const IDLE_CONNECTION_LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub struct CallbackSettings {
    pub allow: AllowRules,
    /// Calls that are open at a time, in all.
    pub concurrency: usize,
    /// To one host.
    pub host_concurrency: usize,
    /// A file with the keys that sign calls.
    pub keys: Option<PathBuf>,
    /// A file with the certificates that receivers are known by, instead of those of the system.
    pub ca: Option<PathBuf>,
}

impl Default for CallbackSettings {
    fn default() -> CallbackSettings {
        CallbackSettings {
            allow: AllowRules::default(),
            concurrency: 512,
            host_concurrency: 64,
            keys: None,
            ca: None,
        }
    }
}

pub struct Callbacks {
    client: Client<Connector, Full<Bytes>>,
    pub(super) gate: Arc<Gate>,
    pub(super) keys: Keys,
    pub(crate) outcomes: CallbackOutcomes,
}

/// The outcomes of callbacks since the server was started.
#[derive(Default)]
pub(crate) struct CallbackOutcomes {
    pub(crate) delivered: Counter,
    pub(crate) retried: Counter,
    pub(crate) given_up: Counter,
}

impl CallbackOutcomes {
    pub(super) fn note(&self, verdicts: &[Verdict]) {
        let (mut delivered, mut retried, mut given_up) = (0, 0, 0);
        for verdict in verdicts {
            *match verdict {
                Verdict::Done | Verdict::NextAt(_) => &mut delivered,
                Verdict::Retry { .. } => &mut retried,
                Verdict::GiveUp { .. } => &mut given_up,
            } += 1;
        }
        self.delivered.add(delivered);
        self.retried.add(retried);
        self.given_up.add(given_up);
    }
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}

/// No answer came.
#[derive(Debug)]
pub(super) enum NoReply {
    /// It may not be called at all.
    Refused(String),
    Failed(String),
}

impl Callbacks {
    pub fn new(settings: &CallbackSettings) -> io::Result<Arc<Callbacks>> {
        let tls = Tls::new(settings.ca.as_deref())?;
        let connector = Connector { allow: Arc::new(settings.allow.clone()), tls };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION_LIMIT)
            .pool_max_idle_per_host(settings.host_concurrency)
            .build(connector);
        let gate = Gate::new(settings.concurrency, settings.host_concurrency);
        let keys = Keys::new(settings.keys.as_deref())?;
        Ok(Arc::new(Callbacks { client, gate, keys, outcomes: CallbackOutcomes::default() }))
    }

    /// Sends a request and reads the answer, as far as it is allowed to go. The time-out is for all of it.
    pub(super) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        timeout: Duration,
        bytes_max: usize,
    ) -> Result<Reply, NoReply> {
        let answered = tokio::time::timeout(timeout, self.exchange(request, bytes_max)).await;
        let slow = || NoReply::Failed(format!("the receiver did not answer within {timeout:?}"));
        answered.unwrap_or_else(|_| Err(slow()))
    }

    async fn exchange(&self, request: Request<Full<Bytes>>, bytes_max: usize) -> Result<Reply, NoReply> {
        let response = self.client.request(request).await.map_err(|error| match refusal(&error) {
            Some(refused) => NoReply::Refused(refused.to_string()),
            None => NoReply::Failed(told(&error)),
        })?;
        let (parts, body) = response.into_parts();
        let retry_after = parts.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let (status, retry_after) = (parts.status.as_u16(), retry_after.map(str::to_owned));
        let (body, is_cut) = read(body, bytes_max).await;
        Ok(Reply { status, retry_after, body, is_cut })
    }
}

/// A body that breaks off or goes on for too long: what counts is the status, which has come.
async fn read(mut body: Incoming, bytes_max: usize) -> (Vec<u8>, bool) {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return (read, true) };
        let Ok(data) = frame.into_data() else { continue };
        if read.len() + data.len() > bytes_max {
            return (read, true);
        }
        read.extend_from_slice(&data);
    }
    (read, false)
}
