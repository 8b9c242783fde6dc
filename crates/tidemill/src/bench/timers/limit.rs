//! The bare store: the same blocks packed, written, read back, unpacked and deleted one after another, with nothing around them that
//! would keep order, time or answers.

use super::through::{Load, Maker, now_ms};
use crate::bench::place::BenchStore;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tidemill_model::{PartitionCount, PartitionId, Text};
use tidemill_store::{HolderId, Store, Supply, TimerBatch, TimerNeed};
use tidemill_timers::block::{self, Block, Entry, Kind};
use tidemill_timers::shard::{Batch, BlockId, BlockRow, Config, Create, Fence};
use tidemill_timers::slot::{LEVEL_MAX, length_ms};
use tidemill_timers::{Position, Slot};

/// Timers of one commit: as many as those of the loop had, but not so few that syncs were all that is measured.
const PER_COMMIT: std::ops::RangeInclusive<u64> = 5_000..=100_000;
/// Timers to measure: enough to be steady, few enough to be kept in memory.
const TIMERS_MAX: u64 = 2_000_000;
/// A commit touches at least so many slots where its timers are spread over more than one.
const SLOTS_MIN: i64 = 8;

pub(super) fn measure(place: &BenchStore, load: &Load, count: u64, per_commit: u64) -> Result<f64> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let per_commit = per_commit.clamp(*PER_COMMIT.start(), *PER_COMMIT.end()).min(count);
    runtime.block_on(run(place, load, count.min(TIMERS_MAX), per_commit))
}

/// The level at which timers of this spread are written first.
fn level_of(load: &Load) -> u8 {
    let spread_ms = load.spread.as_millis() as i64;
    (1..=LEVEL_MAX).rev().find(|level| length_ms(*level) * SLOTS_MIN <= spread_ms).unwrap_or(0)
}

async fn run(place: &BenchStore, load: &Load, count: u64, per_commit: u64) -> Result<f64> {
    let (mut maker, now_ms, level) = (Maker::new(load), now_ms(), level_of(load));
    let commits: Vec<Vec<Create>> =
        (0..count.div_ceil(per_commit)).map(|_| maker.make(per_commit, now_ms)).collect();
    let store = place.open(PartitionCount::ONE, None).await?;
    let holder = Text::new_static("bench");
    store.acquire(PartitionId::FIRST, &holder, 3_600_000).await?.context("a fresh store has no owner")?;
    let need = TimerNeed::Recover;
    let Supply::Recovered(recovered) = store.supply_timers(PartitionId::FIRST, &holder, need).await? else {
        bail!("the store did not tell the state of its shard");
    };
    let mut bare = Bare { store, holder, fence: recovered.fence, batch: 0, key: 0 };
    let timers: usize = commits.iter().map(Vec::len).sum();
    let began = Instant::now();
    let mut by_slot: BTreeMap<Slot, Vec<BlockId>> = BTreeMap::new();
    for creates in commits {
        let block_inserts = bare.pack(creates, level)?;
        block_inserts.iter().for_each(|row| by_slot.entry(row.id.slot).or_default().push(row.id));
        bare.commit(|batch| batch.block_inserts = block_inserts).await?;
    }
    let mut read = 0;
    for (slot, block_deletes) in by_slot {
        read += bare.unpack(slot).await?;
        bare.commit(|batch| batch.block_deletes = block_deletes).await?;
    }
    if read != timers {
        bail!("the store has given back {read} of {timers} timers");
    }
    Ok(timers as f64 / began.elapsed().as_secs_f64())
}

/// A store without a loop.
struct Bare {
    store: Arc<dyn Store>,
    holder: HolderId,
    fence: Fence,
    batch: i64,
    key: i64,
}

impl Bare {
    /// One block for each slot or more if they are many, for the next commit.
    fn pack(&mut self, creates: Vec<Create>, level: u8) -> Result<Vec<BlockRow>> {
        let mut slots: BTreeMap<Slot, Vec<Entry>> = BTreeMap::new();
        for create in creates {
            self.key += 1;
            let entry = Entry {
                key: self.key,
                due_ms: create.due_ms,
                scheduled_ms: create.due_ms,
                generation: 0,
                attempt: 0,
                target: 1,
                flags: create.flags,
                scope: create.scope,
                place: None,
                payload: create.payload,
            };
            slots.entry(Slot::of(entry.due_ms, level)).or_default().push(entry);
        }
        let mut rows = Vec::new();
        for (slot, entries) in slots {
            let mut entries = entries.into_iter();
            for n in 0.. {
                let block: Vec<Entry> = entries.by_ref().take(Config::default().block_entries_max).collect();
                let (Some(first), Some(last)) = (block.first(), block.last()) else { break };
                let (first_key, last_key, count) = (first.key, last.key, block.len() as u32);
                let data = block::encode(&mut Block::Entries(block)).context("a block is too large")?;
                let id = BlockId { slot, kind: Kind::Entries, batch: self.batch + 1, n };
                rows.push(BlockRow { id, first_key, last_key, count, data });
            }
        }
        Ok(rows)
    }

    /// Timers of a slot, read back.
    async fn unpack(&self, slot: Slot) -> Result<usize> {
        let entries_max = usize::MAX >> 1;
        let need = TimerNeed::Blocks { slot, after: None, up_to_batch: i64::MAX, entries_max };
        let supply = self.store.supply_timers(PartitionId::FIRST, &self.holder, need).await?;
        let Supply::Blocks { rows, .. } = supply else {
            bail!("the store did not give the blocks of a slot");
        };
        let mut timers = 0;
        for row in rows {
            timers += block::decode(&row.data).context("a block cannot be read")?.len();
        }
        Ok(timers)
    }

    async fn commit(&mut self, fill: impl FnOnce(&mut Batch)) -> Result<()> {
        self.batch += 1;
        let mut batch = empty(self.fence, self.batch);
        fill(&mut batch);
        let batch = TimerBatch { holder: self.holder.clone(), batch, outgoing: Vec::new() };
        self.store.commit_timers(batch).await?;
        Ok(())
    }
}

fn empty(fence: Fence, id: i64) -> Batch {
    Batch {
        fence,
        id,
        at_ms: 0,
        highest_key: 0,
        mark: Position::MIN,
        block_inserts: Vec::new(),
        block_deletes: Vec::new(),
        places: Vec::new(),
        targets: Vec::new(),
        deliveries: Vec::new(),
        delivery_deletes: Vec::new(),
        commands: Vec::new(),
        failures: Vec::new(),
        failure_deletes: Vec::new(),
        fired: 0,
        first_due_ms: None,
        namespaces: Vec::new(),
    }
}
