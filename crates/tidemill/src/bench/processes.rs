//! `tidemill bench processes`: phases of load against a real server, then the bare store.

use super::child::{Child, Counts};
use super::load::{Experience, Load, Plan};
use super::model::Model;
use super::place::{BenchStore, FreshPlace};
use super::pulse::{Machine, Pulse};
use super::report::{HalfLoad, MetricsCost, OnRedis, Report, UnderSnapshot};
use crate::client::{Client, NewFile};
use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use tidemill_store_redis::Figures;

/// Between two looks at a running phase.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long batches are kept for the bare store.
const RECORDED: Duration = Duration::from_secs(3);

/// Processes per second, next to what the bare store could do with the same rows
///
/// Starts a server of its own on a fresh store, in a process of its own, and loads it over HTTP on loopback: clients
/// that start instances, workers that wait for jobs with long polls and complete each. Then the batches that the
/// server wrote are written again, straight to a fresh store with no engine: the ratio of the two tells what the
/// engine, HTTP and JSON cost. Everything is durable: a commit waits for fsync.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill bench processes
  tidemill bench processes --model ten-task --seconds 30 --json
  tidemill bench processes --store postgres://postgres@localhost/postgres --partitions 2
  tidemill bench processes --half-load                 latency of starts at half of the highest load
  tidemill bench processes --metrics compare           what counting for metrics costs
  tidemill bench processes --preload 500000            the cost of an instance does not grow with history")]
pub(super) struct Processes {
    /// Store of the server, sqlite:PATH, postgres://... or redis://...; on a server in a new schema or under a new prefix, dropped afterwards [default: a
    /// new file in this directory, removed afterwards]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Seconds to measure
    #[arg(long, default_value_t = 10, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// Seconds of load before that
    #[arg(long, default_value_t = 3, value_name = "S")]
    warm_up: u64,

    /// Process to run
    #[arg(long, value_enum, default_value_t = Model::OneTask)]
    model: Model,

    /// Connections that start instances, and as many that complete jobs
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    clients: u16,

    /// Instances that are on their way at the same time
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    in_flight: u32,

    /// Partitions of the store
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    partitions: u16,

    /// Measure the latency of starts at half of the highest load as well
    #[arg(long)]
    half_load: bool,

    /// Hold a snapshot open for so many seconds under load, as a backup does, and tell what it costs (Postgres)
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    old_snapshot: Option<u64>,

    /// Let so many instances end before anything is measured
    #[arg(long, default_value_t = 0, value_name = "N")]
    preload: u64,

    /// Count for metrics or not; compare does both by turns under the same load and tells what counting costs
    #[arg(long, value_enum, default_value_t = Counting::On, value_name = "MODE")]
    metrics: Counting,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Counting {
    On,
    Off,
    Compare,
}

/// The numbers of a measured phase.
struct Measured {
    experience: Experience,
    seconds: f64,
    counts: Counts,
    cpu_seconds: f64,
    peak_rss_mb: f64,
    machine: Machine,
    /// Of a Redis, over the phase.
    redis: Option<Figures>,
}

impl Processes {
    pub(super) fn run(self) -> Result<()> {
        let place = FreshPlace::make(self.store.as_deref())?;
        let mut child = Child::start(&place, self.partitions, None)?;
        let model = NewFile { name: "bench.bpmn".to_owned(), content: self.model.xml().into_bytes() };
        Client::new(&format!("http://{}", child.address)).deploy(&[model])?;
        child.count(self.metrics != Counting::Off)?;
        self.preload(&mut child)?;
        let high = self.measure(&mut child, &place, None)?;
        let highest = high.counts.instances as f64 / high.seconds;
        let half = match self.half_load {
            true => Some(self.measure(&mut child, &place, Some(highest / 2.0))?),
            false => None,
        };
        let snapshot = match self.old_snapshot {
            Some(seconds) => Some(self.under_snapshot(&mut child, &place, seconds)?),
            None => None,
        };
        let metrics = match self.metrics {
            Counting::Compare => Some(self.compare_metrics(&mut child)?),
            _ => None,
        };
        let bar = spinner("the bare store");
        let limit = child.limit().context("the bare store could not be measured")?;
        bar.finish_and_clear();
        let report = Report {
            model: self.model.name(),
            seconds: high.seconds,
            preloaded_instances: self.preload,
            instances_per_s: highest,
            store_limit_per_s: limit.instances_per_s(),
            ratio: highest / limit.instances_per_s(),
            create_p50_ms: high.experience.percentile_ms(50.0),
            create_p99_ms: high.experience.percentile_ms(99.0),
            create_max_ms: high.experience.percentile_ms(100.0),
            commits_per_s: high.counts.commits as f64 / high.seconds,
            rows_per_commit: high.counts.rows as f64 / high.counts.commits.max(1) as f64,
            rows_per_instance: high.counts.rows as f64 / high.counts.instances.max(1) as f64,
            store_limit_rows_per_s: limit.rows_per_s(),
            cpu_us_per_instance: high.cpu_seconds * 1e6 / high.counts.instances.max(1) as f64,
            peak_rss_mb: high.peak_rss_mb,
            refused: high.experience.refused,
            half_load: half.map(half_load),
            old_snapshot: snapshot,
            metrics,
            redis: limit.redis.clone().zip(high.redis).map(|(limit, used)| {
                let instances = high.counts.instances.max(1) as f64;
                OnRedis {
                    redis_cpu_us_per_instance: used.cpu_seconds * 1e6 / instances,
                    redis_bytes_per_instance: used.memory_bytes as f64 / instances,
                    redis_file_bytes_per_instance: used.file_bytes as f64 / instances,
                    limit,
                }
            }),
        };
        if self.json {
            println!("{:#}", serde_json::to_value(&report)?)
        } else {
            report.print()
        }
        Ok(())
    }

