//! The same timers as plain rows, as other engines keep them: each is inserted, read and deleted. Beside the blocks this shows what
//! packing saves.

use super::through::{BULK, Load, Maker, now_ms};
use super::usage::Usage;
use crate::bench::place::BenchStore;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_model::{
    Change, Key, MessageKey, PartitionCount, PartitionId, TenantId, Text, TimerKey, Timestamp,
};
use tidemill_store::{Batch, BatchId, Fence, FiredTimers, Owned, Store, TimerPosition};

/// Rows to measure at most: they take far longer than blocks.
const ROWS_MAX: u64 = 100_000;
const SPREAD_MAX: Duration = Duration::from_secs(10);
/// A page where the whole look-ahead is read at once.
const PRELOADED: usize = 10_000;

/// The cost of rows.
#[derive(Clone, Copy, Serialize)]
pub(super) struct RowsCost {
    pub(super) per_s: f64,
    pub(super) statements_per_1000: f64,
    pub(super) wal_bytes_per_timer: f64,
}

/// How rows are read before they fire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Pages of thousands, ahead of time.
    Preloaded,
    /// Second by second, each when it comes.
    OneSecond,
}

pub(super) fn measure(place: &BenchStore, load: &Load, count: u64, reading: Reading) -> Result<RowsCost> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(place, load, count, reading))
}

async fn run(place: &BenchStore, load: &Load, count: u64, reading: Reading) -> Result<RowsCost> {
    // To look second by second through a day would take long and show the same.
    let load = &Load { spread: load.spread.min(SPREAD_MAX), ..*load };
    let store = place.open(PartitionCount::ONE, None).await?;
    let (holder, partition) = (Text::new_static("bench"), PartitionId::FIRST);
    let owned = store.acquire(partition, &holder, 3_600_000).await?.context("another bench has the store")?;
    let (count, begin_ms) = (count.min(ROWS_MAX), now_ms());
    let (mut maker, mut writer) = (Maker::new(load), Writer::new(store.clone(), &owned));
    let (before, began) = (Usage::now(place).await?, Instant::now());
    let mut made = 0;
    while made < count {
        let creates = maker.make(BULK.min(count - made), begin_ms);
        let key = |nth: u64| Key::new(partition, owned.keys.start + made + nth).0;
        let row = |(nth, due_ms): (u64, i64)| timer(key(nth), due_ms);
        let rows: Vec<Change> = (0..).zip(creates.iter().map(|create| create.due_ms)).map(row).collect();
        made += rows.len() as u64;
        writer.commit(|batch| batch.changes = rows).await?;
    }
    let fired = fire(&mut writer, load, reading, begin_ms).await?;
    if fired != count {
        bail!("{fired} of {count} rows have come back");
    }
    let seconds = began.elapsed().as_secs_f64();
    let used = Usage::now(place).await?.since(&before);
    // A row is a statement of its own on the embedded store, which inserts and deletes them one by one; a server takes many.
    let statements = if place.is_shared() { used.statements } else { 2 * count + writer.commits };
    let share = |amount: u64| amount as f64 / count as f64;
    Ok(RowsCost {
        per_s: count as f64 / seconds,
        statements_per_1000: 1_000.0 * share(statements),
        wal_bytes_per_timer: share(used.wal_bytes),
    })
}

/// Reads and deletes all rows in the order of their due times.
async fn fire(writer: &mut Writer, load: &Load, reading: Reading, begin_ms: i64) -> Result<u64> {
    let end_ms = begin_ms + load.spread.as_millis() as i64 + 1;
    let (mut after, mut fired, mut until_ms) = (None, 0, begin_ms);
    while until_ms < end_ms {
        until_ms = match reading {
            Reading::Preloaded => end_ms,
            Reading::OneSecond => (until_ms + 1_000).min(end_ms),
        };
        loop {
            let until = Timestamp(until_ms);
            let page = writer.store.timers(PartitionId::FIRST, after, until, PRELOADED).await?;
            let Some(last) = page.timers.last().map(|timer| TimerPosition::of(timer)) else { break };
            fired += page.timers.len() as u64;
            let range = FiredTimers { after, up_to: last };
            writer.commit(|batch| batch.fired = Some(range)).await?;
            after = Some(last);
        }
    }
    Ok(fired)
}

/// Commits of the partition, one after the other.
struct Writer {
    store: Arc<dyn Store>,
    fence: Fence,
    highest_key: u64,
    commits: u64,
}

impl Writer {
    fn new(store: Arc<dyn Store>, owned: &Owned) -> Writer {
        Writer { store, fence: owned.fence.clone(), highest_key: owned.keys.start, commits: 0 }
    }

    async fn commit(&mut self, fill: impl FnOnce(&mut Batch)) -> Result<()> {
        self.commits += 1;
        let id = BatchId(self.commits as i64);
        let mut batch = Batch::empty(self.fence.clone(), id, Timestamp(now_ms()));
        batch.highest_key = self.highest_key;
        fill(&mut batch);
        self.store.commit(batch).await?;
        Ok(())
    }
}

/// A row that belongs to nothing else.
fn timer(key: i64, due_ms: i64) -> Change {
    let purpose = TimerPurpose::MessageExpiry {
        message: MessageKey(key),
        tenant: TenantId::default(),
        name: Text::new_static("bench"),
        correlation_key: Text::new_static(""),
    };
    let (key, due_at) = (TimerKey(key), Timestamp(due_ms));
    let timer = Timer { key, due_at, purpose, repetitions: None, waits_for_clock: false };
    Change::Put(Arc::new(timer).into())
}
