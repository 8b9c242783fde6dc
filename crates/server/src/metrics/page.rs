//! The page that Prometheus reads: every family by its name, with what it means.

use super::text::{Page, Unit};
use super::{EngineMetrics, Metrics, NodeMetrics, StoreMetrics, system};
use crate::node::Node;
use crate::timers::LoopNumbers;
use tidemill_store::PoolUse;

const BUILD: &str = env!("CARGO_PKG_VERSION");

/// Everything that this node knows of itself.
pub(crate) fn page(node: &Node, started_at: f64) -> String {
    let mut page = Page::default();
    page.family("tidemill_build_info", "gauge", "The version that runs; always 1.");
    page.line("tidemill_build_info", &[("version", BUILD), ("node", node.name())], 1);
    page.gauge("process_start_time_seconds", "When the server was started.", started_at);
    system::write(&mut page);
    let metrics: &Metrics = node.metrics();
    engine(&mut page, &metrics.engine);
    partitions(&mut page, &metrics.engine);
    cache(&mut page, node);
    store(&mut page, &metrics.store);
    pools(&mut page, &node.store_pools());
    nodes(&mut page, &metrics.node, node);
    service_timers(&mut page, node);
    metrics.http.write(&mut page);
    let dropped = metrics.telemetry().map_or(0, |telemetry| telemetry.spans_dropped());
    let name = "tidemill_spans_dropped_total";
    page.family(name, "counter", "Spans of traces that the collector did not take in time.");
    page.line(name, &[], dropped);
    page.into_text()
}

fn engine(page: &mut Page, engine: &EngineMetrics) {
    page.counters(
        "tidemill_commands_total",
        "Commands that took effect or were refused.",
        ["command", "outcome"],
        &engine.commands,
    );
    page.histogram(
        "tidemill_batch_commands",
        "Commands that one commit carries.",
        &engine.batch_commands,
        Unit::Number,
    );
    page.histograms(
        "tidemill_stage_seconds",
        "Where the time of commands goes: queue (before the loop takes them), load, run, commit, effects.",
        ["stage"],
        &engine.stage_times,
    );
    page.counters("tidemill_jobs_total", "What happened to jobs.", ["type", "event"], &engine.jobs);
    page.histograms(
        "tidemill_job_activation_seconds",
        "From when a job can be worked on until a worker has it.",
        ["type"],
        &engine.activation_times,
    );
    page.counter("tidemill_timers_fired_total", "Timers of processes that have fired.", &engine.timers_fired);
    page.histogram(
        "tidemill_timer_lateness_seconds",
        "How long after their time timers of processes took effect.",
        &engine.timer_lateness,
        Unit::Seconds,
    );
    page.counters(
        "tidemill_process_instances_started_total",
        "Process instances that were started.",
        ["process"],
        &engine.started,
    );
    page.counters(
        "tidemill_process_instances_ended_total",
        "Process instances that have ended.",
        ["process", "state"],
        &engine.ended,
    );
    page.counters(
        "tidemill_incidents_raised_total",
        "Incidents that were raised.",
        ["process", "kind"],
        &engine.incidents,
    );
    page.counters(
        "tidemill_incidents_resolved_total",
        "Incidents that were resolved.",
        ["process"],
        &engine.incidents_resolved,
    );
    page.counter(
        "tidemill_dead_letters_total",
        "Commands that were put aside because they could not be run.",
        &engine.dead_letters,
    );
}

/// Each value of the partitions that this node has.
fn partitions(page: &mut Page, engine: &EngineMetrics) {
    let partitions = engine.partitions.cells();
    let mut write = |name: &str, kind: &str, help: &str, value: &dyn Fn(&super::PartitionCells) -> f64| {
        page.family(name, kind, help);
        for ([partition], cells) in &partitions {
            page.line(name, &[("partition", partition)], value(cells));
        }
    };
    write(
        "tidemill_loop_busy_seconds_total",
        "counter",
        "Time in which the loop of a partition worked.",
        &|p| p.busy_us.get() as f64 / 1e6,
    );
    write("tidemill_partition_commands_total", "counter", "Commands that a partition has answered.", &|p| {
        p.commands.get() as f64
    });
    write("tidemill_queue_commands", "gauge", "Commands that wait, run or are being written.", &|p| {
        p.queued.get() as f64
    });
    write(
        "tidemill_inbox_entries",
        "gauge",
        "Entries of the inbox that were read and are not done with; the store may hold more while there are 512 or more.",
        &|p| p.inbox.get() as f64,
    );
    write(
        "tidemill_inbox_oldest_seconds",
        "gauge",
        "How long the oldest entry of the inbox had waited when it was read; 0 when there is none.",
        &|p| p.inbox_oldest_ms.get() as f64 / 1e3,
    );
    write("tidemill_workers_waiting", "gauge", "Workers that wait for jobs.", &|p| {
        p.workers_waiting.get() as f64
    });
    write("tidemill_timers_in_memory", "gauge", "Timers of processes that are due soon.", &|p| {
        p.timers_in_memory.get() as f64
    });
    write("tidemill_rows_in_memory", "gauge", "Rows of process instances in memory.", &|p| {
        p.rows_in_memory.get() as f64
    });
}

