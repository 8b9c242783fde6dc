//! The backlog of each partition.

use super::{Operations, answered};
use crate::gateway::call::Handled;
use crate::gateway::json::{self, Date};
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::Lag;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    partition_id: u16,
    /// Commands in the inbox; counted up to 100,000.
    waiting: u64,
    oldest_waits_ms: Option<i64>,
    /// Timers that should have fired; counted up to 100,000.
    timers_due: u64,
    timers_behind_ms: Option<i64>,
    /// Of the last batch: its number, and the time of the partition.
    position: Option<String>,
    last_batch_at: Option<Date>,
}

pub(super) async fn show(State(operations): State<Operations>, uri: Uri) -> Response {
    let list = async || -> Handled {
        let mut items = Vec::new();
        for partition in operations.store.partition_count().ids() {
            let now = operations.gateway.broker.now();
            let lag = operations.store.lag(partition, now).await?;
            items.push(item(partition, &lag, now));
        }
        Ok(json::ok(&json!({"items": items})))
    };
    answered(list().await, &uri)
}

fn item(partition: PartitionId, lag: &Lag, now: Timestamp) -> Item {
    Item {
        partition_id: partition.0,
        waiting: lag.waiting,
        oldest_waits_ms: age(lag.oldest_received_at, now),
        timers_due: lag.timers_due,
        timers_behind_ms: age(lag.oldest_due_at, now),
        position: lag.last_batch.map(|(id, _)| id.0.to_string()),
        last_batch_at: lag.last_batch.map(|(_, at)| Date(at)),
    }
}

/// Clocks of two machines may differ by a little.
pub(super) fn age(since: Option<Timestamp>, now: Timestamp) -> Option<i64> {
    since.map(|since| (now - since).max(0))
}