    fn plan(&self, child: &Child, pace: Option<f64>) -> Plan {
        Plan {
            address: child.address,
            model: self.model,
            clients: usize::from(self.clients),
            in_flight: self.in_flight as usize,
            pace,
        }
    }

    fn preload(&self, child: &mut Child) -> Result<()> {
        if self.preload == 0 {
            return Ok(());
        }
        let bar = bar(self.preload, "instances before");
        let load = Load::begin(self.plan(child, None));
        while child.counts()?.instances < self.preload {
            load.check()?;
            bar.set_position(child.counts()?.instances);
            std::thread::sleep(LOOK_EVERY);
        }
        bar.finish_and_clear();
        load.end().map(drop)
    }

    fn measure(&self, child: &mut Child, place: &BenchStore, pace: Option<f64>) -> Result<Measured> {
        let load = Load::begin(self.plan(child, pace));
        let phase = if pace.is_some() { "half load" } else { "highest load" };
        wait(&load, Duration::from_secs(self.warm_up), "warm-up")?;
        let (before, cpu_before, began) = (child.counts()?, child.cpu_seconds()?, Instant::now());
        let redis_before = redis_figures(place)?;
        let pulse = Pulse::begin(place.directory())?;
        load.measure(true);
        wait(&load, Duration::from_secs(self.seconds), phase)?;
        load.measure(false);
        let machine = pulse.end()?;
        let redis = redis_figures(place)?.zip(redis_before).map(|(after, before)| after.since(&before));
        let (after, seconds) = (child.counts()?, began.elapsed().as_secs_f64());
        let cpu_seconds = child.cpu_seconds()? - cpu_before;
        let peak_rss_mb = child.peak_rss_mb()?;
        if pace.is_none() {
            child.record(true)?;
            wait(&load, RECORDED, "recording batches")?;
            child.record(false)?;
        }
        let counts = Counts {
            commits: after.commits - before.commits,
            rows: after.rows - before.rows,
            instances: after.instances - before.instances,
        };
        Ok(Measured { experience: load.end()?, seconds, counts, cpu_seconds, peak_rss_mb, machine, redis })
    }
}

impl Processes {
    /// The same load before and while somebody holds a snapshot.
    fn under_snapshot(&self, child: &mut Child, place: &BenchStore, seconds: u64) -> Result<UnderSnapshot> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let load = Load::begin(self.plan(child, None));
        wait(&load, Duration::from_secs(self.warm_up), "warm-up")?;
        let before_snapshot_per_s = rate(child, &load, self.seconds, "before the snapshot")?;
        let snapshot = runtime.block_on(place.hold_snapshot())?;
        let last = seconds.min(10);
        let (began, first) = (Instant::now(), child.counts()?.instances);
        wait(&load, Duration::from_secs(seconds - last), "old snapshot")?;
        let old_snapshot_end_per_s = rate(child, &load, last, "old snapshot")?;
        let instances = child.counts()?.instances - first;
        let old_snapshot_per_s = instances as f64 / began.elapsed().as_secs_f64();
        drop(snapshot);
        load.end()?;
        Ok(UnderSnapshot { before_snapshot_per_s, old_snapshot_per_s, old_snapshot_end_per_s })
    }
}

