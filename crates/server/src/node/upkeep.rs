//! Deletes history, logs and answers whose retention has passed. A task of the node does so beside its work.

use super::{Node, NodeConfig};
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_partition::ANSWERS_KEPT_MS;
use tidemill_store::{Result, Store};

/// Between two rounds of forgetting.
const PURGE_EVERY: Duration = Duration::from_secs(60);
/// Rows that one purge takes at most, so that it holds up no commit.
const PURGE_ROWS_MAX: usize = 1_000;

/// One node does it for all: the one that has the first partition.
pub(super) async fn run(node: Arc<Node>) {
    loop {
        tokio::time::sleep(PURGE_EVERY).await;
        if node.loops.get(PartitionId::FIRST).is_none() {
            continue;
        }
        if let Err(error) = purge(&*node.store, node.clock.system(), &node.config).await {
            tracing::warn!(%error, "could not remove what has served its time");
        }
    }
}

async fn purge(store: &dyn Store, now: Timestamp, config: &NodeConfig) -> Result<()> {
    let (set, own) = (store.retention().await?, config.retention());
    if let Some(before) = set.log.or(own.log).and_then(|kept| kept.since(now)) {
        while store.purge_batches(before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    }
    let answers_before = now + -ANSWERS_KEPT_MS;
    while store.purge_results(answers_before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    while store.purge_idempotency(answers_before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    if let Some(before) = set.history.or(own.history).and_then(|kept| kept.since(now)) {
        while store.purge_history(before, PURGE_ROWS_MAX).await? >= PURGE_ROWS_MAX {}
    }
    Ok(())
}
