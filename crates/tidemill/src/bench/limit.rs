//! Measures the bare store: the batches of a real run are committed to a fresh store with no engine and no
//! clients; those of one partition one after the other, as its owner did.

use super::place::BenchStore;
use super::recorder::{ended_instances, rows};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tidemill_model::{PartitionCount, Text};
use tidemill_store::{Batch, BatchId, Store};
use tokio::task::JoinSet;

#[derive(Serialize, Deserialize)]
pub(super) struct Limit {
    pub(super) commits: u64,
    pub(super) rows: u64,
    pub(super) instances: u64,
    pub(super) seconds: f64,
    pub(super) redis: Option<RedisLimit>,
}

/// The same batches as plain transactions, and what Redis itself takes for both.
#[derive(Serialize, Deserialize, Clone)]
pub(super) struct RedisLimit {
    pub(super) redis_multi_per_s: f64,
    pub(super) redis_multi_cpu_us_per_instance: f64,
    pub(super) redis_function_cpu_us_per_instance: f64,
    pub(super) redis_cpu_ratio: f64,
}

pub(super) async fn measure(
    batches: Vec<Batch>,
    place: &BenchStore,
    partitions: PartitionCount,
) -> Result<Limit> {
    let Some(before) = place.redis_figures().await? else {
        return replay(batches, place.open(partitions, None).await?, partitions).await;
    };
    let limit = replay(batches.clone(), place.open(partitions, None).await?, partitions).await?;
    let between = place.redis_figures().await?.context("it is a Redis")?;
    let plain = replay(batches, place.beside_as("plain").open_plain(partitions).await?, partitions).await?;
    let after = place.redis_figures().await?.context("it is a Redis")?;
    let per_instance = |seconds: f64| seconds * 1e6 / limit.instances.max(1) as f64;
    let function = per_instance(between.cpu_seconds - before.cpu_seconds);
    let multi = per_instance(after.cpu_seconds - between.cpu_seconds);
    let redis = RedisLimit {
        redis_multi_per_s: plain.instances_per_s(),
        redis_multi_cpu_us_per_instance: multi,
        redis_function_cpu_us_per_instance: function,
        redis_cpu_ratio: function / multi,
    };
    Ok(Limit { redis: Some(redis), ..limit })
}

/// Writes all batches.
async fn replay(batches: Vec<Batch>, store: Arc<dyn Store>, partitions: PartitionCount) -> Result<Limit> {
    let holder = Text::new_static("bench");
    let (mut owned, mut ready) = (HashMap::new(), HashMap::new());
    for partition in partitions.ids() {
        let taken = store.acquire(partition, &holder, 3_600_000).await?;
        owned.insert(partition, taken.context("a fresh store has no owner")?);
    }
    let mut limit = Limit { commits: 0, rows: 0, instances: 0, seconds: 0.0, redis: None };
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
