//! Partitions and nodes.

use crate::entry::{fields, read};
use crate::error::{damaged, fenced};
use crate::library;
use crate::store::RedisStore;
use crate::writes::number;
use async_trait::async_trait;
use serde::Deserialize;
use std::collections::HashMap;
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{
    Fence, HolderId, KEYS_PER_BLOCK, KeyBlock, NodeInfo, Owned, Ownership, PartitionState, Result,
};

#[async_trait]
impl Ownership for RedisStore {
    fn partition_count(&self) -> PartitionCount {
        self.count()
    }

    async fn partitions(&self) -> Result<Vec<PartitionState>> {
        let mut pipeline = redis::pipe();
        for (_, keys) in self.space.all() {
            pipeline.cmd("HGETALL").arg(keys.owner());
        }
        let answers = self.read_all(pipeline).await?;
        let states = self.space.all().zip(answers).map(|((partition, _), answer)| {
            let owner: HashMap<String, String> = read(answer)?;
            let number = |name: &str| owner.get(name).and_then(|text| text.parse::<i64>().ok());
            Ok(PartitionState {
                partition,
                holder: owner.get("holder").map(HolderId::from),
                epoch: number("epoch").and_then(|epoch| u64::try_from(epoch).ok()).unwrap_or_default(),
                expires_at: number("expires_at").map(Timestamp),
                preferred: owner.get("preferred").map(HolderId::from),
            })
        });
        states.collect()
    }

    async fn acquire(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        lease_ms: u64,
    ) -> Result<Option<Owned>> {
        let keys = self.keys(partition)?;
        let args = [holder.as_bytes().to_vec(), number(lease_ms), number(KEYS_PER_BLOCK)];
        let taken = self.run(&library::call("take", &[keys.owner(), keys.shard()], &args)).await?;
        let taken: Option<[Option<String>; 6]> =
            read::<Option<Vec<Option<String>>>>(taken)?.and_then(|parts| parts.try_into().ok());
        let Some([epoch, first, end, last_batch_at, now, was_released]) = taken else { return Ok(None) };
        let number = |text: Option<String>| parsed(&keys.owner(), &text.unwrap_or_default());
        Ok(Some(Owned {
            fence: Fence { partition, holder: holder.clone(), epoch: number(epoch)? as u64 },
            keys: number(first)? as u64..number(end)? as u64,
            last_batch_at: last_batch_at.map(|at| number(Some(at))).transpose()?.map(Timestamp),
            now: Timestamp(number(now)?),
            was_released: was_released.as_deref() == Some("1"),
        }))
    }

    async fn reserve_keys(&self, fence: &Fence, keys_min: u64) -> Result<KeyBlock> {
        let keys = self.keys(fence.partition)?;
        let args =
            [fence.holder.as_bytes().to_vec(), number(fence.epoch), number(keys_min.max(KEYS_PER_BLOCK))];
        let given = library::run(&self.writes, &library::call("reserve", &[keys.owner()], &args)).await;
        let given = given.map_err(|failure| failure.of_owner(&self.place, fence))?;
        let (first, end): (u64, u64) = read(given)?;
        Ok(first..end)
    }

    async fn renew(&self, fences: &[Fence], lease_ms: u64) -> Result<Option<Timestamp>> {
        if fences.is_empty() {
            return Ok(None);
        }
        let mut keys = Vec::new();
        let mut args = vec![number(lease_ms)];
        for fence in fences {
            keys.push(self.keys(fence.partition)?.owner());
            args.extend([fence.holder.as_bytes().to_vec(), number(fence.epoch)]);
        }
        match library::run(&self.writes, &library::call("renew", &keys, &args)).await {
            Ok(now) => Ok(Some(Timestamp(read(now)?))),
            Err(failure) if failure.is_fenced() => {
                let lost = failure.detail().parse::<usize>().ok().and_then(|n| fences.get(n.checked_sub(1)?));
                let lost = lost.unwrap_or(&fences[0]);
                self.notifiers.unwatch(lost.partition);
                Err(fenced(lost.partition, lost.epoch))
            }
            Err(failure) => Err(failure.of_write(&self.place)),
        }
    }

    async fn release(&self, fence: &Fence) -> Result<()> {
        let keys = self.keys(fence.partition)?;
        let args = [fence.holder.as_bytes().to_vec(), number(fence.epoch)];
        let call = library::call("release", &[keys.owner(), keys.shard()], &args);
        let released = library::run(&self.writes, &call).await;
        released.map_err(|failure| failure.of_owner(&self.place, fence))?;
        self.notifiers.unwatch(fence.partition);
        Ok(())
    }

    /// With each beat the settings are looked at again: somebody may have changed them.
    async fn announce(&self, node: &NodeInfo, lease_ms: u64) -> Result<()> {
        let args = [
            node.holder.as_bytes().to_vec(),
            node.address.clone().unwrap_or_default().into_bytes(),
            node.version.clone().into_bytes(),
            number(lease_ms),
        ];
        self.run(&library::call("announce", &[self.nodes_key()], &args)).await?;
        self.look_at_server().await
    }

    async fn nodes(&self) -> Result<Vec<NodeInfo>> {
        let key = self.nodes_key();
        let mut pipeline = redis::pipe();
        pipeline.cmd("TIME").cmd("HGETALL").arg(&key);
        let mut answers = self.read_all(pipeline).await?.into_iter();
        let mut next = || answers.next().unwrap_or(redis::Value::Nil);
        let (seconds, micros): (i64, i64) = read(next())?;
        let now = seconds * 1000 + micros / 1000;
        let mut nodes = Vec::new();
        for (holder, json) in fields(next())? {
            let node: Node = serde_json::from_slice(&json).map_err(|error| damaged(&key, error))?;
            if node.expires_at >= now as f64 {
                nodes.push(node.info(&holder));
            }
        }
        nodes.sort_by(|a, b| a.holder.cmp(&b.holder));
        Ok(nodes)
    }

    async fn drain(&self, node: &HolderId, is_draining: bool) -> Result<bool> {
        let args = [node.as_bytes().to_vec(), number(u8::from(is_draining))];
        let known: u8 = read(self.run(&library::call("drain", &[self.nodes_key()], &args)).await?)?;
        Ok(known == 1)
    }

    async fn prefer(&self, partition: PartitionId, node: &HolderId) -> Result<bool> {
        let Some(keys) = self.space.of(partition) else { return Ok(false) };
        let is_known: bool =
            read(self.read(redis::cmd("HEXISTS").arg(self.nodes_key()).arg(node.as_str())).await?)?;
        if is_known {
            let mut set = redis::cmd("HSET");
            set.arg(keys.owner()).arg("preferred").arg(node.as_str());
            self.writes.ask(&set).await.map_err(|failure| failure.of_write(&self.place))?;
        }
        Ok(is_known)
    }
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    address: Option<String>,
    version: String,
    /// Written by Lua, which has no whole numbers.
    expires_at: f64,
    is_draining: bool,
}

impl Node {
    fn info(self, holder: &str) -> NodeInfo {
        let Node { address, version, is_draining, .. } = self;
        NodeInfo { holder: holder.into(), address, version, is_draining }
    }
}

impl RedisStore {
    fn nodes_key(&self) -> String {
        self.space.common().named("nodes")
    }
}

pub(crate) fn parsed(key: &str, text: &str) -> Result<i64> {
    text.parse().map_err(|error| damaged(key, format!("'{text}': {error}")))
}
