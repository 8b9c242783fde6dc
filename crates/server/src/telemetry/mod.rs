//! Traces and metrics for a collector of OpenTelemetry, off unless one is configured. A span is handed to a queue and nobody waits for the
//! collector: what it cannot take is dropped and counted.
//!
//! The exporter is our own: OTLP over HTTP with JSON is two documents, and the known crates would add a minute to the build.

mod context;
mod export;
mod otlp_metrics;
mod otlp_traces;
mod sampler;
mod span;

pub(crate) use context::{SpanContext, TRACEPARENT, current, within};
pub use export::export;
pub use sampler::Sampler;
pub(crate) use span::{Span, SpanKind, unix_nanos};

use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Spans that wait for the collector.
const QUEUE_SPANS_MAX: usize = 8_192;

/// Where traces and metrics go, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct TelemetryConfig {
    /// The full address for traces; none exports none.
    pub traces: Option<String>,
    /// The full address for metrics; none exports none.
    pub metrics: Option<String>,
    /// Sent with every request, such as a key of the collector.
    pub headers: Vec<(String, String)>,
    /// Names of this process, such as `service.name`.
    pub resource: Vec<(String, String)>,
    pub sampler: Sampler,
    /// Spans wait so long for others.
    pub traces_every: Duration,
    pub metrics_every: Duration,
    pub timeout: Duration,
}

/// Takes spans and gives out ids.
pub struct Telemetry {
    config: TelemetryConfig,
    spans: mpsc::Sender<Span>,
    /// Taken by the task that exports.
    queue: Mutex<Option<mpsc::Receiver<Span>>>,
    dropped: AtomicU64,
    random: RandomState,
    numbers: AtomicU64,
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telemetry").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Telemetry {
    pub fn new(config: TelemetryConfig) -> Telemetry {
        let (spans, queue) = mpsc::channel(QUEUE_SPANS_MAX);
        Telemetry {
            config,
            spans,
            queue: Mutex::new(Some(queue)),
            dropped: AtomicU64::new(0),
            random: RandomState::new(),
            numbers: AtomicU64::new(1),
        }
    }

    pub fn exports_metrics(&self) -> bool {
        self.config.metrics.is_some()
    }

    pub(crate) fn traces(&self) -> bool {
        self.config.traces.is_some()
    }

    /// A new span below this one, or the first of a trace. The sampler decides once for a whole trace.
    pub(crate) fn begin(&self, parent: Option<SpanContext>) -> SpanContext {
        let span_id = self.id();
        match parent {
            Some(parent) => {
                let is_sampled = self.config.sampler.takes(Some(parent.is_sampled), parent.trace_id);
                SpanContext { span_id, is_sampled, ..parent }
            }
            None => {
                let trace_id = u128::from(self.id()) << 64 | u128::from(self.id());
                SpanContext { trace_id, span_id, is_sampled: self.config.sampler.takes(None, trace_id) }
            }
        }
    }

    /// Not zero, which stands for no id.
    fn id(&self) -> u64 {
        self.random.hash_one(self.numbers.fetch_add(1, Ordering::Relaxed)).max(1)
    }

    /// A span has ended.
    pub(crate) fn record(&self, span: Span) {
        if span.context.is_sampled && self.traces() && self.spans.try_send(span).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Spans that the collector did not take in time.
    pub(crate) fn spans_dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn note_dropped(&self, spans: usize) {
        self.dropped.fetch_add(spans as u64, Ordering::Relaxed);
    }
}
