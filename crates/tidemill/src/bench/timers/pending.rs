//! Many timers that wait: what they take of the disk, how soon a new process fires after it has started on them, and how much
//! memory it needs for that. The same process on an empty store stands beside it.

use super::sink::Sink;
use super::through::{self, BULK, Ids, Load, Maker, now_ms};
use crate::bench::place::{BenchStore, FreshPlace};
use crate::output::print_rows;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId, Text};
use tidemill_server::timers::{TimerHandle, TimerLoop};
use tidemill_timers::shard::{Answer, Config, Request};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Timers that wait are due after this time, and before the next year is over.
const FROM: Duration = Duration::from_secs(86_400);
const SPREAD: Duration = Duration::from_secs(364 * 86_400);
/// One timer is overdue when the new process starts: it must fire first.
const OVERDUE_IN_MS: i64 = 1_500;
const AT_A_TIME: usize = 8;
const PATIENCE: Duration = Duration::from_secs(300);

/// Starts a timer loop on a store, waits until it has fired something, and then puts it under load
#[derive(Args)]
pub(crate) struct TimerStart {
    #[command(flatten)]
    place: BenchStore,
}

/// A start of a new process.
#[derive(Serialize, Deserialize)]
struct Start {
    ready_ms: f64,
    first_fire_ms: f64,
    rss_mb: f64,
    created_per_s: f64,
    fired_per_s: f64,
    cpu_s_per_million: f64,
}

#[derive(Serialize)]
struct Report {
    pending: u64,
    filled_per_s: f64,
    disk_mb: Option<f64>,
    bytes_per_timer: Option<f64>,
    with_pending: Start,
    with_none: Start,
}

pub(super) fn run(store: Option<&str>, pending: u64, payload_bytes: usize, is_json: bool) -> Result<()> {
    let place = FreshPlace::make(store)?;
    let empty = place.beside();
    fill(&empty, 0, payload_bytes)?;
    let with_none = start(&empty)?;
    let filled_per_s = fill(&place, pending, payload_bytes)?;
    let disk_mb = place.disk_bytes()?.map(|bytes| bytes as f64 / 1e6);
    let with_pending = start(&place)?;
    let bytes_per_timer = disk_mb.map(|mb| mb * 1e6 / pending as f64);
    let report = Report { pending, filled_per_s, disk_mb, bytes_per_timer, with_pending, with_none };
    match is_json {
        true => println!("{:#}", serde_json::to_value(&report)?),
        false => report.print(),
    }
    Ok(())
}

fn start(place: &BenchStore) -> Result<Start> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["bench", "timer-start"]).args(place.arguments()).output()?;
    if !output.status.success() {
        bail!("the new process has failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("the new process has told something else")
}

/// Gives timers per second.
fn fill(place: &BenchStore, pending: u64, payload_bytes: usize) -> Result<f64> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let fired = Arc::<Notify>::default();
        let (handle, looped) = begin(place, fired).await?;
        let began = Instant::now();
        create(&handle, pending, &load(SPREAD, payload_bytes), FROM.as_millis() as i64).await?;
        let seconds = began.elapsed().as_secs_f64();
        // It is not fired here, because this loop ends before.
        create(&handle, 1, &load(Duration::from_millis(1), 0), OVERDUE_IN_MS).await?;
        looped.abort();
        let _ = looped.await;
        tokio::time::sleep(Duration::from_millis(OVERDUE_IN_MS.unsigned_abs())).await;
        Ok(pending as f64 / seconds)
    })
}

fn load(spread: Duration, payload_bytes: usize) -> Load {
    Load { count: None, spread, payload_bytes, rate: 0, ids: Ids::Generated, sink: Sink::None }
}

async fn create(handle: &TimerHandle, count: u64, load: &Load, from_ms: i64) -> Result<()> {
    let (mut maker, mut made, mut on_their_way) = (Maker::new(load), 0, JoinSet::new());
    while made < count || !on_their_way.is_empty() {
        if made >= count || on_their_way.len() >= AT_A_TIME {
            match on_their_way.join_next().await.context("some are on their way")?? {
                Ok(Answer::All(_)) => {}
                other => bail!("a bulk was answered by {other:?}"),
            }
            continue;
        }
        let creates = maker.make(BULK.min(count - made), now_ms() + from_ms);
        made += creates.len() as u64;
        let handle = handle.clone();
        on_their_way.spawn(async move { handle.request(Request::CreateAll(creates.into())).await });
    }
    Ok(())
}

type Looped = tokio::task::JoinHandle<tidemill_store::Result<()>>;

async fn begin(place: &BenchStore, fired: Arc<Notify>) -> Result<(TimerHandle, Looped)> {
    let store = place.open(PartitionCount::ONE, None).await?;
    let holder = Text::new_static("bench");
    let owned = store.acquire(PartitionId::FIRST, &holder, 3_600_000).await?.context("it has an owner")?;
    let on_fired = Arc::new(move |_: &_| fired.notify_one());
    let (timers, handle) =
        TimerLoop::new(store, PartitionId::FIRST, holder, owned.now, Config::default(), on_fired);
    Ok((handle, tokio::spawn(timers.run())))
}

impl TimerStart {
    pub(crate) fn run(self) -> Result<()> {
        let began = Instant::now();
        let ms = || began.elapsed().as_secs_f64() * 1e3;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (ready_ms, first_fire_ms, rss_mb) = runtime.block_on(async {
            let fired = Arc::<Notify>::default();
            let (handle, looped) = begin(&self.place, fired.clone()).await?;
            while !handle.health().numbers().is_ready {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let ready_ms = ms();
            tokio::time::timeout(PATIENCE, fired.notified()).await.context("nothing has fired")?;
            let first_fire_ms = ms();
            let rss_mb = super::usage::rss_mb()?;
            looped.abort();
            let _ = looped.await;
            anyhow::Ok((ready_ms, first_fire_ms, rss_mb))
        })?;
        drop(runtime);
        let through = through::measure(&self.place, &load(Duration::from_secs(10), 0))?;
        let start = Start {
            ready_ms,
            first_fire_ms,
            rss_mb,
            created_per_s: through.created_per_s,
            fired_per_s: through.fired_per_s,
            cpu_s_per_million: through.used.cpu_seconds * 1e6 / through.count as f64,
        };
        println!("{}", serde_json::to_string(&start)?);
        Ok(())
    }
}

impl Report {
    fn print(&self) {
        let some =
            |value: Option<f64>| value.map_or("not measured".to_owned(), |value| format!("{value:.1}"));
        let starts = [("with them", &self.with_pending), ("with none", &self.with_none)];
        let mut rows = vec![
            vec!["timers that wait".to_owned(), self.pending.to_string()],
            vec!["created/s meanwhile".to_owned(), format!("{:.0}", self.filled_per_s)],
            vec!["disk, MB".to_owned(), some(self.disk_mb)],
            vec!["disk per timer, bytes".to_owned(), some(self.bytes_per_timer)],
        ];
        for (name, start) in starts {
            let figures = [
                ("ready after its start", format!("{:.0} ms", start.ready_ms)),
                ("first timer fired after its start", format!("{:.0} ms", start.first_fire_ms)),
                ("memory by then", format!("{:.0} MB", start.rss_mb)),
                ("created/s beside them", format!("{:.0}", start.created_per_s)),
                ("fired/s beside them", format!("{:.0}", start.fired_per_s)),
            ];
            rows.extend(figures.map(|(figure, value)| vec![format!("{name}: {figure}"), value]));
        }
        print_rows(["FIGURE", "VALUE"].into_iter(), rows.into_iter());
    }
}
