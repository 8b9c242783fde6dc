//! The figures: a table for people, JSON for programs.

use super::limit::{Limit, RedisLimit};
use super::load::{Experience, Start};
use super::pulse::Machine;
use crate::output::print_rows;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) model: &'static str,
    pub(super) seconds: f64,
    pub(super) preloaded_instances: u64,
    pub(super) instances_per_s: f64,
    pub(super) store_limit_per_s: f64,
    pub(super) ratio: f64,
    pub(super) create_p50_ms: f64,
    pub(super) create_p99_ms: f64,
    pub(super) create_max_ms: f64,
    pub(super) commits_per_s: f64,
    pub(super) rows_per_commit: f64,
    pub(super) rows_per_instance: f64,
    pub(super) store_limit_rows_per_s: f64,
    pub(super) cpu_us_per_instance: f64,
    pub(super) peak_rss_mb: f64,
    pub(super) refused: u64,
    #[serde(flatten)]
    pub(super) half_load: Option<HalfLoad>,
    #[serde(flatten)]
    pub(super) old_snapshot: Option<UnderSnapshot>,
    #[serde(flatten)]
    pub(super) metrics: Option<MetricsCost>,
    #[serde(flatten)]
    pub(super) redis: Option<OnRedis>,
}

/// What a run takes of Redis itself.
#[derive(Serialize)]
pub(super) struct OnRedis {
    pub(super) redis_cpu_us_per_instance: f64,
    /// Of finished instances with their history, their part of the log and of the answers.
    pub(super) redis_bytes_per_instance: f64,
    pub(super) redis_file_bytes_per_instance: f64,
    #[serde(flatten)]
    pub(super) limit: RedisLimit,
}

/// How it feels when the server is not driven to its limit.
#[derive(Serialize)]
pub(super) struct HalfLoad {
    pub(super) half_load_per_s: f64,
    pub(super) half_load_create_p50_ms: f64,
    pub(super) half_load_create_p99_ms: f64,
    pub(super) half_load_create_max_ms: f64,
    /// Of the starts that met no stall of the machine itself, and how many these were.
    pub(super) half_load_left_alone_p99_ms: f64,
    pub(super) half_load_left_alone_percent: f64,
    /// In the same seconds.
    #[serde(flatten)]
    pub(super) machine: Machine,
}

/// The cost of an old snapshot that somebody holds.
#[derive(Serialize)]
pub(super) struct UnderSnapshot {
    pub(super) before_snapshot_per_s: f64,
    pub(super) old_snapshot_per_s: f64,
    /// In its last seconds, when it is oldest.
    pub(super) old_snapshot_end_per_s: f64,
}

/// Measures the cost of counting for metrics. On a machine that others use as well, the processor time tells more than the rate.
#[derive(Serialize)]
pub(super) struct MetricsCost {
    pub(super) with_metrics_per_s: f64,
    pub(super) without_metrics_per_s: f64,
    pub(super) metrics_cost_percent: f64,
    pub(super) with_metrics_cpu_us: f64,
    pub(super) without_metrics_cpu_us: f64,
    pub(super) metrics_cpu_cost_percent: f64,
}

impl Limit {
    pub(super) fn instances_per_s(&self) -> f64 {
        self.instances as f64 / self.seconds
    }

    pub(super) fn rows_per_s(&self) -> f64 {
        self.rows as f64 / self.seconds
    }
}

impl Experience {
    /// The latency that so many percent of the starts have not exceeded.
    pub(super) fn percentile_ms(&self, percent: f64) -> f64 {
        self.percentile_ms_of(percent, |_| true)
    }

    /// The same of some of them.
    pub(super) fn percentile_ms_of(&self, percent: f64, counts: impl Fn(&Start) -> bool) -> f64 {
        let latencies_us: Vec<u32> =
            self.starts.iter().filter(|start| counts(start)).map(|start| start.latency_us).collect();
        percentile_ms(&latencies_us, percent)
    }
}

/// Of sorted latencies.
pub(super) fn percentile_ms(latencies_us: &[u32], percent: f64) -> f64 {
    let last = latencies_us.len().saturating_sub(1);
    let at = (latencies_us.len() as f64 * percent / 100.0) as usize;
    latencies_us.get(at.min(last)).map_or(f64::NAN, |us| f64::from(*us) / 1_000.0)
}

