//! `tidemill bench append`: how fast commands come into the durable inbox, at the store and through REST, and how
//! soon an owner elsewhere has worked them off.

mod rest;
mod store;
mod wake;

use super::place::FreshPlace;
use super::report::percentile_ms;
use crate::output::print_rows;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::time::Duration;

/// Commands per second into the durable inbox, and the time until an owner elsewhere has worked one off
///
/// At the store: many callers with one command each, next to one caller with a thousand at a time, which is what the
/// bare store can do. Through REST: instances started with `Prefer: respond-async` on keep-alive connections while the
/// server works them off. Wake-up: appended through one instance of the store, until the owner, which uses another
/// one, has committed it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill bench append
  tidemill bench append --store postgres://postgres@localhost/postgres --json")]
pub(super) struct Append {
    /// Store to append to, sqlite:PATH, postgres://... or redis://...; on a server in a new schema or under a new prefix, dropped afterwards [default: a
    /// new file in this directory, removed afterwards]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Seconds to measure each way in
    #[arg(long, default_value_t = 5, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// Callers at the store
    #[arg(long, default_value_t = 512, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    callers: u16,

    /// Connections to the server
    #[arg(long, default_value_t = 128, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    clients: u16,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    appends_per_s: f64,
    store_limit_per_s: f64,
    ratio: f64,
    rest_appends_per_s: f64,
    rest_p50_ms: f64,
    rest_p99_ms: f64,
    rest_refused: u64,
    sleeping_owner_p50_ms: f64,
    sleeping_owner_p99_ms: f64,
    waking_owner_p50_ms: f64,
    waking_owner_p99_ms: f64,
}

impl Append {
    pub(super) fn run(self) -> Result<()> {
        let time = Duration::from_secs(self.seconds);
        let report = self.measure(time)?;
        match self.json {
            true => println!("{:#}", serde_json::to_value(&report)?),
            false => report.print(),
        }
        Ok(())
    }

    fn measure(&self, time: Duration) -> Result<Report> {
        let (appends_per_s, store_limit_per_s, wakes) = {
            let place = FreshPlace::make(self.store.as_deref())?;
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            let (through, bare) =
                runtime.block_on(store::measure(&place, usize::from(self.callers), time))?;
            (through, bare, runtime.block_on(wake::measure(&place.beside()))?)
        };
        let place = FreshPlace::make(self.store.as_deref())?;
        let rest = rest::measure(&place, usize::from(self.clients), time)?;
        Ok(Report {
            appends_per_s,
            store_limit_per_s,
            ratio: appends_per_s / store_limit_per_s,
            rest_appends_per_s: rest.latencies_us.len() as f64 / rest.seconds,
            rest_p50_ms: percentile_ms(&rest.latencies_us, 50.0),
            rest_p99_ms: percentile_ms(&rest.latencies_us, 99.0),
            rest_refused: rest.refused,
            sleeping_owner_p50_ms: percentile_ms(&wakes.sleeping_us, 50.0),
            sleeping_owner_p99_ms: percentile_ms(&wakes.sleeping_us, 99.0),
            waking_owner_p50_ms: percentile_ms(&wakes.waking_us, 50.0),
            waking_owner_p99_ms: percentile_ms(&wakes.waking_us, 99.0),
        })
    }
}

impl Report {
    fn print(&self) {
        let ms = |value: f64| format!("{value:.1} ms");
        let rows = [
            ("appends/s at the store", format!("{:.0}", self.appends_per_s)),
            ("store's bare limit, appends/s", format!("{:.0}", self.store_limit_per_s)),
            ("ratio", format!("{:.2}", self.ratio)),
            ("appends/s through REST", format!("{:.0}", self.rest_appends_per_s)),
            ("through REST, p50", ms(self.rest_p50_ms)),
            ("through REST, p99", ms(self.rest_p99_ms)),
            ("requests refused", self.rest_refused.to_string()),
            ("wake-up of a sleeping owner, p50", ms(self.sleeping_owner_p50_ms)),
            ("wake-up of a sleeping owner, p99", ms(self.sleeping_owner_p99_ms)),
            ("an owner that is awake, p50", ms(self.waking_owner_p50_ms)),
            ("an owner that is awake, p99", ms(self.waking_owner_p99_ms)),
        ];
        let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
        print_rows(["FIGURE", "VALUE"].into_iter(), rows);
    }
}