/// Turns in which metrics are on, and as many in which they are off.
const TURNS: usize = 10;

impl Processes {
    /// The same load with metrics and without, by turns, so that whatever else the machine does meets both alike.
    fn compare_metrics(&self, child: &mut Child) -> Result<MetricsCost> {
        let load = Load::begin(self.plan(child, None));
        wait(&load, Duration::from_secs(self.warm_up), "warm-up")?;
        let seconds = self.seconds.div_ceil(5).max(1);
        let (mut on, mut off) = (Turns::default(), Turns::default());
        for turn in 0..TURNS {
            // On first, then off first: a load that drifts favours neither.
            for is_on in [turn % 2 == 0, turn % 2 == 1] {
                child.count(is_on)?;
                let (cpu, first, began) = (child.cpu_seconds()?, child.counts()?.instances, Instant::now());
                wait(&load, Duration::from_secs(seconds), "metrics by turns")?;
                let instances = (child.counts()?.instances - first) as f64;
                let turns = if is_on { &mut on } else { &mut off };
                turns.per_s.push(instances / began.elapsed().as_secs_f64());
                turns.cpu_us.push((child.cpu_seconds()? - cpu) * 1e6 / instances.max(1.0));
            }
        }
        child.count(true)?;
        load.end()?;
        let (with_metrics_per_s, without_metrics_per_s) = (median(on.per_s), median(off.per_s));
        let (with_metrics_cpu_us, without_metrics_cpu_us) = (median(on.cpu_us), median(off.cpu_us));
        Ok(MetricsCost {
            with_metrics_per_s,
            without_metrics_per_s,
            metrics_cost_percent: 100.0 * (1.0 - with_metrics_per_s / without_metrics_per_s),
            with_metrics_cpu_us,
            without_metrics_cpu_us,
            metrics_cpu_cost_percent: 100.0 * (with_metrics_cpu_us / without_metrics_cpu_us - 1.0),
        })
    }
}

#[derive(Default)]
struct Turns {
    per_s: Vec<f64>,
    cpu_us: Vec<f64>,
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    let (low, high) = (rates[(rates.len() - 1) / 2], rates[rates.len() / 2]);
    (low + high) / 2.0
}

/// Instances per second over so many seconds.
fn rate(child: &mut Child, load: &Load, seconds: u64, phase: &'static str) -> Result<f64> {
    let (began, first) = (Instant::now(), child.counts()?.instances);
    wait(load, Duration::from_secs(seconds), phase)?;
    Ok((child.counts()?.instances - first) as f64 / began.elapsed().as_secs_f64())
}

fn half_load(measured: Measured) -> HalfLoad {
    let Measured { experience, machine, .. } = &measured;
    let left_alone = experience.starts.iter().filter(|start| machine.left_alone(start)).count();
    HalfLoad {
        half_load_left_alone_p99_ms: experience.percentile_ms_of(99.0, |start| machine.left_alone(start)),
        half_load_left_alone_percent: left_alone as f64 * 100.0 / experience.starts.len().max(1) as f64,
        half_load_per_s: measured.counts.instances as f64 / measured.seconds,
        half_load_create_p50_ms: measured.experience.percentile_ms(50.0),
        half_load_create_p99_ms: measured.experience.percentile_ms(99.0),
        half_load_create_max_ms: measured.experience.percentile_ms(100.0),
        machine: measured.machine,
    }
}

fn redis_figures(place: &BenchStore) -> Result<Option<Figures>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(place.redis_figures())
}

fn wait(load: &Load, time: Duration, phase: &'static str) -> Result<()> {
    let bar = bar(time.as_millis() as u64, phase);
    let began = Instant::now();
    while began.elapsed() < time {
        load.check()?;
        bar.set_position(began.elapsed().as_millis() as u64);
        std::thread::sleep(LOOK_EVERY.min(time.saturating_sub(began.elapsed())));
    }
    bar.finish_and_clear();
    Ok(())
}

/// Shown on a terminal only.
fn bar(length: u64, phase: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg:18} {bar:40} {percent:>3}%").expect("the template is valid");
    ProgressBar::new(length).with_style(style).with_message(phase)
}

fn spinner(phase: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(phase);
    bar.enable_steady_tick(LOOK_EVERY);
    bar
}