fn cache(page: &mut Page, node: &Node) {
    let cache = &node.metrics().cache;
    page.counters(
        "tidemill_definition_cache_hits_total",
        "Definitions that were found in the cache.",
        ["tenant"],
        &cache.hits,
    );
    page.counters(
        "tidemill_definition_cache_misses_total",
        "Definitions that had to be read and compiled.",
        ["tenant"],
        &cache.misses,
    );
    page.counter(
        "tidemill_definition_cache_evictions_total",
        "Definitions that had to leave the cache.",
        &cache.evictions,
    );
    page.histogram(
        "tidemill_definition_cache_load_seconds",
        "Time to read and compile a definition.",
        &cache.load_times,
        Unit::Seconds,
    );
    let (entries, bytes) = node.definitions().fill();
    page.gauge("tidemill_definition_cache_entries", "Definitions in the cache.", entries);
    page.gauge("tidemill_definition_cache_bytes", "Memory of the definitions in the cache.", bytes);
}

fn store(page: &mut Page, store: &StoreMetrics) {
    page.gauge("tidemill_store_up", "1 while the store answers.", 1 - store.is_away.get());
    page.counters("tidemill_commits_total", "Commits by what became of them.", ["outcome"], &store.commits);
    page.histograms(
        "tidemill_store_call_seconds",
        "Time of calls to the store.",
        ["call"],
        &store.call_times,
    );
    page.counters("tidemill_purged_rows_total", "Rows whose time was over.", ["table"], &store.purged);
    page.gauge(
        "tidemill_clock_skew_seconds",
        "Clock of the store less that of this machine.",
        store.clock_skew_ms.get() as f64 / 1e3,
    );
}

/// The connections to the store, by what they are for.
fn pools(page: &mut Page, pools: &[PoolUse]) {
    let mut write = |name: &str, help: &str, value: &dyn Fn(&PoolUse) -> u64| {
        page.family(name, "gauge", help);
        for pool in pools {
            page.line(name, &[("pool", pool.name)], value(pool));
        }
    };
    write("tidemill_store_connections", "Connections to the store that there may be.", &|pool| {
        pool.connections
    });
    write("tidemill_store_connections_in_use", "Connections to the store that are in use.", &|pool| {
        pool.in_use
    });
    write("tidemill_store_connections_waiting", "Calls that wait for a connection to the store.", &|pool| {
        pool.waiting
    });
    let name = "tidemill_store_statement_seconds";
    page.family(name, "summary", "Time of statements, or of groups of them that went to the store together.");
    for pool in pools {
        let labels = [("pool", pool.name)];
        page.line(&format!("{name}_sum"), &labels, pool.call_us as f64 / 1e6);
        page.line(&format!("{name}_count"), &labels, pool.calls);
    }
}

fn nodes(page: &mut Page, node_metrics: &NodeMetrics, node: &Node) {
    page.counters(
        "tidemill_ownership_changes_total",
        "Partitions that were taken, handed over or lost.",
        ["change"],
        &node_metrics.ownership_changes,
    );
    page.gauge("tidemill_partitions_owned", "Partitions that this node has.", node.partitions_owned());
    page.gauge("tidemill_nodes", "Nodes of the store that are alive.", node.nodes_alive());
}

/// Timers that belong to no process, by the partitions that this node has.
fn service_timers(page: &mut Page, node: &Node) {
    let numbers = node.timer_numbers();
    let mut write = |name: &str, kind: &str, help: &str, value: &dyn Fn(&LoopNumbers) -> f64| {
        page.family(name, kind, help);
        for (partition, numbers) in &numbers {
            page.line(name, &[("partition", &partition.to_string())], value(numbers));
        }
    };
    write("tidemill_service_timers_fired_total", "counter", "Service timers that have fired.", &|n| {
        n.fired as f64
    });
    write(
        "tidemill_service_timer_late_seconds",
        "gauge",
        "How late the last service timers were that have fired together.",
        &|n| n.late_ms as f64 / 1e3,
    );
    write(
        "tidemill_service_timer_commits_total",
        "counter",
        "Commits of the loops of service timers.",
        &|n| n.commits as f64,
    );
    write(
        "tidemill_service_timer_memory_bytes",
        "gauge",
        "Memory of service timers that are due soon.",
        &|n| n.memory_bytes as f64,
    );
    write(
        "tidemill_service_timers_stuck",
        "gauge",
        "1 while something keeps service timers from firing.",
        &|n| f64::from(u8::from(n.trouble.is_some())),
    );
    if let Some(outcomes) = node.callback_outcomes() {
        let name = "tidemill_callbacks_total";
        page.family(name, "counter", "Callbacks of service timers by what became of them.");
        page.line(name, &[("outcome", "delivered")], outcomes.delivered.get());
        page.line(name, &[("outcome", "retried")], outcomes.retried.get());
        page.line(name, &[("outcome", "given_up")], outcomes.given_up.get());
    }
}
