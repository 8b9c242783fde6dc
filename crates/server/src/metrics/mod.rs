//! A node counts its own work here. Prometheus reads the counts as text; nothing here asks the store.
//!
//! The cells are our own: values that a loop changes must cost an atomic and no lookup, names that models choose must end in "other",
//! and the page is a few hundred lines of text. The known crates do either through a lock or a global recorder.

mod cell;
mod family;
mod http;
mod loops;
pub(crate) mod page;
mod requests;
mod system;
mod text;

pub(crate) use cell::{Counter, Counts, Gauge, Times};
pub(crate) use family::{Family, OTHER};
pub use http::serve as serve_metrics;
pub(crate) use loops::{BatchFacts, LoopMeter, PartitionCells};
pub(crate) use requests::HttpMetrics;

use crate::telemetry::Telemetry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Processes, job types and tenants that have a value of their own.
const NAMES_MAX: usize = 200;
/// Kinds of commands with their outcomes, routes with their answers: bounded by the code.
const KINDS_MAX: usize = 1_000;
/// Partitions that a key has room for.
const PARTITIONS_MAX: usize = 1_024;

pub struct Metrics {
    /// Where nobody reads it, what would cost something is not counted.
    is_on: AtomicBool,
    pub(crate) cache: CacheMetrics,
    pub(crate) engine: EngineMetrics,
    pub(crate) store: StoreMetrics,
    pub(crate) node: NodeMetrics,
    pub(crate) http: HttpMetrics,
    telemetry: OnceLock<Arc<Telemetry>>,
}

pub(crate) struct CacheMetrics {
    /// By tenant.
    pub(crate) hits: Family<Counter>,
    pub(crate) misses: Family<Counter>,
    pub(crate) evictions: Counter,
    pub(crate) load_times: Times,
}

/// The work of the node's partitions.
pub(crate) struct EngineMetrics {
    /// By command and outcome.
    pub(crate) commands: Family<Counter, 2>,
    pub(crate) batch_commands: Counts,
    /// By stage.
    pub(crate) stage_times: Family<Times>,
    pub(crate) partitions: Family<PartitionCells>,
    /// By type and event.
    pub(crate) jobs: Family<Counter, 2>,
    /// By type.
    pub(crate) activation_times: Family<Times>,
    pub(crate) timers_fired: Counter,
    pub(crate) timer_lateness: Times,
    /// By process.
    pub(crate) started: Family<Counter>,
    /// By process and state.
    pub(crate) ended: Family<Counter, 2>,
    /// By process and kind of incident.
    pub(crate) incidents: Family<Counter, 2>,
    pub(crate) incidents_resolved: Family<Counter>,
    pub(crate) dead_letters: Counter,
}

pub(crate) struct StoreMetrics {
    pub(crate) is_away: Gauge,
    /// By outcome.
    pub(crate) commits: Family<Counter>,
    /// By call.
    pub(crate) call_times: Family<Times>,
    /// By what was purged.
    pub(crate) purged: Family<Counter>,
    pub(crate) clock_skew_ms: Gauge,
}

pub(crate) struct NodeMetrics {
    /// By what has changed.
    pub(crate) ownership_changes: Family<Counter>,
}

impl Metrics {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Traces requests from now on. To be called before partitions are opened and requests are taken.
    pub(crate) fn trace_with(&self, telemetry: Arc<Telemetry>) {
        // A second one would change nothing.
        let _ = self.telemetry.set(telemetry);
    }

    pub(crate) fn telemetry(&self) -> Option<&Arc<Telemetry>> {
        self.telemetry.get()
    }

    /// Counts from now on, or no longer.
    pub fn turn(&self, is_on: bool) {
        self.is_on.store(is_on, Ordering::Relaxed);
    }

    pub(crate) fn new(is_on: bool) -> Metrics {
        let metrics = Metrics::empty(is_on);
        // A count that has not begun is shown as zero, so that alerts have something to compare with.
        for outcome in ["written", "fenced", "refused", "unknown", "failed"] {
            metrics.store.commits.with([outcome]);
        }
        for table in ["batches", "results", "idempotency", "history"] {
            metrics.store.purged.with([table]);
        }
        for change in ["taken", "released", "lost"] {
            metrics.node.ownership_changes.with([change]);
        }
        metrics
    }

    fn empty(is_on: bool) -> Metrics {
        Metrics {
            is_on: AtomicBool::new(is_on),
            cache: CacheMetrics {
                hits: Family::of_at_most(NAMES_MAX),
                misses: Family::of_at_most(NAMES_MAX),
                evictions: Counter::default(),
                load_times: Times::default(),
            },
            engine: EngineMetrics {
                commands: Family::of_at_most(KINDS_MAX),
                batch_commands: Counts::default(),
                stage_times: Family::of_at_most(KINDS_MAX),
                partitions: Family::of_at_most(PARTITIONS_MAX),
                jobs: Family::of_at_most(NAMES_MAX),
                activation_times: Family::of_at_most(NAMES_MAX),
                timers_fired: Counter::default(),
                timer_lateness: Times::default(),
                started: Family::of_at_most(NAMES_MAX),
                ended: Family::of_at_most(NAMES_MAX),
                incidents: Family::of_at_most(NAMES_MAX),
                incidents_resolved: Family::of_at_most(NAMES_MAX),
                dead_letters: Counter::default(),
            },
            store: StoreMetrics {
                is_away: Gauge::default(),
                commits: Family::of_at_most(KINDS_MAX),
                call_times: Family::of_at_most(KINDS_MAX),
                purged: Family::of_at_most(KINDS_MAX),
                clock_skew_ms: Gauge::default(),
            },
            node: NodeMetrics { ownership_changes: Family::of_at_most(KINDS_MAX) },
            http: HttpMetrics::default(),
            telemetry: OnceLock::new(),
        }
    }
}