impl Report {
    pub(super) fn print(&self) {
        let mut rows = vec![
            ("model", self.model.to_owned()),
            ("instances/s", format!("{:.0}", self.instances_per_s)),
            ("store's bare limit, instances/s", format!("{:.0}", self.store_limit_per_s)),
            ("ratio", format!("{:.2}", self.ratio)),
            ("create p50", ms(self.create_p50_ms)),
            ("create p99", ms(self.create_p99_ms)),
            ("create max", ms(self.create_max_ms)),
        ];
        if let Some(half) = &self.half_load {
            rows.extend([
                ("half load, instances/s", format!("{:.0}", half.half_load_per_s)),
                ("half load, create p50", ms(half.half_load_create_p50_ms)),
                ("half load, create p99", ms(half.half_load_create_p99_ms)),
                ("half load, create max", ms(half.half_load_create_max_ms)),
                ("p99 where the machine did not stall", ms(half.half_load_left_alone_p99_ms)),
                ("starts that met no stall", format!("{:.1} %", half.half_load_left_alone_percent)),
                ("meanwhile, bare sync p99", ms(half.machine.machine_sync_p99_ms)),
                ("meanwhile, bare sync max", ms(half.machine.machine_sync_max_ms)),
                ("meanwhile, late wake-up p99", ms(half.machine.machine_wakes_late_p99_ms)),
                ("meanwhile, late wake-up max", ms(half.machine.machine_wakes_late_max_ms)),
            ]);
        }
        if let Some(snapshot) = &self.old_snapshot {
            rows.extend([
                ("before an old snapshot, instances/s", format!("{:.0}", snapshot.before_snapshot_per_s)),
                ("under an old snapshot, instances/s", format!("{:.0}", snapshot.old_snapshot_per_s)),
                ("at its end, instances/s", format!("{:.0}", snapshot.old_snapshot_end_per_s)),
            ]);
        }
        if let Some(cost) = &self.metrics {
            rows.extend([
                ("with metrics, instances/s", format!("{:.0}", cost.with_metrics_per_s)),
                ("without metrics, instances/s", format!("{:.0}", cost.without_metrics_per_s)),
                ("cost of metrics, rate", format!("{:.1} %", cost.metrics_cost_percent)),
                ("with metrics, processor time/instance", format!("{:.1} µs", cost.with_metrics_cpu_us)),
                (
                    "without metrics, processor time/instance",
                    format!("{:.1} µs", cost.without_metrics_cpu_us),
                ),
                ("cost of metrics, processor time", format!("{:.1} %", cost.metrics_cpu_cost_percent)),
            ]);
        }
        rows.extend([
            ("commits/s", format!("{:.0}", self.commits_per_s)),
            ("rows/commit", format!("{:.1}", self.rows_per_commit)),
            ("rows/instance", format!("{:.1}", self.rows_per_instance)),
            ("store's bare limit, rows/s", format!("{:.0}", self.store_limit_rows_per_s)),
            ("server's processor time/instance", format!("{:.0} µs", self.cpu_us_per_instance)),
            ("server's peak memory", format!("{:.0} MB", self.peak_rss_mb)),
        ]);
        if let Some(redis) = &self.redis {
            let us = |value: f64| format!("{value:.1} µs");
            rows.extend([
                ("Redis' processor time/instance", us(redis.redis_cpu_us_per_instance)),
                ("Redis' memory/finished instance", format!("{:.0} B", redis.redis_bytes_per_instance)),
                ("Redis' file/instance", format!("{:.0} B", redis.redis_file_bytes_per_instance)),
                ("same batches, functions, Redis' time", us(redis.limit.redis_function_cpu_us_per_instance)),
                ("same batches, plain MULTI, Redis' time", us(redis.limit.redis_multi_cpu_us_per_instance)),
                ("functions to plain MULTI", format!("{:.2}", redis.limit.redis_cpu_ratio)),
                ("plain MULTI, instances/s", format!("{:.0}", redis.limit.redis_multi_per_s)),
            ]);
        }
        if self.preloaded_instances > 0 {
            rows.push(("instances ended before", self.preloaded_instances.to_string()));
        }
        if self.refused > 0 {
            rows.push(("requests refused", self.refused.to_string()));
        }
        let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
        print_rows(["FIGURE", "VALUE"].into_iter(), rows);
    }
}

fn ms(value: f64) -> String {
    format!("{value:.1} ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_within_what_was_seen() {
        let began = std::time::Instant::now();
        let starts = (1..=1_000).map(|n| Start { began, latency_us: n * 1_000 }).collect();
        let experience = Experience { starts, refused: 0 };
        assert_eq!(experience.percentile_ms(50.0), 501.0);
        assert_eq!(experience.percentile_ms(99.0), 991.0);
        assert_eq!(experience.percentile_ms(100.0), 1_000.0);
        assert_eq!(experience.percentile_ms_of(100.0, |start| start.latency_us < 10_000), 9.0);
        let none = Experience { starts: Vec::new(), refused: 0 };
        assert!(none.percentile_ms(50.0).is_nan());
    }
}
