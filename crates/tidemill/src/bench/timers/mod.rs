//! `tidemill bench timers`: service timers through create, commit, load, fire and delete, next to what the bare store does with
//! the same blocks.

mod client;
mod limit;
mod pending;
mod rows;
mod sink;
mod steady;
mod through;
mod usage;
mod via;

use super::place::FreshPlace;
use super::pulse::{Machine, Pulse};
use crate::output::print_rows;
use anyhow::{Result, bail};
use clap::Args;
pub(super) use pending::TimerStart;
use rows::{Reading, RowsCost};
use serde::Serialize;
use sink::Sink;
use std::time::Duration;
use through::Ids;
use via::Via;

/// Timers per second through a timer loop: created, written, fired and deleted
///
/// One timer loop creates timers in bulk, as fast as it takes them, with due times at random over the spread, until all
/// have fired, and have arrived where somebody is told of them. Rates are taken while some are created and others fire; if the given
/// number is too small for that, they are of the whole run, which takes as long as the spread at least. A spread of more than 15 minutes is run through by a simulated
/// time: all timers are created first, and then time jumps on by steps in which some thousands fall due, through every split. Beside it, in the same run: the same blocks
/// packed, committed, read back, unpacked and deleted one after another, with nothing around them; and plain rows, read in large pages ahead of time or second by second. Lateness is counted from the due time of the earliest timer of a commit until that commit is
/// durable, for all timers of the commit.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill bench timers
  tidemill bench timers --count 1000000 --spread 1d
  tidemill bench timers --count 200000 --sink batch --payload-bytes 200
  tidemill bench timers --count 200000 --via bulk --sink batch
  tidemill bench timers --pending 10000000
  tidemill bench timers --count 10000000 --spread 10s --store postgres://postgres@localhost/postgres --json")]
pub(super) struct Timers {
    /// Store to measure, sqlite:PATH, postgres://... or redis://...; on a server in a new schema or under a new prefix, dropped afterwards [default: a new file in
    /// this directory, removed afterwards]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Timers in all [default: as many as it takes until timers have been created and fired at the same time for 10 seconds; 4 million
    /// for a simulated day]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1_000..=1_000_000_000))]
    count: Option<u64>,

    /// Due times lie within so much time from their creation: 500ms, 10s, 5m, 1h, 1d
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = spread)]
    spread: Duration,

    /// Random bytes of payload that each timer carries
    #[arg(long, default_value_t = 0, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    payload_bytes: u32,

    /// Who names the timers
    #[arg(long, value_enum, default_value = "generated", value_name = "IDS")]
    ids: Ids,

    /// How timers get to the loop; by REST, somebody must be told of them (--sink http, batch or process)
    #[arg(long, value_enum, default_value = "loop", value_name = "WAY")]
    via: Via,

    /// Who is told of the timers that have fired
    #[arg(long, value_enum, default_value = "none", value_name = "SINK")]
    sink: Sink,

    /// Timers created per second at most; 0 is as fast as the loop takes them
    #[arg(long, default_value_t = 0, value_name = "N")]
    rate: u64,

    /// Instead of all this: a new process on a store with so many timers of the next year: its first timer, its memory, its speed
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "spread", "ids", "via", "sink", "rate"])]
    pending: Option<u64>,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    count: u64,
    /// The rates are of the time in which some were created while others fired; else of the whole run, which takes as long as the spread
    /// at least.
    is_steady: bool,
    created_per_s: f64,
    fired_per_s: f64,
    store_limit_per_s: f64,
    ratio: f64,
    rows_limit_per_s: f64,
    rows_preloaded: RowsCost,
    rows_one_second: RowsCost,
    late_p50_ms: Option<f64>,
    late_p99_ms: Option<f64>,
    late_max_ms: Option<f64>,
    early: u64,
    commits: u64,
    statements_per_1000: f64,
    wal_bytes_per_timer: f64,
    cpu_s_per_million: f64,
    peak_rss_mb: f64,
    #[serde(flatten)]
    machine: Machine,
}

