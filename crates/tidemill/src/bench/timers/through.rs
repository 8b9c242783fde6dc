//! A timer loop under load.

use super::sink::{Receiver, Sink};
use super::usage::{Usage, peak_rss_mb};
use crate::bench::place::BenchStore;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tidemill_model::{PartitionCount, PartitionId, Text};
use tidemill_server::timers::{FiredBatch, SimulatedTime, TimerError, TimerHandle, TimerLoop};
use tidemill_timers::block::{Flags, PlaceId, Scope};
use tidemill_timers::shard::{Answer, Config, Create, LANE_OF_NOBODY, Mode, Request, Target};
use tokio::task::JoinSet;

/// Timers of one request.
pub(super) const BULK: u64 = 5_000;
/// Requests on their way at a time: while one is being written, the next are made.
const AT_A_TIME: usize = 8;
/// A longer spread is run through by a simulated time.
const SPREAD_WAITED_FOR: Duration = Duration::from_secs(900);
/// After the last timer is due, so long may the rest take.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) count: u64,
    pub(super) spread: Duration,
    pub(super) payload_bytes: usize,
    pub(super) rate: u64,
    pub(super) ids: Ids,
    pub(super) sink: Sink,
}

impl Load {
    /// Nobody waits for a day: beyond some minutes all timers are created first, and then time jumps from one to the next.
    pub(super) fn is_simulated(&self) -> bool {
        self.spread > SPREAD_WAITED_FOR
    }
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Debug)]
pub(super) enum Ids {
    /// Each id carries where its timer is
    Generated,
    /// Chosen by the client: each is looked up and kept in an index
    Own,
}

pub(super) struct Through {
    pub(super) created_per_s: f64,
    pub(super) fired_per_s: f64,
    pub(super) lateness: Lateness,
    pub(super) commits: u64,
    pub(super) used: Usage,
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

    /// None if nobody has noted any.
    pub(super) fn percentile_ms(&self, percent: f64) -> Option<f64> {
        let all: u64 = self.by_ms.values().sum();
        let wanted = (all as f64 * percent / 100.0).ceil() as u64;
        let mut seen = 0;
        let found = self.by_ms.iter().find(|(_, count)| {
            seen += **count;
            seen >= wanted.max(1)
        });
        found.map(|(ms, _)| *ms as f64)
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
    let (mut timers, handle) =
        TimerLoop::new(store.clone(), PartitionId::FIRST, holder, owned.now, Config::default(), on_fired);
    let time = Arc::new(SimulatedTime::at(now_ms()));
    if load.is_simulated() {
        timers.simulate(time.clone());
    }
    let mut receiver = Receiver::start(load.sink).await?;
    receiver.take_from(store, &handle, timers.bell())?;
    let looped = tokio::spawn(timers.run());
    let (before, began) = (Usage::now(place).await?, Instant::now());
    let sampled = sample(counts.clone(), began + load.spread);
    create_all(&handle, load, &receiver.target, began).await?;
    let (created_after, fired_then) = (began.elapsed(), counts.fired.load(Ordering::Relaxed));
    time.let_go();
    let steady = sampled.await?.map(|(at, fired)| {
        let seconds = created_after.saturating_sub(at - began).as_secs_f64();
        (fired_then.saturating_sub(fired), seconds)
    });
    let waited = if load.is_simulated() { Duration::ZERO } else { load.spread };
    wait_for_all(&counts, &receiver, load, began + created_after + waited + PATIENCE).await?;
    let all_after = began.elapsed();
    let used = Usage::now(place).await?.since(&before);
    drop(receiver);
    drop(handle);
    looped.abort();
    if let Ok(ended) = looped.await {
        ended?;
    }
    // While some are created, others fire: that is the rate that counts. A run that is too short for it counts as a whole, and so
    // does one where somebody must hear of each timer.
    let fired_per_s = match steady {
        Some((fired, seconds)) if seconds >= 3.0 && load.sink == Sink::None => fired as f64 / seconds,
        _ => load.count as f64 / all_after.as_secs_f64(),
    };
    let lateness = std::mem::take(&mut *counts.lateness.lock().expect("no holder panics"));
    Ok(Through {
        created_per_s: load.count as f64 / created_after.as_secs_f64(),
        fired_per_s,
        lateness,
        commits: counts.commits.load(Ordering::Relaxed),
        used,
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

async fn create_all(handle: &TimerHandle, load: &Load, target: &Target, began: Instant) -> Result<()> {
    let (mut on_their_way, mut made) = (JoinSet::new(), 0);
    let mut maker = Maker { target: target.clone(), ..Maker::new(load) };
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
        let (handle, ids) = (handle.clone(), load.ids);
        on_their_way.spawn(async move { create(&handle, creates, ids).await });
    }
    while let Some(ended) = on_their_way.join_next().await {
        settle(Some(ended))?;
    }
    Ok(())
}

/// Generated ids go in one request, own ids in one each.
async fn create(handle: &TimerHandle, creates: Vec<Create>, ids: Ids) -> Result<Answer, TimerError> {
    if ids == Ids::Generated {
        return handle.request(Request::CreateAll(creates.into())).await;
    }
    let requests = creates.into_iter().map(|create| handle.request(Request::Create(create)));
    let answers = futures_util::future::join_all(requests).await;
    answers.into_iter().collect::<Result<Vec<_>, _>>().map(Answer::All)
}

type Ended = Result<Result<Answer, TimerError>, tokio::task::JoinError>;

fn settle(ended: Option<Ended>) -> Result<()> {
    let Some(answer) = ended.transpose()?.transpose()? else { return Ok(()) };
    let Answer::All(answers) = answer else { bail!("a bulk was answered by {answer:?}") };
    match answers.iter().find(|answer| !matches!(answer, Answer::Created { .. })) {
        Some(other) => bail!("a timer was answered by {other:?}"),
        None => Ok(()),
    }
}

async fn wait_for_all(counts: &Counts, receiver: &Receiver, load: &Load, until: Instant) -> Result<()> {
    let mut until = until;
    let mut seen = 0;
    loop {
        let fired = counts.fired.load(Ordering::Relaxed);
        let arrived = receiver.arrived().unwrap_or(fired);
        if fired >= load.count && arrived >= load.count {
            return Ok(());
        }
        if fired + arrived > seen {
            seen = fired + arrived;
            until = until.max(Instant::now() + PATIENCE);
        }
        if Instant::now() > until {
            bail!("{fired} of {} timers have fired, and {arrived} have arrived", load.count);
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
    ids: Ids,
    random: u64,
}

impl Maker {
    pub(super) fn new(load: &Load) -> Maker {
        Maker {
            scope: Arc::new(super::sink::scope()),
            ids: load.ids,
            target: Target { lane: LANE_OF_NOBODY, data: Arc::from(&b"nobody"[..]) },
            spread_ms: load.spread.as_millis() as u64,
            payload_bytes: load.payload_bytes,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Clients of one run make other timers.
    pub(super) fn of_client(self, client: u64) -> Maker {
        Maker { random: self.random ^ (client + 1).wrapping_mul(0xd134_2543_de82_ef95), ..self }
    }

    pub(super) fn make(&mut self, count: u64, now_ms: i64) -> Vec<Create> {
        (0..count)
            .map(|_| Create {
                own_id: match self.ids {
                    Ids::Generated => None,
                    Ids::Own => {
                        Some(PlaceId::of_own_id(u128::from(self.next()) << 64 | u128::from(self.next())))
                    }
                },
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
