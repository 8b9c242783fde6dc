//! A timer loop under load.

use crate::bench::place::BenchStore;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tidemill_model::{PartitionCount, PartitionId, Text};
use tidemill_server::timers::{FiredBatch, TimerHandle, TimerLoop};
use tidemill_timers::block::{Flags, Scope};
use tidemill_timers::shard::{Answer, Config, Create, LANE_OF_NOBODY, Mode, Request, Target};
use tokio::task::JoinSet;

/// Timers of one request.
pub(super) const BULK: u64 = 5_000;
/// Requests on their way at a time: while one is being written, the next are made.
const AT_A_TIME: usize = 8;
/// After the last timer is due, so long may the rest take.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Load {
    pub(super) count: u64,
    pub(super) spread: Duration,
    pub(super) payload_bytes: usize,
    pub(super) rate: u64,
}

pub(super) struct Through {
    pub(super) created_per_s: f64,
    pub(super) fired_per_s: f64,
    pub(super) lateness: Lateness,
    pub(super) commits: u64,
    pub(super) cpu_seconds: f64,
    pub(super) peak_rss_mb: f64,
}

/// How many timers were how late, by whole milliseconds.
#[derive(Default)]
pub(super) struct Lateness {
    by_ms: BTreeMap<i64, u64>,
    pub(super) early: u64,
}

impl Lateness {
    fn note(&mut self, fired: &FiredBatch) {
        let late_ms = fired.landed_ms - fired.first_due_ms;
        if late_ms < 0 {
            self.early += fired.count as u64;
        }
        *self.by_ms.entry(late_ms).or_default() += fired.count as u64;
    }

    pub(super) fn percentile_ms(&self, percent: f64) -> f64 {
        let all: u64 = self.by_ms.values().sum();
        let wanted = (all as f64 * percent / 100.0).ceil() as u64;
        let mut seen = 0;
        let found = self.by_ms.iter().find(|(_, count)| {
            seen += **count;
            seen >= wanted.max(1)
        });
        found.map_or(0.0, |(ms, _)| *ms as f64)
    }
}

#[derive(Default)]
struct Counts {
    fired: AtomicU64,
    commits: AtomicU64,
    lateness: Mutex<Lateness>,
}

pub(super) fn measure(place: &BenchStore, load: &Load) -> Result<Through> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(place, load))
}

async fn run(place: &BenchStore, load: &Load) -> Result<Through> {
    let store = place.open(PartitionCount::ONE, None).await?;
    let holder = Text::new_static("bench");
    let owned =
        store.acquire(PartitionId::FIRST, &holder, 3_600_000).await?.context("a fresh store has no owner")?;
    let counts = Arc::<Counts>::default();
    let noted = counts.clone();
    let on_fired = Arc::new(move |fired: &FiredBatch| {
        noted.fired.fetch_add(fired.count as u64, Ordering::Relaxed);
        noted.commits.fetch_add(1, Ordering::Relaxed);
        noted.lateness.lock().expect("no holder panics").note(fired);
    });
    let (timers, handle) =
        TimerLoop::new(store, PartitionId::FIRST, holder, owned.now, Config::default(), on_fired);
    let looped = tokio::spawn(timers.run());
    let (cpu_before, began) = (cpu_seconds()?, Instant::now());
    let sampled = sample(counts.clone(), began + load.spread);
    create_all(&handle, load, began).await?;
    let (created_after, fired_then) = (began.elapsed(), counts.fired.load(Ordering::Relaxed));
    let steady = sampled.await?.map(|(at, fired)| {
        let seconds = created_after.saturating_sub(at - began).as_secs_f64();
        (fired_then.saturating_sub(fired), seconds)
    });
    wait_for_all(&counts, load, began + created_after + load.spread + PATIENCE).await?;
    let all_after = began.elapsed();
    let cpu_seconds = cpu_seconds()? - cpu_before;
    drop(handle);
    looped.await??;
    // While some are created, others fire: that is the rate that counts. A run that is too short for it counts as a whole.
    let fired_per_s = match steady {
        Some((fired, seconds)) if seconds >= 3.0 => fired as f64 / seconds,
        _ => load.count as f64 / all_after.as_secs_f64(),
    };
    let lateness = std::mem::take(&mut *counts.lateness.lock().expect("no holder panics"));
    Ok(Through {
        created_per_s: load.count as f64 / created_after.as_secs_f64(),
        fired_per_s,
        lateness,
        commits: counts.commits.load(Ordering::Relaxed),
        cpu_seconds,
        peak_rss_mb: peak_rss_mb()?,
    })
}

