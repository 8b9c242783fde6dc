//! Calls of a timer loop to the store, which go on while the loop does something else.

use super::commands::CommandMaker;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Error, HolderId, Result, Store, Supply, TimerBatch, TimerNeed};
use tidemill_timers::shard::Batch;

/// Between two tries of a read.
const READ_AGAIN: Duration = Duration::from_millis(100);

/// The answers to needs of the shard. Places of own ids are asked for together.
pub(super) struct Finished {
    pub(super) supplies: Vec<(u64, TimerNeed, Supply)>,
}

/// Tries until the store answers, or until it never will.
pub(super) async fn read(
    store: Arc<dyn Store>,
    partition: PartitionId,
    holder: HolderId,
    needs: Vec<(u64, TimerNeed)>,
) -> Result<Finished> {
    loop {
        match try_read(&*store, partition, &holder, &needs).await {
            Err(error) if !error.is_fatal() && !matches!(error, Error::Fenced { .. }) => {
                tracing::warn!(%partition, %error, "timers could not be read; they are read again");
                tokio::time::sleep(READ_AGAIN).await;
            }
            supplies => return supplies.map(|supplies| Finished { supplies }),
        }
    }
}

async fn try_read(
    store: &dyn Store,
    partition: PartitionId,
    holder: &HolderId,
    needs: &[(u64, TimerNeed)],
) -> Result<Vec<(u64, TimerNeed, Supply)>> {
    let ids: Vec<_> = needs
        .iter()
        .filter_map(|(_, need)| match need {
            TimerNeed::Place(id) => Some(*id),
            _ => None,
        })
        .collect();
    let places = if ids.len() > 1 { store.timer_places(partition, &ids).await? } else { Vec::new() };
    let places: HashMap<_, _> = places.into_iter().map(|place| (place.id, place)).collect();
    let mut supplies = Vec::with_capacity(needs.len());
    for (number, need) in needs {
        let supply = match need {
            TimerNeed::Place(id) if ids.len() > 1 => Supply::Place(places.get(id).copied()),
            need => store.supply_timers(partition, holder, *need).await?,
        };
        supplies.push((*number, *need, supply));
    }
    Ok(supplies)
}

/// The commands of timers that fire are written with the batch.
pub(super) async fn commit(
    store: Arc<dyn Store>,
    holder: HolderId,
    batch: Batch,
    commands: Arc<CommandMaker>,
) -> Result<Timestamp> {
    let mut batch = TimerBatch { holder, batch, outgoing: Vec::new() };
    commands.make(&*store, &mut batch).await?;
    store.commit_timers(batch).await
}
