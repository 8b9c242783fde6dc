//! What a node does beside its work: it says that it is alive, and forgets what has served its time.

use super::{NodeConfig, node_info};
use crate::clock::Clock;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::Timestamp;
use tidemill_store::{HolderId, Result, Store};

/// Between two rounds of forgetting.
const PURGE_EVERY: Duration = Duration::from_secs(60);
/// Rows that one purge takes at most, so that it holds up no commit.
const PURGE_ROWS_MAX: usize = 1_000;
/// Answers to async commands and idempotency keys are kept this long.
const ANSWERS_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) async fn run(store: Arc<dyn Store>, clock: Arc<Clock>, holder: HolderId, config: NodeConfig) {
    let lease_ms = config.lease.as_millis() as u64;
    let mut purged_at = Instant::now();
    loop {
        tokio::time::sleep(config.lease / 3).await;
        if let Err(error) = store.announce(&node_info(&holder, &config), lease_ms).await {
            tracing::warn!(%error, "could not tell that this node is alive");
        }
        if let Err(error) = renew(&*store, &holder, lease_ms).await {
            tracing::warn!(%error, "could not renew the ownership of partitions");
        }
        if purged_at.elapsed() > PURGE_EVERY {
            purged_at = Instant::now();
            if let Err(error) = purge(&*store, clock.now(), &config).await {
                tracing::warn!(%error, "could not remove what has served its time");
            }
        }
    }
}

async fn renew(store: &dyn Store, holder: &HolderId, lease_ms: u64) -> Result<()> {
    let owned = store.partitions().await?.into_iter().filter(|state| state.holder.as_ref() == Some(holder));
    let fences: Vec<_> = owned
        .map(|state| tidemill_store::Fence {
            partition: state.partition,
            holder: holder.clone(),
            epoch: state.epoch,
        })
        .collect();
    store.renew(&fences, lease_ms).await
}

async fn purge(store: &dyn Store, now: Timestamp, config: &NodeConfig) -> Result<()> {
    let log_before = now + -(config.log_retention.as_millis() as i64);
    while store.purge_batches(log_before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    let answers_before = now + -ANSWERS_KEPT_MS;
    while store.purge_results(answers_before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    while store.purge_idempotency(answers_before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    if let Some(retention) = config.history_retention {
        let ended_before = now + -(retention.as_millis() as i64);
        while store.purge_history(ended_before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    }
    Ok(())
}
