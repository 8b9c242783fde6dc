//! The rows of service timers.

mod read;
mod reads;
mod write;

use crate::SqliteStore;
use crate::error::{Fault, Outcome};
use async_trait::async_trait;
use rusqlite::{Connection, params};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{DeliveryPage, Error, HolderId, Result, Supply, TimerBatch, TimerNeed, TimerShards};
use tidemill_timers::shard::{DeliveryId, Fence, TargetRow};

#[async_trait]
impl TimerShards for SqliteStore {
    async fn commit_timers(&self, batch: TimerBatch) -> Result<Timestamp> {
        let woken: Vec<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        // Through the same writer as the batches of partitions: both share a sync, and a timer's command is in the inbox
        // when its row is gone.
        let now = self.writer.write(move |connection| write::batch(connection, &batch)).await?;
        // The wake-up follows the commit, as with every append: an owner that is woken earlier finds an empty inbox.
        for partition in woken {
            tidemill_store::Wakeup::wake(self, partition).await;
        }
        Ok(now)
    }

    async fn supply_timers(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        need: TimerNeed,
    ) -> Result<Supply> {
        crate::bench::note_statements(1);
        let holder = holder.clone();
        match need {
            // A write, although it mostly reads: the new epoch keeps an earlier loop of this holder from committing behind what is read.
            TimerNeed::Recover => {
                self.writer
                    .write(move |connection| {
                        let fence = begin_epoch(connection, partition, &holder)?;
                        read::recover(connection, fence).map(Supply::Recovered)
                    })
                    .await
            }
            TimerNeed::Settle { batch } => {
                self.writer
                    .write(move |connection| {
                        let fence = begin_epoch(connection, partition, &holder)?;
                        let was_written = read::has_batch(connection, partition, batch)?;
                        Ok(Supply::Settled { was_written, fence })
                    })
                    .await
            }
            // All other reads may run beside a commit of the shard: it knows what it has in flight and merges that into the answer.
            need => self.loads.read(move |connection| read::supply(connection, partition, need)).await,
        }
    }

    async fn deliveries(
        &self,
        partition: PartitionId,
        lane: u32,
        after: Option<DeliveryId>,
        entries_max: usize,
    ) -> Result<DeliveryPage> {
        crate::bench::note_statements(1);
        self.loads
            .read(move |connection| read::deliveries(connection, partition, lane, after, entries_max))
            .await
    }

    async fn next_lane(&self, partition: PartitionId, from: u32) -> Result<Option<u32>> {
        self.loads.read(move |connection| read::next_lane(connection, partition, from)).await
    }

    async fn timer_targets(&self, partition: PartitionId, ids: &[u32]) -> Result<Vec<TargetRow>> {
        let ids = ids.to_vec();
        self.loads.read(move |connection| read::targets(connection, partition, &ids)).await
    }
}

/// Called by whoever takes a partition. A holder that takes its own partition again keeps the epoch of the shard: its timer
/// loop goes on.
pub(crate) fn take(connection: &Connection, partition: PartitionId, holder: &HolderId) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT INTO timer_shards (partition_id, holder, epoch) VALUES (?1, ?2, 1) \
             ON CONFLICT (partition_id) DO UPDATE SET holder = excluded.holder, epoch = epoch + 1 \
             WHERE holder IS NOT excluded.holder",
        )?
        .execute(params![partition.0, holder.as_str()])?;
    Ok(())
}

/// Called by whoever gives a partition up.
pub(crate) fn release(connection: &Connection, partition: PartitionId) -> Outcome<()> {
    connection
        .prepare_cached("UPDATE timer_shards SET holder = NULL, epoch = epoch + 1 WHERE partition_id = ?1")?
        .execute([partition.0])?;
    Ok(())
}

/// Fails where the partition has another holder meanwhile. Without the condition on it, a node that slept would take the shard back.
fn begin_epoch(connection: &Connection, partition: PartitionId, holder: &HolderId) -> Outcome<Fence> {
    let sql =
        "UPDATE timer_shards SET epoch = epoch + 1 WHERE partition_id = ?1 AND holder = ?2 RETURNING epoch";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![partition.0, holder.as_str()])?;
    match rows.next()? {
        Some(row) => Ok(Fence { partition: u32::from(partition.0), epoch: row.get(0)? }),
        None => Err(Fault::Store(Error::Fenced { partition, epoch: 0 })),
    }
}
