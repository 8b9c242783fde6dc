//! How soon an owner has worked off what another node has appended. The owner here does what a partition's loop
//! does, without an engine: it waits, reads the inbox and commits.

use super::super::place::BenchStore;
use super::store::entry;
use anyhow::{Context, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId, Text, Timestamp};
use tidemill_store::{Batch, BatchId, Fence, Store};
use tokio::sync::mpsc;

/// After so long without work an owner sleeps deeply.
const SLEEPS_AFTER: Duration = Duration::from_millis(300);
const SLEEPING_ROUNDS: u32 = 40;
/// Work comes so often that an owner does not.
const AWAKE_EVERY: Duration = Duration::from_millis(17);
const AWAKE_ROUNDS: u32 = 300;

pub(super) struct Wakes {
    pub(super) sleeping_us: Vec<u32>,
    pub(super) waking_us: Vec<u32>,
}

pub(super) async fn measure(place: &BenchStore) -> Result<Wakes> {
    let owner = place.open(PartitionCount::ONE, None).await?;
    // A file has one process and one store; a server has as many as there are nodes.
    let other = match place.is_shared() {
        true => place.open(PartitionCount::ONE, None).await?,
        false => owner.clone(),
    };
    let owned = owner.acquire(PartitionId::FIRST, &Text::new_static("bench"), 3_600_000).await?;
    let fence = owned.context("a fresh store has no owner")?.fence;
    let (done, mut worked_off) = mpsc::unbounded_channel();
    let working = tokio::spawn(work(owner, fence, done));
    let sleeping_us = rounds(&other, &mut worked_off, SLEEPING_ROUNDS, SLEEPS_AFTER).await;
    let waking_us = rounds(&other, &mut worked_off, AWAKE_ROUNDS, AWAKE_EVERY).await;
    working.abort();
    Ok(Wakes { sleeping_us: sleeping_us?, waking_us: waking_us? })
}

async fn rounds(
    other: &Arc<dyn Store>,
    worked_off: &mut mpsc::UnboundedReceiver<Instant>,
    count: u32,
    pause: Duration,
) -> Result<Vec<u32>> {
    let mut latencies = Vec::new();
    for round in 0..count {
        // Not in step with anything that the owner does at regular times.
        tokio::time::sleep(pause + Duration::from_micros(u64::from(round) * 137 % 5_000)).await;
        let began = Instant::now();
        other.append(vec![entry()]).await?;
        let ended = worked_off.recv().await.context("the owner has ended")?;
        latencies.push(u32::try_from(ended.duration_since(began).as_micros()).unwrap_or(u32::MAX));
    }
    latencies.sort_unstable();
    Ok(latencies)
}

async fn work(store: Arc<dyn Store>, fence: Fence, done: mpsc::UnboundedSender<Instant>) -> Result<()> {
    let mut next = 1;
    loop {
        let entries = store.waiting(fence.partition, 1_000).await?;
        if entries.is_empty() {
            store.woken(fence.partition).await;
            continue;
        }
        let consumed = entries.iter().map(|entry| entry.position).collect();
        let batch = Batch::empty(fence.clone(), BatchId(next), Timestamp(next));
        store.commit(Batch { consumed, ..batch }).await?;
        next += 1;
        for _ in entries {
            done.send(Instant::now())?;
        }
    }
}
