//! One call to a receiver: what it carries, how it is made, and what its answer means for each timer.

use super::body::Telling;
use super::callbacks::{Callbacks, NoReply};
use super::keys::SIGNATURE_HEADER;
use super::reply::Verdict;
use super::row::Item;
use crate::timers::spec::{StoredTarget, TargetAddress};
use axum::http::{HeaderValue, Request, header};
use bytes::Bytes;
use http_body_util::Full;
use std::sync::Arc;
use std::time::Duration;

/// Of an answer to a single timer, and for each timer of a batch.
const REPLY_BYTES_MAX: usize = 64 << 10;
const RESULT_BYTES_MAX: usize = 1 << 10;
const USER_AGENT: &str = concat!("tidemill/", env!("CARGO_PKG_VERSION"));

/// Timers of one target that are told together.
pub(super) struct Call {
    pub(super) target_id: u32,
    pub(super) target: Arc<StoredTarget>,
    pub(super) origin: Arc<str>,
    pub(super) items: Vec<Item>,
    pub(super) items_max: usize,
}

/// Items and what became of each.
pub(super) struct Finished {
    pub(super) call: Call,
    pub(super) verdicts: Vec<Verdict>,
    /// Somebody has answered, whatever it was.
    pub(super) was_answered: bool,
}

impl Call {
    /// Never fails: what goes wrong is a verdict for each timer.
    pub(super) async fn make(self, callbacks: &Callbacks, telling: &Telling) -> Finished {
        let all = |verdict: Verdict| vec![verdict; self.items.len()];
        let TargetAddress::Http { timeout_ms, batch, .. } = &self.target.address else {
            let reason = "its target cannot be called".to_owned();
            let verdicts = all(Verdict::GiveUp { reason });
            return Finished { verdicts, call: self, was_answered: true };
        };
        let limit = REPLY_BYTES_MAX.max(self.items.len() * RESULT_BYTES_MAX);
        let reply = match self.request(callbacks, telling) {
            Ok(request) => callbacks.send(request, Duration::from_millis((*timeout_ms).into()), limit).await,
            Err(failure) => Err(failure),
        };
        let was_answered = !matches!(reply, Err(NoReply::Failed(_)));
        let verdicts = match reply {
            Ok(reply) if batch.is_some() => {
                let key_of = |nth: usize| self.items[nth].idempotency_key(telling.partition);
                reply.judge_each(self.items.len(), key_of, telling.now_ms)
            }
            Ok(reply) => all(reply.judge(telling.now_ms)),
            Err(NoReply::Refused(reason)) => all(Verdict::GiveUp { reason }),
            Err(NoReply::Failed(reason)) => all(Verdict::Retry { reason, not_before_ms: None }),
        };
        callbacks.outcomes.note(&verdicts);
        Finished { verdicts, call: self, was_answered }
    }

    fn request(&self, callbacks: &Callbacks, telling: &Telling) -> Result<Request<Full<Bytes>>, NoReply> {
        let TargetAddress::Http { origin, path, headers, batch, signing_key, .. } = &self.target.address
        else {
            return Err(NoReply::Refused("its target cannot be called".to_owned()));
        };
        let first = self.items.first();
        let own_path = first.and_then(|item| item.envelope.path.as_deref());
        let path = path.as_deref().or(own_path).unwrap_or("/");
        let mut request = Request::post(format!("{origin}{path}"));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request = request
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
        let body = match (batch, first) {
            (None, Some(item)) => {
                request = request.header("idempotency-key", item.idempotency_key(telling.partition));
                telling.single(item)
            }
            _ => telling.batch(&self.items),
        };
        if let Some(name) = signing_key {
            let signature = callbacks.keys.sign(name, telling.now_ms, &body);
            let signature = signature.ok_or_else(|| {
                NoReply::Failed(format!("this server has no signing key '{name}' (--callbacks-keys)"))
            })?;
            request = request.header(SIGNATURE_HEADER, signature);
        }
        request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| NoReply::Refused(format!("it cannot be called: {error}")))
    }
}