/// Timers that had fired at this moment, if it comes.
fn sample(counts: Arc<Counts>, moment: Instant) -> tokio::task::JoinHandle<Option<(Instant, u64)>> {
    tokio::spawn(async move {
        let wait = moment.saturating_duration_since(Instant::now());
        if wait > Duration::from_secs(600) {
            return None;
        }
        tokio::time::sleep(wait).await;
        Some((Instant::now(), counts.fired.load(Ordering::Relaxed)))
    })
}

async fn create_all(handle: &TimerHandle, load: &Load, began: Instant) -> Result<()> {
    let (mut on_their_way, mut made) = (JoinSet::new(), 0);
    let mut maker = Maker::new(load);
    while made < load.count {
        if on_their_way.len() >= AT_A_TIME {
            settle(on_their_way.join_next().await)?;
        }
        if load.rate > 0 {
            let due = began + Duration::from_secs_f64(made as f64 / load.rate as f64);
            tokio::time::sleep(due.saturating_duration_since(Instant::now())).await;
        }
        let bulk = if load.rate > 0 { BULK.min(load.rate / 100).max(1) } else { BULK };
        let creates = maker.make(bulk.min(load.count - made), now_ms());
        made += creates.len() as u64;
        let handle = handle.clone();
        on_their_way.spawn(async move { handle.request(Request::CreateAll(creates.into())).await });
    }
    while let Some(ended) = on_their_way.join_next().await {
        settle(Some(ended))?;
    }
    Ok(())
}

type Ended = Result<Result<Answer, tidemill_server::timers::TimerError>, tokio::task::JoinError>;

fn settle(ended: Option<Ended>) -> Result<()> {
    let Some(answer) = ended.transpose()?.transpose()? else { return Ok(()) };
    let Answer::All(answers) = answer else { bail!("a bulk was answered by {answer:?}") };
    match answers.iter().find(|answer| !matches!(answer, Answer::Created { .. })) {
        Some(other) => bail!("a timer was answered by {other:?}"),
        None => Ok(()),
    }
}

async fn wait_for_all(counts: &Counts, load: &Load, until: Instant) -> Result<()> {
    loop {
        let fired = counts.fired.load(Ordering::Relaxed);
        if fired >= load.count {
            return Ok(());
        }
        if Instant::now() > until {
            bail!("{} of {} timers have not fired", load.count - fired, load.count);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Makes timers with due times at random.
pub(super) struct Maker {
    scope: Arc<Scope>,
    target: Target,
    spread_ms: u64,
    payload_bytes: usize,
    random: u64,
}

impl Maker {
    pub(super) fn new(load: &Load) -> Maker {
        Maker {
            scope: Arc::new(Scope { tenant: "<default>".into(), namespace: "bench".into() }),
            target: Target { lane: LANE_OF_NOBODY, data: Arc::from(&b"nobody"[..]) },
            spread_ms: load.spread.as_millis() as u64,
            payload_bytes: load.payload_bytes,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    pub(super) fn make(&mut self, count: u64, now_ms: i64) -> Vec<Create> {
        (0..count)
            .map(|_| Create {
                own_id: None,
                mode: Mode::Fail,
                scope: self.scope.clone(),
                due_ms: now_ms + 1 + (self.next() % self.spread_ms) as i64,
                scheduled_ms: None,
                target: self.target.clone(),
                flags: Flags(0),
                payload: (0..self.payload_bytes).map(|_| self.next() as u8).collect(),
            })
            .collect()
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

pub(super) fn now_ms() -> i64 {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    age.as_millis() as i64
}

/// Processor time of this process, user and system.
fn cpu_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    // Behind the name, utime and stime are the 12th and 13th field, in hundredths of a second.
    Ok((ticks(11) + ticks(12)) / 100.0)
}

fn peak_rss_mb() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no peak in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
