//! What the bare store can do: the batches of a real run, committed one after the other to a fresh store with no
//! engine and no clients.

use super::recorder::{ended_instances, rows};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;
use tidemill_model::{PartitionCount, Text};
use tidemill_store::{Batch, BatchId, Commit, Ownership};
use tidemill_store_sqlite::{Options, SqliteStore};

#[derive(Serialize, Deserialize)]
pub(super) struct Limit {
    pub(super) commits: u64,
    pub(super) rows: u64,
    pub(super) instances: u64,
    pub(super) seconds: f64,
}

pub(super) async fn measure(batches: Vec<Batch>, path: &Path, partitions: PartitionCount) -> Result<Limit> {
    let store = SqliteStore::open(&Options { partitions, ..Options::new(path) })?;
    let holder = Text::new_static("bench");
    let mut owned = std::collections::HashMap::new();
    for partition in partitions.ids() {
        let taken = store.acquire(partition, &holder, 3_600_000).await?;
        owned.insert(partition, taken.context("a fresh store has no owner")?);
    }
    let mut limit = Limit { commits: 0, rows: 0, instances: 0, seconds: 0.0 };
    let mut ready = Vec::with_capacity(batches.len());
    for (number, batch) in batches.into_iter().enumerate() {
        let Some(owned) = owned.get(&batch.partition()) else { bail!("a batch of an unknown partition") };
        limit.commits += 1;
        limit.rows += rows(&batch);
        limit.instances += ended_instances(&batch);
        let (fence, id) = (owned.fence.clone(), BatchId(number as i64 + 1));
        ready.push(Batch { fence, id, highest_key: owned.keys.start, ..batch });
    }
    let began = Instant::now();
    for batch in ready {
        store.commit(batch).await?;
    }
    limit.seconds = began.elapsed().as_secs_f64();
    Ok(limit)
}
