//! Leases of partitions, and nodes. All times are the server's: `clock_timestamp()`, because `now()` stands still
//! while a transaction waits for a lock.

use crate::PostgresStore;
use crate::call::{Call, Param};
use async_trait::async_trait;
use std::borrow::Cow;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{
    Error, Fence, HolderId, KEYS_PER_BLOCK, KeyBlock, NodeInfo, Owned, Ownership, PartitionState, Result,
};

const PARTITIONS: &str = "SELECT partition_id, holder, epoch, (extract(epoch FROM expires_at) * 1000)::bigint, \
    preferred FROM partitions ORDER BY partition_id";

/// Waits for whatever the last owner has in flight. It was released where its last epoch ended by a release. The shard of
/// timers is taken in the same transaction, unless it is this holder's already: then its timer loop goes on.
const ACQUIRE: &str = "WITH taken AS (UPDATE partitions SET holder = $2, epoch = epoch + 1, \
    next_key = next_key + $4, expires_at = clock_timestamp() + $3 * interval '1 millisecond' \
    WHERE partition_id = $1 AND (holder = $2 OR holder IS NULL OR expires_at < clock_timestamp()) \
    RETURNING epoch, next_key, released_epoch = epoch - 1, \
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint), \
    shard AS (INSERT INTO timer_shards (partition_id, holder, epoch) SELECT $1, $2, 1 FROM taken \
    ON CONFLICT (partition_id) DO UPDATE SET holder = excluded.holder, epoch = timer_shards.epoch + 1 \
    WHERE timer_shards.holder IS DISTINCT FROM excluded.holder) \
    SELECT * FROM taken";

/// The new owner's time goes on from there.
const LAST_BATCH: &str = "SELECT at FROM batches WHERE partition_id = $1 ORDER BY at DESC LIMIT 1";

/// Clears the mark of a predecessor that died while it was asleep.
const MARK_AWAKE: &str = "UPDATE sleeping_owners SET is_asleep = false WHERE partition_id = $1 AND is_asleep";

/// Fenced as a commit: an owner that was replaced must get no keys, because its successor may give the same ones.
const RESERVE: &str = "UPDATE partitions SET next_key = next_key + $2 WHERE partition_id = $1 \
    AND epoch = $3 AND holder = $4 RETURNING next_key";

/// All partitions of a node at once, because a beat of a node with many of them must take no longer than its lease allows.
const RENEW: &str = "UPDATE partitions p SET expires_at = clock_timestamp() + $4 * interval '1 millisecond' \
    FROM unnest($1::smallint[], $2::bigint[], $3::text[]) u(id, epoch, holder) \
    WHERE p.partition_id = u.id AND p.epoch = u.epoch AND p.holder = u.holder \
    RETURNING p.partition_id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// Notes the epoch that ended in good order. The next owner compares, and is careful with what was in hand if they differ.
const RELEASE: &str = "WITH released AS (UPDATE partitions SET holder = NULL, expires_at = NULL, \
    released_epoch = epoch WHERE partition_id = $1 AND epoch = $2 AND holder = $3 RETURNING 1), \
    shard AS (UPDATE timer_shards SET holder = NULL, epoch = epoch + 1 \
    WHERE partition_id = $1 AND EXISTS (SELECT FROM released)) \
    SELECT * FROM released";

const FORGET_NODES: &str = "DELETE FROM nodes WHERE expires_at < clock_timestamp() - interval '1 minute'";

const ANNOUNCE: &str = "INSERT INTO nodes (holder, address, version, expires_at) \
    VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond') \
    ON CONFLICT (holder) DO UPDATE SET address = excluded.address, version = excluded.version, \
    expires_at = excluded.expires_at";

const NODES: &str = "SELECT holder, address, version, is_draining FROM nodes WHERE expires_at >= clock_timestamp() ORDER BY holder";

const DRAIN: &str = "UPDATE nodes SET is_draining = $2 WHERE holder = $1 RETURNING 1";

/// A wish for a node that is not there could never be met, so it is refused.
const PREFER: &str = "UPDATE partitions SET preferred = $2 WHERE partition_id = $1 \
    AND EXISTS (SELECT 1 FROM nodes WHERE holder = $2) RETURNING 1";

#[async_trait]
impl Ownership for PostgresStore {
    fn partition_count(&self) -> PartitionCount {
        self.partitions
    }

    async fn partitions(&self) -> Result<Vec<PartitionState>> {
        let rows = self.loads.read_one(Call::new(PARTITIONS, [])).await?;
        let states = rows.iter().map(|row| PartitionState {
            partition: PartitionId(row.get::<_, i16>(0) as u16),
            holder: row.get::<_, Option<String>>(1).map(HolderId::from),
            epoch: row.get::<_, i64>(2) as u64,
            expires_at: row.get::<_, Option<i64>>(3).map(Timestamp),
            preferred: row.get::<_, Option<String>>(4).map(HolderId::from),
        });
        Ok(states.collect())
    }

