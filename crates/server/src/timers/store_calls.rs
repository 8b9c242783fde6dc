//! Calls of a timer loop to the store, which go on while the loop does something else.

use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Error, HolderId, Result, Store, Supply, TimerBatch, TimerNeed};

/// Between two tries of a read.
const READ_AGAIN: Duration = Duration::from_millis(100);

/// The answer to a need of the shard.
pub(super) struct Finished {
    pub(super) number: u64,
    pub(super) supply: Result<Supply>,
}

/// Tries until the store answers, or until it never will.
pub(super) async fn read(
    store: Arc<dyn Store>,
    partition: PartitionId,
    holder: HolderId,
    number: u64,
    need: TimerNeed,
) -> Finished {
    loop {
        match store.supply_timers(partition, &holder, need).await {
            Err(error) if !error.is_fatal() && !matches!(error, Error::Fenced { .. }) => {
                tracing::warn!(%partition, %error, "timers could not be read; they are read again");
                tokio::time::sleep(READ_AGAIN).await;
            }
            supply => return Finished { number, supply },
        }
    }
}

pub(super) async fn commit(store: Arc<dyn Store>, batch: TimerBatch) -> Result<Timestamp> {
    store.commit_timers(batch).await
}
