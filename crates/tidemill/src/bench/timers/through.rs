//! A timer loop under load.

use super::sink::{Receiver, Sink};
use super::steady::{Moment, STEADY, sample};
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
/// Timers that fall due between two steps of simulated time.
const FIRED_PER_STEP: u64 = 10_000;
/// Timers of a simulated day where the number is not given.
const SIMULATED_COUNT: u64 = 4_000_000;
/// After the last timer is due, so long may the rest take.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy)]
pub(super) struct Load {
    /// None is as many as the loop takes until timers have been created and fired at the same time for a while.
    pub(super) count: Option<u64>,
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

    /// By so much simulated time jumps at least: as many timers fall due meanwhile as are due together in a second of a busy loop's
    /// time. If each were fired alone, commits would be all that is measured.
    fn step_ms(&self) -> i64 {
        let timers = self.timers().unwrap_or(SIMULATED_COUNT).max(1);
        (self.spread.as_millis() * u128::from(FIRED_PER_STEP) / u128::from(timers)) as i64
    }

    /// Timers in all, unless they are created for a time.
    fn timers(&self) -> Option<u64> {
        self.count.or(self.is_simulated().then_some(SIMULATED_COUNT))
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
    pub(super) count: u64,
    /// Both rates are of the time in which some are created while others fire.
    pub(super) is_steady: bool,
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
    pub(super) fn note(&mut self, fired: &FiredBatch, is_simulated: bool) {
        let late_ms = fired.landed_ms - fired.first_due_ms;
        if late_ms < 0 {
            self.early += fired.count as u64;
        }
        // A time that jumps is always late.
        if !is_simulated {
            *self.by_ms.entry(late_ms).or_default() += fired.count as u64;
        }
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
    created: AtomicU64,
    fired: AtomicU64,
    commits: AtomicU64,
    lateness: Mutex<Lateness>,
}

impl Counts {
    fn moment(&self) -> Moment {
        Moment::now(self.created.load(Ordering::Relaxed), self.fired.load(Ordering::Relaxed))
    }
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
    let (noted, is_simulated) = (counts.clone(), load.is_simulated());
    let on_fired = Arc::new(move |fired: &FiredBatch| {
        noted.fired.fetch_add(fired.count as u64, Ordering::Relaxed);
        noted.commits.fetch_add(1, Ordering::Relaxed);
        noted.lateness.lock().expect("no holder panics").note(fired, is_simulated);
    });
    let (mut timers, handle) =
        TimerLoop::new(store.clone(), PartitionId::FIRST, holder, owned.now, Config::default(), on_fired);
    let time = Arc::new(SimulatedTime::new(now_ms(), load.step_ms()));
    if load.is_simulated() {
        timers.simulate(time.clone());
    }
    let mut receiver = Receiver::start(load.sink).await?;
    receiver.take_from(store, &handle, handle.bell())?;
    let looped = tokio::spawn(timers.run());
    let (before, began) = (Usage::now(place).await?, Instant::now());
    let looked_at = counts.clone();
    let look = move || looked_at.moment();
    let sampled = sample(look.clone(), began + load.spread);
    let count = create_all(&handle, load, &receiver.target, began, &counts).await?;
    let created = look();
    time.let_go();
    // While some are created, others fire: that is the rate that counts. A run that is too short for it counts as a whole, and so
    // does one where somebody must hear of each timer.
    let steady = sampled.is_finished().then_some(sampled);
    let steady = match steady {
        Some(sampled) if load.sink == Sink::None => {
            sampled.await?.filter(|begin| begin.is_long_before(&created))
        }
        _ => None,
    };
    let waited = if load.is_simulated() { Duration::ZERO } else { load.spread };
    wait_for_all(&counts, &receiver, count, created.at + waited + PATIENCE).await?;
    let all_after = began.elapsed();
    let used = Usage::now(place).await?.since(&before);
    drop(receiver);
    drop(handle);
    looped.abort();
    if let Ok(ended) = looped.await {
        ended?;
    }
    let whole = |after: Duration| count as f64 / after.as_secs_f64();
    let (created_per_s, fired_per_s) = match &steady {
        Some(begin) => begin.rates_until(&created),
        None => (whole(created.at - began), whole(all_after)),
    };
    let lateness = std::mem::take(&mut *counts.lateness.lock().expect("no holder panics"));
    Ok(Through {
        count,
        is_steady: steady.is_some(),
        created_per_s,
        fired_per_s,
        lateness,
        commits: counts.commits.load(Ordering::Relaxed),
        used,
        peak_rss_mb: peak_rss_mb()?,
    })
}

/// Gives how many there are.
async fn create_all(
    handle: &TimerHandle,
    load: &Load,
    target: &Target,
    began: Instant,
    counts: &Counts,
) -> Result<u64> {
    let (timers, until) = (load.timers(), began + load.spread + STEADY);
    let (mut on_their_way, mut made) = (JoinSet::new(), 0);
    let mut maker = Maker { target: target.clone(), ..Maker::new(load) };
    while timers.map_or_else(|| Instant::now() < until, |timers| made < timers) {
        if on_their_way.len() >= AT_A_TIME {
            settle(on_their_way.join_next().await, counts)?;
        }
        if load.rate > 0 {
            let due = began + Duration::from_secs_f64(made as f64 / load.rate as f64);
            tokio::time::sleep(due.saturating_duration_since(Instant::now())).await;
        }
        let bulk = if load.rate > 0 { BULK.min(load.rate / 100).max(1) } else { BULK };
        let left = timers.map_or(u64::MAX, |timers| timers - made);
        let creates = maker.make(bulk.min(left), now_ms());
        made += creates.len() as u64;
        let (handle, ids) = (handle.clone(), load.ids);
        on_their_way.spawn(async move { create(&handle, creates, ids).await });
    }
    while let Some(ended) = on_their_way.join_next().await {
        settle(Some(ended), counts)?;
    }
    Ok(made)
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

fn settle(ended: Option<Ended>, counts: &Counts) -> Result<()> {
    let Some(answer) = ended.transpose()?.transpose()? else { return Ok(()) };
    let Answer::All(answers) = answer else { bail!("a bulk was answered by {answer:?}") };
    counts.created.fetch_add(answers.len() as u64, Ordering::Relaxed);
    match answers.iter().find(|answer| !matches!(answer, Answer::Created { .. })) {
        Some(other) => bail!("a timer was answered by {other:?}"),
        None => Ok(()),
    }
}

async fn wait_for_all(counts: &Counts, receiver: &Receiver, count: u64, until: Instant) -> Result<()> {
    let mut until = until;
    let mut seen = 0;
    loop {
        let fired = counts.fired.load(Ordering::Relaxed);
        let arrived = receiver.arrived().unwrap_or(fired);
        if fired >= count && arrived >= count {
            return Ok(());
        }
        if fired + arrived > seen {
            seen = fired + arrived;
            until = until.max(Instant::now() + PATIENCE);
        }
        if Instant::now() > until {
            bail!("{fired} of {count} timers have fired, and {arrived} have arrived");
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

    /// The timers of one request. They share a scope and a target with each other, not with those of other requests.
    pub(super) fn make(&mut self, count: u64, now_ms: i64) -> Vec<Create> {
        let scope = Arc::new(Scope::clone(&self.scope));
        let target = Target { data: Arc::from(&*self.target.data), ..self.target };
        (0..count)
            .map(|_| Create {
                own_id: match self.ids {
                    Ids::Generated => None,
                    Ids::Own => {
                        Some(PlaceId::of_own_id(u128::from(self.next()) << 64 | u128::from(self.next())))
                    }
                },
                mode: Mode::Fail,
                scope: scope.clone(),
                due_ms: now_ms + 1 + (self.next() % self.spread_ms) as i64,
                scheduled_ms: None,
                target: target.clone(),
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