impl Timers {
    pub(super) fn run(self) -> Result<()> {
        if let Some(pending) = self.pending {
            let payload_bytes = self.payload_bytes as usize;
            return pending::run(self.store.as_deref(), pending, payload_bytes, self.json);
        }
        let place = FreshPlace::make(self.store.as_deref())?;
        let load = through::Load {
            count: self.count,
            spread: self.spread,
            payload_bytes: self.payload_bytes as usize,
            rate: self.rate,
            ids: self.ids,
            sink: self.sink,
        };
        let is_told = matches!(self.sink, Sink::Http | Sink::Batch | Sink::Process);
        let pulse = Pulse::begin(place.directory())?;
        let through = match self.via {
            Via::Loop if self.sink == Sink::Process => {
                bail!("--sink process needs --via rest or bulk: instances are started by a whole node")
            }
            Via::Loop => through::measure(&place, &load)?,
            _ if !is_told => {
                bail!(
                    "--via rest and bulk need --sink http, batch or process: a node tells somebody of each timer"
                )
            }
            _ if load.is_simulated() || self.rate > 0 => {
                bail!("--via rest and bulk take neither a day's spread nor a rate")
            }
            via => via::measure(&place, &load, via)?,
        };
        let machine = pulse.end()?;
        let count = through.count;
        let limit = limit::measure(&place.beside(), &load, count, count / through.commits.max(1))?;
        let rows_preloaded = rows::measure(&place.beside_as("preloaded"), &load, count, Reading::Preloaded)?;
        let rows_one_second = rows::measure(&place.beside_as("window"), &load, count, Reading::OneSecond)?;
        let per_timer = |amount: u64| amount as f64 / count as f64;
        let report = Report {
            count,
            is_steady: through.is_steady,
            created_per_s: through.created_per_s,
            fired_per_s: through.fired_per_s,
            store_limit_per_s: limit,
            ratio: through.fired_per_s / limit,
            rows_limit_per_s: rows_preloaded.per_s,
            rows_preloaded,
            rows_one_second,
            late_p50_ms: through.lateness.percentile_ms(50.0),
            late_p99_ms: through.lateness.percentile_ms(99.0),
            late_max_ms: through.lateness.percentile_ms(100.0),
            early: through.lateness.early,
            commits: through.commits,
            statements_per_1000: 1_000.0 * per_timer(through.used.statements),
            wal_bytes_per_timer: per_timer(through.used.wal_bytes),
            cpu_s_per_million: through.used.cpu_seconds * 1e6 / count as f64,
            peak_rss_mb: through.peak_rss_mb,
            machine,
        };
        match self.json {
            true => println!("{:#}", serde_json::to_value(&report)?),
            false => report.print(),
        }
        if report.early > 0 {
            bail!("{} timers fired early", report.early);
        }
        Ok(())
    }
}

fn spread(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: u64 =
        number.parse().map_err(|_| format!("Expected a time such as 10s, but it is '{text}'"))?;
    let ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(format!("Expected a unit of ms, s, m, h or d, but it is '{unit}'")),
    };
    match number.checked_mul(ms) {
        Some(ms @ 1..=31_622_400_000) => Ok(Duration::from_millis(ms)),
        _ => Err(format!("Expected a time from 1ms to 366d, but it is '{text}'")),
    }
}

impl Report {
    fn print(&self) {
        let ms =
            |value: Option<f64>| value.map_or("not measured".to_owned(), |value| format!("{value:.1} ms"));
        let fired = match self.is_steady {
            true => "fired/s while others are created",
            false => "fired/s, the whole run with its spread counted",
        };
        let rows = [
            ("timers", self.count.to_string()),
            ("created/s", format!("{:.0}", self.created_per_s)),
            (fired, format!("{:.0}", self.fired_per_s)),
            ("store's bare limit for the same blocks, timers/s", format!("{:.0}", self.store_limit_per_s)),
            ("ratio", format!("{:.2}", self.ratio)),
            ("plain rows, preloaded, timers/s", format!("{:.0}", self.rows_preloaded.per_s)),
            ("plain rows, second by second, timers/s", format!("{:.0}", self.rows_one_second.per_s)),
            ("statements per 1,000 timers", format!("{:.2}", self.statements_per_1000)),
            ("the same with rows, preloaded", format!("{:.2}", self.rows_preloaded.statements_per_1000)),
            (
                "the same with rows, second by second",
                format!("{:.2}", self.rows_one_second.statements_per_1000),
            ),
            ("log of changes per timer", format!("{:.0} bytes", self.wal_bytes_per_timer)),
            (
                "the same with rows, preloaded",
                format!("{:.0} bytes", self.rows_preloaded.wal_bytes_per_timer),
            ),
            (
                "the same with rows, second by second",
                format!("{:.0} bytes", self.rows_one_second.wal_bytes_per_timer),
            ),
            ("late, p50", ms(self.late_p50_ms)),
            ("late, p99", ms(self.late_p99_ms)),
            ("late, at most", ms(self.late_max_ms)),
            ("early", self.early.to_string()),
            ("meanwhile, bare sync p99", ms(Some(self.machine.machine_sync_p99_ms))),
            (
                "meanwhile, a thread that sleeps wakes late, p99",
                ms(Some(self.machine.machine_wakes_late_p99_ms)),
            ),
            ("commits", self.commits.to_string()),
            ("processor time of this process per million", format!("{:.2} s", self.cpu_s_per_million)),
            ("peak memory", format!("{:.0} MB", self.peak_rss_mb)),
        ];
        let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
        print_rows(["FIGURE", "VALUE"].into_iter(), rows);
    }
}
