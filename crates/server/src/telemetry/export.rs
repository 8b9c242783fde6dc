//! The task that sends spans and metrics to the collector.

use super::{Span, Telemetry, otlp_metrics, otlp_traces, unix_nanos};
use crate::error_text::told;
use crate::metrics::page;
use crate::node::Node;
use axum::http::{Request, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Spans of one request.
const SPANS_PER_REQUEST: usize = 512;
/// Time that a stopping server takes to send the spans that are left. The rest is dropped.
const LAST_LIMIT: Duration = Duration::from_secs(2);

struct Exporter {
    telemetry: Arc<Telemetry>,
    client: Client<HttpConnector, Full<Bytes>>,
    /// The log is told once that the collector is away, and once that it is back.
    is_away: AtomicBool,
}

/// Sends spans and metrics until `stop` is done, and then what is left.
pub async fn export(telemetry: Arc<Telemetry>, node: Arc<Node>, stop: oneshot::Receiver<()>) {
    let queue = telemetry.queue.lock().expect("nobody panics while holding it").take();
    let Some(queue) = queue else { return };
    let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
    let exporter = Exporter { telemetry, client, is_away: AtomicBool::new(false) };
    let (stop_metrics, metrics_stopped) = oneshot::channel();
    tokio::join!(
        async {
            exporter.send_spans(queue, stop).await;
            // Whoever no longer listens has ended.
            let _ = stop_metrics.send(());
        },
        exporter.send_metrics(&node, metrics_stopped),
    );
}

impl Exporter {
    async fn send_spans(&self, mut queue: mpsc::Receiver<Span>, mut stop: oneshot::Receiver<()>) {
        let mut spans = Vec::new();
        let mut next = Instant::now() + self.telemetry.config.traces_every;
        loop {
            let room = SPANS_PER_REQUEST - spans.len();
            tokio::select! {
                biased;
                _ = &mut stop => break,
                _ = queue.recv_many(&mut spans, room), if room > 0 => {}
                () = tokio::time::sleep_until(next) => {}
            }
            if spans.len() >= SPANS_PER_REQUEST || Instant::now() >= next {
                self.flush(&mut spans).await;
                next = Instant::now() + self.telemetry.config.traces_every;
            }
        }
        let last = async {
            loop {
                while spans.len() < SPANS_PER_REQUEST
                    && let Ok(span) = queue.try_recv()
                {
                    spans.push(span);
                }
                if spans.is_empty() {
                    return;
                }
                self.flush(&mut spans).await;
            }
        };
        // A collector that is away must not hold up the stop.
        let _ = tokio::time::timeout(LAST_LIMIT, last).await;
    }

    async fn flush(&self, spans: &mut Vec<Span>) {
        let config = &self.telemetry.config;
        if spans.is_empty() {
            return;
        }
        if let Some(address) = &config.traces {
            let document = otlp_traces::document(&config.resource, spans);
            if !self.send(address, document).await {
                self.telemetry.note_dropped(spans.len());
            }
        }
        spans.clear();
    }

    async fn send_metrics(&self, node: &Node, mut stop: oneshot::Receiver<()>) {
        let config = &self.telemetry.config;
        let Some(address) = &config.metrics else { return };
        let from = unix_nanos();
        loop {
            let is_last = tokio::select! {
                biased;
                _ = &mut stop => true,
                () = tokio::time::sleep(config.metrics_every) => false,
            };
            let span = otlp_metrics::Span { from, to: unix_nanos() };
            let document =
                otlp_metrics::document(&config.resource, &page::page(node, from as f64 / 1e9), span);
            if is_last {
                let _ = tokio::time::timeout(LAST_LIMIT, self.send(address, document)).await;
                return;
            }
            self.send(address, document).await;
        }
    }

    /// True if the collector has taken it. Nothing is sent twice: what is told late helps nobody, and the next request comes soon.
    async fn send(&self, address: &str, document: Value) -> bool {
        let sent = tokio::time::timeout(self.telemetry.config.timeout, self.post(address, document)).await;
        let outcome = sent.unwrap_or_else(|_| Err("it gave no answer in time".to_owned()));
        match &outcome {
            Ok(()) if self.is_away.swap(false, Ordering::Relaxed) => {
                tracing::info!(address, "the collector takes traces and metrics again");
            }
            Err(reason) if !self.is_away.swap(true, Ordering::Relaxed) => {
                tracing::warn!(
                    address,
                    reason,
                    "the collector takes no traces and metrics; they are dropped until it does"
                );
            }
            _ => {}
        }
        outcome.is_ok()
    }

    async fn post(&self, address: &str, document: Value) -> Result<(), String> {
        let mut request = Request::post(address).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &self.telemetry.config.headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(Bytes::from(document.to_string())))
            .map_err(|error| format!("the request cannot be made: {error}"))?;
        let response = self.client.request(request).await.map_err(|error| told(&error))?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| told(&error))?.to_bytes();
        match status.is_success() {
            true => Ok(()),
            false => Err(format!("{status}: {}", String::from_utf8_lossy(&body[..body.len().min(200)]))),
        }
    }
}
