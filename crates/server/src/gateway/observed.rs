//! Every request gets a number, which stands in the answer's header and in the log, and is counted by its route, never by its path.

use crate::metrics::Metrics;
use crate::telemetry::{self, Span, SpanContext, SpanKind, Telemetry, unix_nanos};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longer ids of clients are replaced.
const ID_BYTES_MAX: usize = 128;

#[derive(Clone)]
pub(super) struct Observer {
    metrics: Option<Arc<Metrics>>,
    /// Tells apart the ids of two starts of the server.
    start: u32,
    numbers: Arc<AtomicU64>,
}

impl Observer {
    pub(super) fn new(metrics: Option<Arc<Metrics>>) -> Observer {
        let start = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Observer { metrics, start: start.as_secs() as u32, numbers: Arc::default() }
    }

    /// The id that the client has chosen, or one of our own.
    fn request_id(&self, headers: &HeaderMap) -> HeaderValue {
        let given = headers.get(REQUEST_ID).filter(|id| {
            let id = id.as_bytes();
            !id.is_empty() && id.len() <= ID_BYTES_MAX && id.iter().all(u8::is_ascii_graphic)
        });
        given.cloned().unwrap_or_else(|| {
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            HeaderValue::try_from(format!("{:08x}-{number:x}", self.start)).expect("digits fit into a header")
        })
    }
}

/// The span of a request, from its first byte to the beginning of its answer.
struct RequestTrace {
    telemetry: Arc<Telemetry>,
    context: SpanContext,
    parent: Option<SpanContext>,
    began: u64,
}

impl Observer {
    fn begin_trace(&self, headers: &HeaderMap) -> Option<RequestTrace> {
        let telemetry = self.metrics.as_ref()?.telemetry().filter(|telemetry| telemetry.traces())?.clone();
        let parent = SpanContext::of(headers);
        let context = telemetry.begin(parent);
        Some(RequestTrace { telemetry, context, parent, began: unix_nanos() })
    }
}

impl RequestTrace {
    fn end(self, route: &str, method: &Method, status: u16, request_id: &HeaderValue) {
        if !self.context.is_sampled {
            return;
        }
        self.telemetry.record(Span {
            context: self.context,
            parent: self.parent,
            name: format!("{method} {route}"),
            kind: SpanKind::Server,
            began: self.began,
            ended: unix_nanos(),
            attributes: vec![
                ("http.request.method", method.to_string()),
                ("http.route", route.to_owned()),
                ("http.response.status_code", status.to_string()),
                ("tidemill.request_id", request_id.to_str().unwrap_or_default().to_owned()),
            ],
            error: (status >= 500).then(|| format!("answered {status}")),
        });
    }
}

pub(super) async fn observe(State(observer): State<Observer>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = observer.request_id(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let path = tracing::enabled!(tracing::Level::DEBUG).then(|| request.uri().path().to_owned());
    let open =
        observer.metrics.as_ref().filter(|metrics| metrics.is_on()).map(|metrics| metrics.http.enter());
    let trace = observer.begin_trace(request.headers());
    let mut answer = match &trace {
        Some(trace) => telemetry::within(trace.context, next.run(request)).await,
        None => next.run(request).await,
    };
    let took = began.elapsed();
    if let Some(trace) = trace {
        let route = route.as_ref().map_or("unmatched", MatchedPath::as_str);
        trace.end(route, &method, answer.status().as_u16(), &id);
    }
    if let Some(open) = open {
        let route = route.as_ref().map_or("unmatched", MatchedPath::as_str);
        open.answered(route, &method, answer.status().as_u16(), took);
    }
    if let Some(path) = path {
        let (status, request_id) = (answer.status().as_u16(), id.to_str().unwrap_or_default());
        tracing::debug!(%method, path, status, took_us = took.as_micros() as u64, request_id, "answered");
    }
    answer.headers_mut().insert(REQUEST_ID, id);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_client_is_kept_unless_it_would_break_a_log() {
        let observer = Observer::new(None);
        let with = |id: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_static(id));
            observer.request_id(&headers)
        };
        assert_eq!(with("order-17"), "order-17");
        assert_ne!(with("two words"), "two words");
        let (first, second) =
            (observer.request_id(&HeaderMap::new()), observer.request_id(&HeaderMap::new()));
        assert_ne!(first, second);
    }
}