    async fn acquire(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        lease_ms: u64,
    ) -> Result<Option<Owned>> {
        // Otherwise a missing row would look like a partition that another node holds.
        if partition.0 == 0 || partition.0 > self.partitions.0 {
            return Err(Error::Failed {
                place: format!("partition {partition}"),
                reason: "the store has no such partition".into(),
            });
        }
        let params = [
            partition.into(),
            holder.as_str().into(),
            Param::from(lease_ms as i64),
            Param::from(KEYS_PER_BLOCK as i64),
        ];
        let taken = self.leases.write(&[Call::new(ACQUIRE, params)]).await?.swap_remove(0);
        let Some(row) = taken.first() else { return Ok(None) };
        let (epoch, end, was_released): (i64, i64, bool) = (row.get(0), row.get(1), row.get(2));
        // Only now: what the predecessor had in flight is visible or will fail.
        let after = [Call::new(LAST_BATCH, [partition.into()]), Call::new(MARK_AWAKE, [partition.into()])];
        let last = self.leases.write(&after).await?.swap_remove(0);
        self.follower.begin(partition, epoch as u64, end as u64 - KEYS_PER_BLOCK).await?;
        self.notifiers.set_ours(partition, true);
        Ok(Some(Owned {
            fence: Fence { partition, holder: holder.clone(), epoch: epoch as u64 },
            keys: end as u64 - KEYS_PER_BLOCK..end as u64,
            last_batch_at: last.first().map(|row| Timestamp(row.get(0))),
            now: Timestamp(row.get(3)),
            was_released,
        }))
    }

    async fn reserve_keys(&self, fence: &Fence, keys_min: u64) -> Result<KeyBlock> {
        let keys = KEYS_PER_BLOCK.max(keys_min) as i64;
        let params =
            [fence.partition.into(), keys.into(), (fence.epoch as i64).into(), fence.holder.as_str().into()];
        let rows = self.leases.write(&[Call::new(RESERVE, params)]).await?.swap_remove(0);
        let end: i64 = rows.first().ok_or_else(|| self.lost(fence))?.get(0);
        Ok((end - keys) as u64..end as u64)
    }

    async fn renew(&self, fences: &[Fence], lease_ms: u64) -> Result<Option<Timestamp>> {
        let ids = fences.iter().map(|fence| crate::call::small(fence.partition)).collect();
        let epochs: Vec<i64> = fences.iter().map(|fence| fence.epoch as i64).collect();
        let holders = fences.iter().map(|fence| Some(Cow::Borrowed(fence.holder.as_str()))).collect();
        let params = [Param::Smalls(ids), epochs.into(), Param::Texts(holders), Param::from(lease_ms as i64)];
        let rows = self.leases.write(&[Call::new(RENEW, params)]).await?.swap_remove(0);
        let renewed: Vec<i16> = rows.iter().map(|row| row.get(0)).collect();
        // Rows that were not found belong to somebody else by now.
        match fences.iter().find(|fence| !renewed.contains(&crate::call::small(fence.partition))) {
            Some(fence) => Err(self.lost(fence)),
            None => Ok(rows.first().map(|row| Timestamp(row.get(1)))),
        }
    }

    async fn release(&self, fence: &Fence) -> Result<()> {
        // The next owner would do it, and begins sooner when it is done.
        if let Err(error) = self.follower.catch_up_owned(fence.partition).await {
            tracing::debug!(partition = %fence.partition, %error, "the next owner brings changes to the tables");
        }
        let params = [fence.partition.into(), (fence.epoch as i64).into(), fence.holder.as_str().into()];
        let rows = self.leases.write(&[Call::new(RELEASE, params)]).await?.swap_remove(0);
        self.notifiers.set_ours(fence.partition, false);
        self.follower.lose(fence.partition);
        rows.first().map(drop).ok_or_else(|| self.lost(fence))
    }

    async fn announce(&self, node: &NodeInfo, lease_ms: u64) -> Result<()> {
        let address = Param::Text(node.address.as_deref().map(Cow::Borrowed));
        let params = [
            node.holder.as_str().into(),
            address,
            node.version.as_str().into(),
            Param::from(lease_ms as i64),
        ];
        self.leases.write(&[Call::new(FORGET_NODES, []), Call::new(ANNOUNCE, params)]).await.map(drop)
    }

    async fn nodes(&self) -> Result<Vec<NodeInfo>> {
        let rows = self.loads.read_one(Call::new(NODES, [])).await?;
        let nodes = rows.iter().map(|row| NodeInfo {
            holder: row.get::<_, String>(0).into(),
            address: row.get(1),
            version: row.get(2),
            is_draining: row.get(3),
        });
        Ok(nodes.collect())
    }

    async fn drain(&self, node: &HolderId, is_draining: bool) -> Result<bool> {
        let params = [node.as_str().into(), Param::Bool(is_draining)];
        let rows = self.leases.write(&[Call::new(DRAIN, params)]).await?.swap_remove(0);
        Ok(!rows.is_empty())
    }

    async fn prefer(&self, partition: PartitionId, node: &HolderId) -> Result<bool> {
        let params = [partition.into(), node.as_str().into()];
        let rows = self.leases.write(&[Call::new(PREFER, params)]).await?.swap_remove(0);
        Ok(!rows.is_empty())
    }
}

impl PostgresStore {
    /// From now on others have to be notified of what is appended here.
    pub(crate) fn lost(&self, fence: &Fence) -> Error {
        self.notifiers.set_ours(fence.partition, false);
        self.follower.lose(fence.partition);
        Error::Fenced { partition: fence.partition, epoch: fence.epoch }
    }
}
