//! The bare store: the same blocks written, read back and deleted, with nobody to look into them.

use super::through::{BULK, Load, Maker, now_ms};
use crate::bench::place::BenchStore;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::time::Instant;
use tidemill_model::{PartitionCount, PartitionId, Text};
use tidemill_store::{Supply, TimerBatch, TimerNeed};
use tidemill_timers::block::{self, Block, Entry, Kind};
use tidemill_timers::shard::{Batch, BlockId, BlockRow, Fence};
use tidemill_timers::{Position, Slot};

/// Timers that one commit of the loop takes when it is busy: the requests that gather while the one before is written.
const PER_COMMIT: u64 = 4 * BULK;
/// Commits to measure: enough to be steady, few enough to be kept in memory.
const COMMITS_MAX: u64 = 100;

pub(super) fn measure(place: &BenchStore, load: &Load) -> Result<f64> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(place, load))
}

/// The blocks of some commits, one for each slot of a second that they touch.
fn packed(load: &Load) -> Result<Vec<Vec<BlockRow>>> {
    let (mut maker, now_ms, mut key) = (Maker::new(load), now_ms(), 0);
    let commits = load.count.div_ceil(PER_COMMIT).min(COMMITS_MAX);
    let mut all = Vec::new();
    for batch in 1..=commits as i64 {
        let mut slots: BTreeMap<Slot, Vec<Entry>> = BTreeMap::new();
        for create in maker.make(PER_COMMIT.min(load.count), now_ms) {
            key += 1;
            let entry = Entry {
                key,
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
            slots.entry(Slot::of(entry.due_ms, 0)).or_default().push(entry);
        }
        let mut rows = Vec::new();
        for (slot, entries) in slots {
            let (first_key, last_key) = (entries[0].key, entries[entries.len() - 1].key);
            let count = entries.len() as u32;
            let data = block::encode(&mut Block::Entries(entries)).context("a block is too large")?;
            let id = BlockId { slot, kind: Kind::Entries, batch, n: 0 };
            rows.push(BlockRow { id, first_key, last_key, count, data });
        }
        all.push(rows);
    }
    Ok(all)
}

async fn run(place: &BenchStore, load: &Load) -> Result<f64> {
    let packed = packed(load)?;
    let store = place.open(PartitionCount::ONE, None).await?;
    let (holder, partition) = (Text::new_static("bench"), PartitionId::FIRST);
    store.acquire(partition, &holder, 3_600_000).await?.context("a fresh store has no owner")?;
    let Supply::Recovered(recovered) = store.supply_timers(partition, &holder, TimerNeed::Recover).await?
    else {
        bail!("the store did not tell the state of its shard");
    };
    let timers: u64 = packed.iter().flatten().map(|row| u64::from(row.count)).sum();
    let commits = packed.len() as i64;
    let mut by_slot: BTreeMap<Slot, Vec<BlockId>> = BTreeMap::new();
    for row in packed.iter().flatten() {
        by_slot.entry(row.id.slot).or_default().push(row.id);
    }
    let began = Instant::now();
    for (id, block_inserts) in (1..).zip(packed) {
        let batch = Batch { block_inserts, ..empty(recovered.fence, id) };
        store.commit_timers(TimerBatch { holder: holder.clone(), batch, outgoing: Vec::new() }).await?;
    }
    for (id, (slot, ids)) in (commits + 1..).zip(by_slot) {
        let need =
            TimerNeed::Blocks { slot, after: None, up_to_batch: i64::MAX, entries_max: usize::MAX >> 1 };
        let Supply::Blocks { rows, .. } = store.supply_timers(partition, &holder, need).await? else {
            bail!("the store did not give the blocks of a slot");
        };
        if rows.is_empty() {
            bail!("the store has lost blocks");
        }
        let batch = Batch { block_deletes: ids, ..empty(recovered.fence, id) };
        store.commit_timers(TimerBatch { holder: holder.clone(), batch, outgoing: Vec::new() }).await?;
    }
    Ok(timers as f64 / began.elapsed().as_secs_f64())
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
