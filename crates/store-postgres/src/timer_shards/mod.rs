//! The rows of service timers.

mod read;
mod reads;
mod write;

use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::commit::unknown;
use crate::error;
use async_trait::async_trait;
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{DeliveryPage, Error, HolderId, Result, Supply, TimerBatch, TimerNeed, TimerShards};
use tidemill_timers::shard::{DeliveryId, DeliveryRow, Fence, TargetRow};
use tokio_postgres::error::SqlState;

/// Tries of a transaction that met another one.
const TRIES_MAX: u32 = 5;

/// Waits for a commit that is still under way, so that it is visible or will fail.
const BEGIN_EPOCH: &str = "UPDATE timer_shards SET epoch = epoch + 1 WHERE partition_id = $1 AND holder = $2 \
    RETURNING epoch";

#[async_trait]
impl TimerShards for PostgresStore {
    async fn commit_timers(&self, batch: TimerBatch) -> Result<Timestamp> {
        let woken: Vec<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        let calls = write::calls(&batch);
        let after: Vec<Call<'_>> = self.notifiers.notification(&woken).into_iter().collect();
        for tries in 1..=TRIES_MAX {
            let mut lease = self.writes.take().await.map_err(|error| unknown(&error))?;
            let mut flushed = lease.transact("BEGIN", &calls, "COMMIT", &after).await;
            drop(lease);
            let Some((place, error)) = flushed.cause() else {
                self.notifiers.notify_here(&woken);
                let told = flushed.answers.last().and_then(|answer| answer.as_ref().ok()?.first());
                let reason = || "the fence gave no answer".to_owned();
                return told
                    .map(|row| Timestamp(row.get(1)))
                    .ok_or_else(|| Error::OutcomeUnknown { reason: reason() });
            };
            let is_fence = place == Some(calls.len() - 1);
            if is_fence && error.code() == Some(&SqlState::DIVISION_BY_ZERO) {
                let (partition, epoch) = (batch.partition(), batch.batch.fence.epoch);
                return Err(Error::Fenced { partition, epoch });
            }
            if error::is_connection(&error) {
                return Err(unknown(&self.told(&error)));
            }
            if !error::is_passing(&error) {
                return Err(self.told(&error));
            }
            tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=10 << tries))).await;
        }
        Err(Error::OutcomeUnknown { reason: format!("other transactions were in the way {TRIES_MAX} times") })
    }

    async fn supply_timers(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        need: TimerNeed,
    ) -> Result<Supply> {
        match need {
            TimerNeed::Recover => {
                let fence = self.begin_epoch(partition, holder).await?;
                let rows = self.loads.read(&read::recover(partition)).await?;
                read::recovered(fence, &rows).map(Supply::Recovered)
            }
            TimerNeed::Settle { batch } => {
                let fence = self.begin_epoch(partition, holder).await?;
                let sql = "SELECT 1 FROM timer_batches WHERE partition_id = $1 AND batch_id = $2";
                let rows = self.loads.read_one(Call::new(sql, [partition.into(), batch.into()])).await?;
                Ok(Supply::Settled { was_written: !rows.is_empty(), fence })
            }
            need => read::supply(&self.loads, partition, need).await,
        }
    }

    async fn deliveries(
        &self,
        partition: PartitionId,
        lane: u32,
        after: Option<DeliveryId>,
        entries_max: usize,
    ) -> Result<DeliveryPage> {
        let (rows, is_last) = read::deliveries(&self.loads, partition, lane, after, entries_max).await?;
        let delivery = |row: &tokio_postgres::Row| DeliveryRow {
            id: DeliveryId { lane, batch: row.get(0), n: row.get::<_, i64>(1) as u32 },
            first_key: row.get(2),
            count: row.get::<_, i64>(3) as u32,
            data: row.get(4),
        };
        Ok(DeliveryPage { rows: rows.iter().map(delivery).collect(), is_last })
    }

    async fn next_lane(&self, partition: PartitionId, from: u32) -> Result<Option<u32>> {
        let sql =
            "SELECT lane FROM timer_deliveries WHERE partition_id = $1 AND lane >= $2 ORDER BY lane LIMIT 1";
        let rows = self.loads.read_one(Call::new(sql, [partition.into(), i64::from(from).into()])).await?;
        Ok(rows.first().map(|row| row.get::<_, i64>(0) as u32))
    }

    async fn timer_targets(&self, partition: PartitionId, ids: &[u32]) -> Result<Vec<TargetRow>> {
        let sql = "SELECT target_id, hash, lane, data FROM timer_targets \
            WHERE partition_id = $1 AND target_id = ANY($2)";
        let ids: Vec<i64> = ids.iter().copied().map(i64::from).collect();
        let rows = self.loads.read_one(Call::new(sql, [partition.into(), Param::Keys(ids)])).await?;
        rows.iter().map(read::target).collect()
    }
}

impl PostgresStore {
    async fn begin_epoch(&self, partition: PartitionId, holder: &HolderId) -> Result<Fence> {
        let call = Call::new(BEGIN_EPOCH, [partition.into(), holder.as_str().into()]);
        let rows = self.leases.write(&[call]).await?.swap_remove(0);
        let row = rows.first().ok_or(Error::Fenced { partition, epoch: 0 })?;
        Ok(Fence { partition: u32::from(partition.0), epoch: row.get::<_, i64>(0) as u64 })
    }
}
