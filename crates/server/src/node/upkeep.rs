//! Deletes history, logs and answers whose retention has passed. A task of the node does so beside its work.

use super::Node;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_partition::ANSWERS_KEPT_MS;
use tidemill_store::{Result, Room};
use tokio::time::Instant;

/// Between two rounds of forgetting.
const PURGE_EVERY: Duration = Duration::from_secs(60);
/// Between two looks at how much room there is.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Rows that one purge takes at most, so that it holds up no commit.
const PURGE_ROWS_MAX: usize = 1_000;

/// One node does it for all: the one that has the first partition.
pub(super) async fn run(node: Arc<Node>) {
    let mut next = Instant::now() + PURGE_EVERY;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if node.loops.get(PartitionId::FIRST).is_none() {
            continue;
        }
        let mut outcome = make_room(&node).await;
        if outcome.is_ok() && Instant::now() >= next {
            outcome = purge(&node).await;
            next = Instant::now() + PURGE_EVERY;
        }
        if let Err(error) = outcome {
            tracing::warn!(%error, "could not remove what has served its time");
        }
    }
}

/// A store that runs out of room gives history up before its time, the oldest first.
async fn make_room(node: &Node) -> Result<()> {
    while node.store.room() != Room::Enough {
        let gone = node.store.purge_history(node.clock.system(), PURGE_ROWS_MAX).await?;
        node.metrics.store.purged.with(["history"]).add(gone as u64);
        if gone == 0 {
            break;
        }
    }
    Ok(())
}

async fn purge(node: &Node) -> Result<()> {
    let (store, now) = (&node.store, node.clock.system());
    let (set, own) = (store.retention().await?, node.config.retention());
    let purged = |table: &str, rows: usize| {
        node.metrics.store.purged.with([table]).add(rows as u64);
        rows >= PURGE_ROWS_MAX
    };
    if let Some(before) = set.log.or(own.log).and_then(|kept| kept.since(now)) {
        while purged("batches", store.purge_batches(before, PURGE_ROWS_MAX).await?) {}
    }
    let answers_before = now + -ANSWERS_KEPT_MS;
    while purged("results", store.purge_results(answers_before, PURGE_ROWS_MAX).await?) {}
    while purged("idempotency", store.purge_idempotency(answers_before, PURGE_ROWS_MAX).await?) {}
    if let Some(before) = set.history.or(own.history).and_then(|kept| kept.since(now)) {
        while purged("history", store.purge_history(before, PURGE_ROWS_MAX).await?) {}
    }
    Ok(())
}
