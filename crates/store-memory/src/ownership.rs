//! Partitions and nodes.

use crate::MemoryStore;
use crate::state::{Node, Partition};
use async_trait::async_trait;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{
    Error, Fence, HolderId, KEYS_PER_BLOCK, KeyBlock, NodeInfo, Owned, Ownership, PartitionState, Result,
};

#[async_trait]
impl Ownership for MemoryStore {
    fn partition_count(&self) -> PartitionCount {
        self.shared.partitions
    }

    async fn partitions(&self) -> Result<Vec<PartitionState>> {
        self.paced("partitions", || {
            let state = self.state();
            let states = state.partitions.iter().map(|(id, partition)| PartitionState {
                partition: *id,
                holder: partition.holder.clone(),
                epoch: partition.epoch,
                expires_at: partition.expires_at,
                preferred: partition.preferred.clone(),
            });
            Ok(states.collect())
        })
        .await
    }

    async fn acquire(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        lease_ms: u64,
    ) -> Result<Option<Owned>> {
        self.paced("acquire", || {
            let now = self.now();
            let mut state = self.state();
            let Some(row) = state.partitions.get_mut(&partition) else {
                let place = format!("partition {partition}");
                return Err(Error::Failed { place, reason: "the store has no such partition".into() });
            };
            // The holder itself may take its partition at any time: it does so after a failed commit, to fence off what it has sent.
            let is_other = row.holder.as_ref().is_some_and(|other| other != holder);
            if is_other && row.expires_at.is_some_and(|expires_at| expires_at >= now) {
                return Ok(None);
            }
            // An owner that dies from here on has not released it, so the next owner will be careful.
            let was_released = std::mem::replace(&mut row.was_released, false);
            row.was_taken_over = !was_released;
            row.holder = Some(holder.clone());
            row.epoch += 1;
            row.expires_at = Some(end_of_lease(now, lease_ms));
            let fence = Fence { partition, holder: holder.clone(), epoch: row.epoch };
            let owned = Owned {
                fence,
                last_batch_at: row.last_batch_at,
                now,
                was_released,
                keys: reserve(row, KEYS_PER_BLOCK),
            };
            state.shards.entry(partition).or_default().take(holder);
            Ok(Some(owned))
        })
        .await
    }

    async fn reserve_keys(&self, fence: &Fence, keys_min: u64) -> Result<KeyBlock> {
        self.paced("reserve_keys", || Ok(reserve(self.state().owned(fence)?, keys_min.max(KEYS_PER_BLOCK))))
            .await
    }

    async fn renew(&self, fences: &[Fence], lease_ms: u64) -> Result<Option<Timestamp>> {
        self.paced("renew", || {
            let now = self.now();
            let expires_at = end_of_lease(now, lease_ms);
            let mut state = self.state();
            // All or none, as the statement of a SQL store: first every fence is looked at, then all are renewed.
            for fence in fences {
                state.owned(fence)?;
            }
            for fence in fences {
                state.owned(fence)?.expires_at = Some(expires_at);
            }
            Ok(Some(now))
        })
        .await
    }

    async fn release(&self, fence: &Fence) -> Result<()> {
        self.paced("release", || {
            let mut state = self.state();
            let partition = state.owned(fence)?;
            (partition.holder, partition.expires_at, partition.was_released) = (None, None, true);
            state.shards.entry(fence.partition).or_default().release();
            Ok(())
        })
        .await
    }

    async fn announce(&self, node: &NodeInfo, lease_ms: u64) -> Result<()> {
        self.paced("announce", || {
            let now = self.now();
            let mut state = self.state();
            state.nodes.retain(|_, known| known.expires_at >= now);
            // A node does not know that an operator drains it; what the operator has said stays.
            let is_draining = state.nodes.get(&node.holder).is_some_and(|known| known.info.is_draining);
            let info = NodeInfo { is_draining, ..node.clone() };
            state.nodes.insert(node.holder.clone(), Node { info, expires_at: end_of_lease(now, lease_ms) });
            Ok(())
        })
        .await
    }

    async fn nodes(&self) -> Result<Vec<NodeInfo>> {
        self.paced("nodes", || {
            let now = self.now();
            let state = self.state();
            Ok(state
                .nodes
                .values()
                .filter(|node| node.expires_at >= now)
                .map(|node| node.info.clone())
                .collect())
        })
        .await
    }

    async fn drain(&self, node: &HolderId, is_draining: bool) -> Result<bool> {
        let mut state = self.state();
        let Some(known) = state.nodes.get_mut(node) else { return Ok(false) };
        known.info.is_draining = is_draining;
        Ok(true)
    }

    async fn prefer(&self, partition: PartitionId, node: &HolderId) -> Result<bool> {
        let mut state = self.state();
        if !state.nodes.contains_key(node) {
            return Ok(false);
        }
        let Some(row) = state.partitions.get_mut(&partition) else { return Ok(false) };
        row.preferred = Some(node.clone());
        Ok(true)
    }
}

/// Keys are given once, whoever uses them: what an owner leaves of its block is lost, and the next block begins behind it.
fn reserve(partition: &mut Partition, keys: u64) -> KeyBlock {
    let start = partition.next_key;
    partition.next_key += keys;
    start..partition.next_key
}

fn end_of_lease(now: Timestamp, lease_ms: u64) -> Timestamp {
    Timestamp(now.0.saturating_add(i64::try_from(lease_ms).unwrap_or(i64::MAX)))
}
