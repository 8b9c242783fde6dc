//! What a node does beside its work: it forgets what has served its time.

use super::{Node, NodeConfig};
use crate::partition::ANSWERS_KEPT_MS;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
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
        if let Err(error) = purge(&*node.store, node.clock.now(), &node.config).await {
            tracing::warn!(%error, "could not remove what has served its time");
        }
    }
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
