//! `tidemill bench nodes`: two servers on one Postgres or Redis, where one owns everything and the other is asked.

mod wake;

use super::child::{Child, Counts};
use super::load::{Experience, Load, Plan};
use super::model::Model;
use super::place::FreshPlace;
use super::report::percentile_ms;
use crate::client::{Client, NewFile};
use crate::output::print_rows;
use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Both ways in are measured with the same load.
const CLIENTS: usize = 64;
const IN_FLIGHT: usize = 256;
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The secret by which these two know each other; nobody else learns where they are.
const SECRET: &str = "two-servers-of-one-bench";

/// What it costs to ask a server for the work of another
///
/// Starts two servers on a fresh schema of a Postgres, or fresh keys of a Redis, with one partition, which the first of them owns. Wake-up: an
/// instance is started with `Prefer: respond-async`, until a worker that waits at the owner has its job; once at the
/// server that owns nothing, once at the owner itself. Forwarding: the load of `bench processes`, first with all requests
/// to the owner, then with all of them, workers included, to the other server.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill bench nodes --store postgres://postgres@localhost/postgres
  tidemill bench nodes --store postgres://postgres@localhost/postgres --seconds 20 --json")]
pub(super) struct Nodes {
    /// Postgres or Redis of the servers; in a new schema, or under a new prefix of keys, dropped afterwards
    #[arg(long, value_name = "URL")]
    store: String,

    /// Seconds to measure each way in
    #[arg(long, default_value_t = 10, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// Seconds of load before that
    #[arg(long, default_value_t = 3, value_name = "S")]
    warm_up: u64,

    /// Async starts to measure; an eighth of them find the owner asleep
    #[arg(long, default_value_t = 320, value_name = "N", value_parser = clap::value_parser!(u32).range(8..))]
    rounds: u32,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    wake_up_asleep_p50_ms: f64,
    wake_up_asleep_p99_ms: f64,
    wake_up_awake_p50_ms: f64,
    wake_up_awake_p99_ms: f64,
    at_owner_p50_ms: f64,
    at_owner_p99_ms: f64,
    direct_per_s: f64,
    direct_create_p50_ms: f64,
    direct_create_p99_ms: f64,
    forwarded_per_s: f64,
    forwarded_create_p50_ms: f64,
    forwarded_create_p99_ms: f64,
    ratio: f64,
    direct_cpu_us_per_instance: f64,
    forwarded_cpu_us_per_instance: f64,
    refused: u64,
}

/// One way in under load.
struct Measured {
    per_s: f64,
    cpu_us_per_instance: f64,
    experience: Experience,
}

impl Nodes {
    pub(super) fn run(self) -> Result<()> {
        let place = FreshPlace::make(Some(&self.store))?;
        ensure!(place.is_shared(), "two servers can share a Postgres or a Redis only");
        let mut owner = Child::start(&place, 1, Some(SECRET))?;
        let model = NewFile { name: "bench.bpmn".to_owned(), content: Model::OneTask.xml().into_bytes() };
        Client::new(&format!("http://{}", owner.address)).deploy(&[model])?;
        // It came second, and there is nothing to share.
        let other = Child::start(&place, 1, Some(SECRET))?;
        let wakes = wake::measure(owner.address, other.address, self.rounds)?;
        let direct = self.load(owner.address, &mut owner, &other)?;
        let forwarded = self.load(other.address, &mut owner, &other)?;
        let report = Report {
            wake_up_asleep_p50_ms: percentile_ms(&wakes.asleep_us, 50.0),
            wake_up_asleep_p99_ms: percentile_ms(&wakes.asleep_us, 99.0),
            wake_up_awake_p50_ms: percentile_ms(&wakes.awake_us, 50.0),
            wake_up_awake_p99_ms: percentile_ms(&wakes.awake_us, 99.0),
            at_owner_p50_ms: percentile_ms(&wakes.at_owner_us, 50.0),
            at_owner_p99_ms: percentile_ms(&wakes.at_owner_us, 99.0),
            direct_per_s: direct.per_s,
            direct_create_p50_ms: direct.experience.percentile_ms(50.0),
            direct_create_p99_ms: direct.experience.percentile_ms(99.0),
            forwarded_per_s: forwarded.per_s,
            forwarded_create_p50_ms: forwarded.experience.percentile_ms(50.0),
            forwarded_create_p99_ms: forwarded.experience.percentile_ms(99.0),
            ratio: forwarded.per_s / direct.per_s,
            direct_cpu_us_per_instance: direct.cpu_us_per_instance,
            forwarded_cpu_us_per_instance: forwarded.cpu_us_per_instance,
            refused: direct.experience.refused + forwarded.experience.refused,
        };
        match self.json {
            true => println!("{:#}", serde_json::to_value(&report)?),
            false => report.print(),
        }
        Ok(())
    }

    fn load(&self, address: SocketAddr, owner: &mut Child, other: &Child) -> Result<Measured> {
        let (model, clients, in_flight) = (Model::OneTask, CLIENTS, IN_FLIGHT);
        let load = Load::begin(Plan { address, model, clients, in_flight, pace: None });
        wait(&load, self.warm_up)?;
        let cpu = |owner: &Child| anyhow::Ok(owner.cpu_seconds()? + other.cpu_seconds()?);
        let (before, cpu_before, began) = (owner.counts()?, cpu(owner)?, Instant::now());
        load.measure(true);
        wait(&load, self.seconds)?;
        load.measure(false);
        let (Counts { instances, .. }, seconds) = (owner.counts()?, began.elapsed().as_secs_f64());
        let (ended, cpu_seconds) = ((instances - before.instances) as f64, cpu(owner)? - cpu_before);
        Ok(Measured {
            per_s: ended / seconds,
            cpu_us_per_instance: cpu_seconds * 1e6 / ended,
            experience: load.end()?,
        })
    }
}

fn wait(load: &Load, seconds: u64) -> Result<()> {
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        load.check()?;
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

impl Report {
    fn print(&self) {
        let ms = |value: f64| format!("{value:.1} ms");
        let rows = [
            ("async start at the other server, owner asleep, p50", ms(self.wake_up_asleep_p50_ms)),
            ("async start at the other server, owner asleep, p99", ms(self.wake_up_asleep_p99_ms)),
            ("async start at the other server, owner awake, p50", ms(self.wake_up_awake_p50_ms)),
            ("async start at the other server, owner awake, p99", ms(self.wake_up_awake_p99_ms)),
            ("async start at the owner, p50", ms(self.at_owner_p50_ms)),
            ("async start at the owner, p99", ms(self.at_owner_p99_ms)),
            ("instances/s at the owner", format!("{:.0}", self.direct_per_s)),
            ("create at the owner, p50", ms(self.direct_create_p50_ms)),
            ("create at the owner, p99", ms(self.direct_create_p99_ms)),
            ("instances/s at the other server", format!("{:.0}", self.forwarded_per_s)),
            ("create at the other server, p50", ms(self.forwarded_create_p50_ms)),
            ("create at the other server, p99", ms(self.forwarded_create_p99_ms)),
            ("ratio", format!("{:.2}", self.ratio)),
            ("processor time/instance at the owner", format!("{:.0} µs", self.direct_cpu_us_per_instance)),
            ("processor time/instance of both", format!("{:.0} µs", self.forwarded_cpu_us_per_instance)),
            ("requests refused", self.refused.to_string()),
        ];
        let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
        print_rows(["FIGURE", "VALUE"].into_iter(), rows);
    }
}
