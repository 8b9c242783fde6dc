//! Partitions and nodes. The file has one process, but a holder is still one start of it: what an earlier one
//! left behind is fenced off in the same way as everywhere.

use crate::SqliteStore;
use crate::commit::check_fence;
use crate::error::{Fault, Outcome};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use std::time::SystemTime;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{
    Error, Fence, HolderId, KEYS_PER_BLOCK, KeyBlock, NodeInfo, Owned, Ownership, PartitionState, Result,
};

#[async_trait]
impl Ownership for SqliteStore {
    fn partition_count(&self) -> PartitionCount {
        self.partitions
    }

    async fn partitions(&self) -> Result<Vec<PartitionState>> {
        self.loads
            .read(|connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT partition_id, holder, epoch, expires_at FROM partitions ORDER BY partition_id",
                )?;
                let states = statement.query_map([], |row| {
                    Ok(PartitionState {
                        partition: PartitionId(row.get(0)?),
                        holder: row.get::<_, Option<String>>(1)?.map(HolderId::from),
                        epoch: row.get(2)?,
                        expires_at: row.get::<_, Option<i64>>(3)?.map(Timestamp),
                        // Wishes of operators choose between nodes, and a file has one.
                        preferred: None,
                    })
                })?;
                Ok(states.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn acquire(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        lease_ms: u64,
    ) -> Result<Option<Owned>> {
        let holder = holder.clone();
        // The writer runs this behind all commits that were sent before. So when it returns, each of them is
        // visible or has failed, which is what makes `has_batch` a reliable answer.
        self.writer.write(move |connection| acquire(connection, partition, holder, lease_ms)).await
    }

    async fn reserve_keys(&self, fence: &Fence, keys_min: u64) -> Result<KeyBlock> {
        // A command may need more keys than a block has, such as a deployment of many files or a large collection.
        let (fence, keys) = (fence.clone(), keys_min.max(KEYS_PER_BLOCK));
        self.writer
            .write(move |connection| {
                // The end of the old block is the start of the new one: keys that nobody used are left out, and none is given twice.
                let start = check_fence(connection, &fence)?;
                connection.execute(
                    "UPDATE partitions SET next_key = ?2 WHERE partition_id = ?1",
                    params![fence.partition.0, start + keys],
                )?;
                Ok(start..start + keys)
            })
            .await
    }

    /// The lease guards nothing within one process, but the core answers from memory only while it holds, here as everywhere.
    async fn renew(&self, fences: &[Fence], lease_ms: u64) -> Result<Option<Timestamp>> {
        let fences = fences.to_vec();
        self.writer
            .write(move |connection| {
                for fence in &fences {
                    // Each fence by itself: a node that has lost one partition must not keep the others by renewing all of them.
                    check_fence(connection, fence)?;
                    connection
                        .prepare_cached("UPDATE partitions SET expires_at = ?2 WHERE partition_id = ?1")?
                        .execute(params![fence.partition.0, now() + lease_ms as i64])?;
                }
                Ok(Some(Timestamp(now())))
            })
            .await
    }

    /// Fails without the fence: a node that was replaced must not free the partition of its successor.
    async fn release(&self, fence: &Fence) -> Result<()> {
        let fence = fence.clone();
        self.writer
            .write(move |connection| {
                check_fence(connection, &fence)?;
                // The next owner sees by the mark that nothing was in hand, so it need not be careful with its first commands.
                connection.execute(
                    "UPDATE partitions SET holder = NULL, expires_at = NULL, was_released = 1 WHERE partition_id = ?1",
                    [fence.partition.0],
                )?;
                crate::timer_shards::release(connection, fence.partition)
            })
            .await
    }

    async fn announce(&self, node: &NodeInfo, lease_ms: u64) -> Result<()> {
        let node = node.clone();
        self.writer
            .write(move |connection| {
                // Cleaned up by whoever passes: nodes that died cannot do it, and there is no other one to wait for.
                connection.execute("DELETE FROM nodes WHERE expires_at < ?1", [now()])?;
                connection.execute(
                    "INSERT OR REPLACE INTO nodes VALUES (?1, ?2, ?3, ?4)",
                    params![node.holder.as_str(), node.address, node.version, now() + lease_ms as i64],
                )?;
                Ok(())
            })
            .await
    }

    async fn nodes(&self) -> Result<Vec<NodeInfo>> {
        self.loads
            .read(|connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT holder, address, version FROM nodes WHERE expires_at >= ?1 ORDER BY holder",
                )?;
                let nodes = statement.query_map([now()], |row| {
                    Ok(NodeInfo {
                        holder: row.get::<_, String>(0)?.into(),
                        address: row.get(1)?,
                        version: row.get(2)?,
                        // A node that is alone has nobody to hand its partitions to.
                        is_draining: false,
                    })
                })?;
                Ok(nodes.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }
}

fn acquire(
    connection: &Connection,
    partition: PartitionId,
    holder: HolderId,
    lease_ms: u64,
) -> Outcome<Option<Owned>> {
    let before = connection
        .query_row(
            "SELECT holder, expires_at, was_released, next_key FROM partitions WHERE partition_id = ?1",
            [partition.0],
            |row| {
                let held: (Option<String>, Option<i64>) = (row.get(0)?, row.get(1)?);
                Ok((held.0, held.1, row.get::<_, bool>(2)?, row.get::<_, u64>(3)?))
            },
        )
        .optional()?;
    let Some((held_by, expires_at, was_released, first_key)) = before else {
        return Err(Fault::Store(Error::Failed {
            place: format!("partition {partition}"),
            reason: "the store has no such partition".into(),
        }));
    };
    let is_other = held_by.as_deref().is_some_and(|other| other != holder);
    // A holder takes its own partition at any time: after a failed commit it comes here to learn what became of the batch.
    if is_other && expires_at.is_some_and(|expires_at| expires_at >= now()) {
        return Ok(None);
    }
    let epoch = connection.query_row(
        // The epoch rises even for the same holder: a commit of an earlier start that is still on its way must not go through.
        // Keys begin behind the whole block that the last owner had reserved, because nobody knows how many of them it has used.
        "UPDATE partitions SET holder = ?2, epoch = epoch + 1, next_key = ?3, expires_at = ?4, was_released = 0 \
         WHERE partition_id = ?1 RETURNING epoch",
        params![partition.0, holder.as_str(), first_key + KEYS_PER_BLOCK, now() + lease_ms as i64],
        |row| row.get(0),
    )?;
    crate::timer_shards::take(connection, partition, &holder)?;
    // From the end of the log, not through an index: the last batch of a partition is near.
    let last_batch_at: Option<i64> = connection
        .query_row(
            "SELECT at FROM batches WHERE +partition_id = ?1 ORDER BY number DESC LIMIT 1",
            [partition.0],
            |row| row.get(0),
        )
        .optional()?;
    Ok(Some(Owned {
        fence: Fence { partition, holder, epoch },
        keys: first_key..first_key + KEYS_PER_BLOCK,
        last_batch_at: last_batch_at.map(Timestamp),
        now: Timestamp(now()),
        was_released,
    }))
}

/// The clock of the machine is that of the store, because there is one machine. It may be set back:
/// partitions see to it that their own time never falls (`partition/time.rs`).
pub(crate) fn now() -> i64 {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
}
