//! What the bare store can do: the batches of a real run, committed to a fresh store with no engine and no clients;
//! those of one partition one after the other, as its owner did.

use super::place::BenchStore;
use super::recorder::{ended_instances, rows};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::Instant;
use tidemill_model::{PartitionCount, Text};
use tidemill_store::{Batch, BatchId};
use tokio::task::JoinSet;

#[derive(Serialize, Deserialize)]
pub(super) struct Limit {
    pub(super) commits: u64,
    pub(super) rows: u64,
    pub(super) instances: u64,
    pub(super) seconds: f64,
}

pub(super) async fn measure(
    batches: Vec<Batch>,
    place: &BenchStore,
    partitions: PartitionCount,
) -> Result<Limit> {
    let store = place.open(partitions, None).await?;
    let holder = Text::new_static("bench");
    let (mut owned, mut ready) = (HashMap::new(), HashMap::new());
    for partition in partitions.ids() {
        let taken = store.acquire(partition, &holder, 3_600_000).await?;
        owned.insert(partition, taken.context("a fresh store has no owner")?);
    }
    let mut limit = Limit { commits: 0, rows: 0, instances: 0, seconds: 0.0 };
    for (number, batch) in batches.into_iter().enumerate() {
        let Some(owned) = owned.get(&batch.partition()) else { bail!("a batch of an unknown partition") };
        limit.commits += 1;
        limit.rows += rows(&batch);
        limit.instances += ended_instances(&batch);
        let (fence, id) = (owned.fence.clone(), BatchId(number as i64 + 1));
        let batches: &mut Vec<Batch> = ready.entry(batch.partition()).or_default();
        batches.push(Batch { fence, id, highest_key: owned.keys.start, ..batch });
    }
    let began = Instant::now();
    let mut owners = JoinSet::new();
    for batches in ready.into_values() {
        let store = store.clone();
        owners.spawn(async move {
            for batch in batches {
                store.commit(batch).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = owners.join_next().await {
        ended??;
    }
    limit.seconds = began.elapsed().as_secs_f64();
    Ok(limit)
}
