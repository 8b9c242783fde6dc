//! Appends at the store: single commands of many callers, then thousands of one caller.

use super::super::place::BenchStore;
use anyhow::Result;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{NewInboxEntry, Store};
use tokio::task::JoinSet;

/// About what a packed command takes.
const PAYLOAD_BYTES: usize = 150;
/// Commands that the bare store is given at a time.
const GROUP: usize = 1_000;

/// Appends per second of many callers, and of the bare store.
pub(super) async fn measure(place: &BenchStore, callers: usize, time: Duration) -> Result<(f64, f64)> {
    let store = place.open(PartitionCount::ONE, None).await?;
    // Connections are opened and statements prepared before anything counts.
    rate(&store, callers, 1, time / 5).await?;
    Ok((rate(&store, callers, 1, time).await?, rate(&store, 1, GROUP, time).await?))
}

async fn rate(store: &Arc<dyn Store>, callers: usize, group: usize, time: Duration) -> Result<f64> {
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..callers {
        let store = store.clone();
        tasks.spawn(async move {
            let mut appended = 0;
            while began.elapsed() < time {
                appended += store.append(vec![entry(); group]).await?.len();
            }
            anyhow::Ok(appended)
        });
    }
    let mut appended = 0;
    while let Some(ended) = tasks.join_next().await {
        appended += ended??;
    }
    Ok(appended as f64 / began.elapsed().as_secs_f64())
}

pub(super) fn entry() -> NewInboxEntry {
    let payload = vec![7; PAYLOAD_BYTES];
    NewInboxEntry { partition: PartitionId::FIRST, received_at: Timestamp(1), payload }
}
