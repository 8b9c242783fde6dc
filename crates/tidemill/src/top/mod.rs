//! `tidemill top`: what a running server does, from its metrics, as a view that goes on or once for scripts.

mod figures;
mod page;

use crate::client::Client;
use crate::output::{print_rows, say};
use anyhow::{Context, Result};
use clap::Args;
use console::Term;
use figures::{Interval, RATES};
use page::MetricsPage;
use std::collections::VecDeque;
use std::time::Duration;

/// Readings that a line of bars shows.
const HISTORY_MAX: usize = 40;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Watch what a server does: rates, where the time goes, what waits, the slowest job types, the busiest processes
///
/// Reads the metrics of the server (serve --metrics), so it costs the server as little as a scrape.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill top
  tidemill top --every 5
  tidemill top --once                              one look over a second, for scripts
  tidemill top --metrics http://10.0.0.7:9600      of a server elsewhere")]
pub(crate) struct Top {
    /// Where the server serves its metrics
    #[arg(long, env = "TIDEMILL_METRICS_URL", default_value = "http://127.0.0.1:9600", value_name = "URL")]
    metrics: String,

    /// Seconds between two looks
    #[arg(long, default_value_t = 1, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,

    /// Print one look and end
    #[arg(long)]
    once: bool,
}

impl Top {
    pub(crate) fn run(self) -> Result<()> {
        let client = Client::new(&self.metrics);
        let mut before = self.read(&client)?;
        let mut histories = vec![VecDeque::new(); RATES.len()];
        let terminal = Term::stdout();
        loop {
            std::thread::sleep(Duration::from_secs(self.every));
            let now = self.read(&client)?;
            let interval = Interval { before: &before, now: &now };
            note(&mut histories, &interval);
            if !self.once {
                terminal.clear_screen()?;
            }
            show(&interval, &histories);
            if self.once {
                return Ok(());
            }
            before = now;
        }
    }

    fn read(&self, client: &Client) -> Result<MetricsPage> {
        let text = client.download("/metrics").with_context(|| {
            format!(
                "cannot read {}/metrics; the server tells the address of its metrics when it starts",
                self.metrics
            )
        })?;
        Ok(MetricsPage::parse(&text))
    }
}

fn note(histories: &mut [VecDeque<f64>], interval: &Interval<'_>) {
    for (history, (_, name)) in histories.iter_mut().zip(RATES) {
        history.push_back(interval.rate(name));
        if history.len() > HISTORY_MAX {
            history.pop_front();
        }
    }
}

fn show(interval: &Interval<'_>, histories: &[VecDeque<f64>]) {
    let now = interval.now;
    let build = now.all("tidemill_build_info").first().map(|(labels, _)| labels.clone()).unwrap_or_default();
    let fact = |name: &str| build.get(name).cloned().unwrap_or_default();
    let store = if now.sum("tidemill_store_up") > 0.0 { "answers" } else { "IS AWAY" };
    say!(
        "tidemill {} {}   nodes {}   partitions here {}   store {store}   busy {:.0} %   memory {:.0} MB",
        fact("version"),
        fact("node"),
        now.sum("tidemill_nodes"),
        now.sum("tidemill_partitions_owned"),
        interval.busy_percent(),
        now.sum("process_resident_memory_bytes") / f64::from(1 << 20)
    );
    say!("");
    let rates = RATES.iter().zip(histories).map(|((title, _), history)| {
        let last = history.back().copied().unwrap_or_default();
        vec![(*title).to_owned(), format!("{last:.1}"), bars(history)]
    });
    print_rows(["RATE", "PER SECOND", ""].into_iter(), rates);
    say!("");
    let stages = interval.stages().into_iter().map(|(stage, mean)| vec![stage.to_owned(), ms(mean)]);
    print_rows(["STAGE", "MEAN"].into_iter(), stages);
    say!("");
    print_rows(["WAITING", "VALUE"].into_iter(), waiting(interval).into_iter());
    let types = interval.slowest_types();
    if !types.is_empty() {
        say!("");
        let types = types
            .into_iter()
            .map(|(name, waited_ms, rate)| vec![name, ms(Some(waited_ms)), format!("{rate:.1}")]);
        print_rows(["JOB TYPE", "WAITS FOR A WORKER", "PER SECOND"].into_iter(), types);
    }
    let processes = interval.busiest_processes();
    if !processes.is_empty() {
        say!("");
        let processes = processes.into_iter().map(|(name, rate)| vec![name, format!("{rate:.1}")]);
        print_rows(["PROCESS", "STARTED PER SECOND"].into_iter(), processes);
    }
}

fn waiting(interval: &Interval<'_>) -> Vec<Vec<String>> {
    let now = interval.now;
    let number = |name: &str| format!("{:.0}", now.sum(name));
    let hits = interval.hit_percent().map_or("-".to_owned(), |percent| format!("{percent:.2} %"));
    let facts = [
        ("commands in the queues", number("tidemill_queue_commands")),
        ("entries of the inboxes", number("tidemill_inbox_entries")),
        ("oldest of them, when read", format!("{:.1} s", now.max("tidemill_inbox_oldest_seconds"))),
        ("workers that wait for jobs", number("tidemill_workers_waiting")),
        ("timers late by", ms(interval.lateness_ms())),
        ("service timers late by", format!("{:.1} s", now.max("tidemill_service_timer_late_seconds"))),
        ("dead letters since the start", number("tidemill_dead_letters_total")),
        ("definitions found in the cache", hits),
    ];
    facts.into_iter().map(|(title, value)| vec![title.to_owned(), value]).collect()
}

fn ms(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2} ms"))
}

/// A line of bars: the highest reading is the tallest.
fn bars(history: &VecDeque<f64>) -> String {
    let most = history.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let bar = |value: &f64| BARS[((value / most) * (BARS.len() - 1) as f64).round() as usize];
    history.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_reach_from_nothing_to_the_most() {
        assert_eq!(bars(&VecDeque::from([0.0, 5.0, 10.0])), "▁▅█");
        assert_eq!(bars(&VecDeque::from([0.0])), "▁");
    }
}
