//! The figures that `tidemill top` shows: rates between two readings, and what is as it is now.

use super::page::MetricsPage;
use std::collections::BTreeMap;

/// Processes and job types that are named.
const NAMED_MAX: usize = 8;

/// Rates per second, with the words they are shown under.
pub(super) const RATES: [(&str, &str); 6] = [
    ("commands", "tidemill_commands_total"),
    ("instances started", "tidemill_process_instances_started_total"),
    ("instances ended", "tidemill_process_instances_ended_total"),
    ("jobs completed", "tidemill_jobs_total"),
    ("timers fired", "tidemill_timers_fired_total"),
    ("HTTP requests", "tidemill_http_requests_total"),
];

/// Two readings of one server.
pub(super) struct Interval<'p> {
    pub(super) before: &'p MetricsPage,
    pub(super) now: &'p MetricsPage,
}

impl Interval<'_> {
    fn seconds(&self) -> f64 {
        self.now.read_at.duration_since(self.before.read_at).as_secs_f64().max(1e-3)
    }

    /// How fast a counter has grown. One that has begun anew counts from zero.
    fn grown(now: f64, before: f64) -> f64 {
        if now >= before { now - before } else { now }
    }

    pub(super) fn rate(&self, name: &str) -> f64 {
        let sum = |page: &MetricsPage| match name {
            "tidemill_jobs_total" => page.sum_where(name, |labels| labels["event"] == "completed"),
            _ => page.sum(name),
        };
        Self::grown(sum(self.now), sum(self.before)) / self.seconds()
    }

    /// The mean of a histogram in between, in milliseconds; none where nothing was seen.
    fn mean_ms(&self, name: &str, counts: impl Fn(&super::page::Labels) -> bool + Copy) -> Option<f64> {
        let (sum_name, count_name) = (format!("{name}_sum"), format!("{name}_count"));
        let grown =
            |name: &str| Self::grown(self.now.sum_where(name, counts), self.before.sum_where(name, counts));
        let (sum, count) = (grown(&sum_name), grown(&count_name));
        (count > 0.0).then(|| sum * 1e3 / count)
    }

    /// The stages of a command with their mean times.
    pub(super) fn stages(&self) -> Vec<(&'static str, Option<f64>)> {
        let stages = ["queue", "load", "run", "commit", "effects"];
        let mean = |stage: &'static str| {
            (stage, self.mean_ms("tidemill_stage_seconds", |labels| labels["stage"] == stage))
        };
        stages.into_iter().map(mean).collect()
    }

    pub(super) fn lateness_ms(&self) -> Option<f64> {
        self.mean_ms("tidemill_timer_lateness_seconds", |_| true)
    }

    /// The share of their time in which the loops worked, of all partitions of the server.
    pub(super) fn busy_percent(&self) -> f64 {
        let name = "tidemill_loop_busy_seconds_total";
        let loops = self.now.all(name).len().max(1) as f64;
        let busy = Self::grown(self.now.sum(name), self.before.sum(name));
        100.0 * busy / self.seconds() / loops
    }

    pub(super) fn hit_percent(&self) -> Option<f64> {
        let hits = self.rate("tidemill_definition_cache_hits_total");
        let misses = self.rate("tidemill_definition_cache_misses_total");
        (hits + misses > 0.0).then(|| 100.0 * hits / (hits + misses))
    }

    /// Job types whose jobs wait longest for a worker.
    pub(super) fn slowest_types(&self) -> Vec<(String, f64, f64)> {
        let name = "tidemill_job_activation_seconds";
        let (sums, counts) = (format!("{name}_sum"), format!("{name}_count"));
        let (sum, count) = (self.grown_by(&sums, "type"), self.grown_by(&counts, "type"));
        let mut types: Vec<_> = count
            .into_iter()
            .filter(|(_, count)| *count > 0.0)
            .map(|(name, count)| {
                let waited_ms = sum.get(&name).copied().unwrap_or_default() * 1e3 / count;
                (name, waited_ms, count / self.seconds())
            })
            .collect();
        types.sort_by(|a, b| b.1.total_cmp(&a.1));
        types.truncate(NAMED_MAX);
        types
    }

    /// Processes with the most instances started.
    pub(super) fn busiest_processes(&self) -> Vec<(String, f64)> {
        let started = self.grown_by("tidemill_process_instances_started_total", "process");
        let mut processes: Vec<_> = started
            .into_iter()
            .filter(|(_, count)| *count > 0.0)
            .map(|(name, count)| (name, count / self.seconds()))
            .collect();
        processes.sort_by(|a, b| b.1.total_cmp(&a.1));
        processes.truncate(NAMED_MAX);
        processes
    }

    fn grown_by(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let (now, before) = (self.now.by(name, label), self.before.by(name, label));
        let grown = now.into_iter().map(|(name, value)| {
            let was = before.get(&name).copied().unwrap_or_default();
            (name, Self::grown(value, was))
        });
        grown.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn pages(before: &str, now: &str) -> (MetricsPage, MetricsPage) {
        let before = MetricsPage::parse(before);
        let mut now = MetricsPage::parse(now);
        now.read_at = before.read_at + Duration::from_secs(2);
        (before, now)
    }

    #[test]
    fn rates_are_told_between_two_readings_and_survive_a_restart() {
        let (before, now) = pages("tidemill_commands_total 100\n", "tidemill_commands_total 160\n");
        assert_eq!(Interval { before: &before, now: &now }.rate("tidemill_commands_total"), 30.0);
        let (before, now) = pages("tidemill_commands_total 100\n", "tidemill_commands_total 20\n");
        assert_eq!(Interval { before: &before, now: &now }.rate("tidemill_commands_total"), 10.0);
    }

    #[test]
    fn the_slowest_types_come_first() {
        let line = |job_type: &str, sum: f64, count: u32| {
            format!(
                "tidemill_job_activation_seconds_sum{{type=\"{job_type}\"}} {sum}\n\
                 tidemill_job_activation_seconds_count{{type=\"{job_type}\"}} {count}\n"
            )
        };
        let now = format!("{}{}", line("fast", 0.1, 10), line("slow", 2.0, 4));
        let (before, now) = pages("", &now);
        let types = Interval { before: &before, now: &now }.slowest_types();
        assert_eq!(types, [("slow".into(), 500.0, 2.0), ("fast".into(), 10.0, 5.0)]);
    }
}
