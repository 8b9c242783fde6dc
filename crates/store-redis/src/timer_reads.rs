//! Reads of service timers for those who search and operate.

use crate::store::RedisStore;
use crate::timer_rows::*;
use crate::timer_shards::behind;
use async_trait::async_trait;
use std::collections::BTreeMap;
use tidemill_model::PartitionId;
use tidemill_store::{BlockRange, LaneUse, Result, ShardState, SlotUse, TimerReads, unpack};
use tidemill_timers::Slot;
use tidemill_timers::block::{Kind, PlaceId};
use tidemill_timers::shard::{BlockRow, FailureId, FailureRow, Place};

/// Lanes that are told.
const LANES_MAX: usize = 1_000;

#[async_trait]
impl TimerReads for RedisStore {
    async fn timer_shard(&self, partition: PartitionId) -> Result<ShardState> {
        self.shard_state(partition).await
    }

    async fn timer_blocks(&self, partition: PartitionId, range: BlockRange) -> Result<Vec<BlockRow>> {
        let keys = self.keys(partition)?;
        let slot = |number| slot_text(Slot { level: range.level, number });
        let begin = range.after.map_or_else(|| slot(range.first_slot), |after| behind(&block_text(&after)));
        let begin = begin.max(slot(range.first_slot));
        let end = format!("{}{BEHIND}", slot(range.last_slot));
        let mut heads = Vec::new();
        for text in self.members(keys, "blocks", &begin, &end, None).await? {
            let head = BlockHead::parse(&text)?;
            if head.id.kind == range.kind && head.id.batch > range.batches_after {
                heads.push(head);
            }
        }
        heads.truncate(range.blocks_max);
        let fields = heads.iter().map(|head| block_text(&head.id)).collect::<Vec<_>>();
        let data = self.data(keys.named("block-data"), &fields).await?;
        Ok(heads.into_iter().zip(data).filter_map(|(head, data)| Some(head.with(data?))).collect())
    }

    async fn timer_slots(
        &self,
        partition: PartitionId,
        after: Option<(Slot, Kind)>,
        rows_max: usize,
    ) -> Result<Vec<SlotUse>> {
        let begin =
            after.map_or_else(String::new, |(slot, kind)| format!("{}{BEHIND}", kind_text(slot, kind)));
        let texts = self.members(self.keys(partition)?, "blocks", &begin, &BEHIND.to_string(), None).await?;
        let mut slots: BTreeMap<(Slot, Kind), SlotUse> = BTreeMap::new();
        for text in texts {
            let head = BlockHead::parse(&text)?;
            let (slot, kind) = (head.id.slot, head.id.kind);
            let none = SlotUse { slot, kind, blocks: 0, entries: 0, bytes: 0 };
            let used = slots.entry((slot, kind)).or_insert(none);
            used.blocks += 1;
            used.entries += u64::from(head.count);
            used.bytes += head.bytes;
        }
        Ok(slots.into_values().take(rows_max).collect())
    }

    async fn timer_lanes(&self, partition: PartitionId) -> Result<Vec<LaneUse>> {
        let texts = self.members(self.keys(partition)?, "deliveries", "", &BEHIND.to_string(), None).await?;
        let mut lanes: BTreeMap<u32, LaneUse> = BTreeMap::new();
        for text in texts {
            let head = DeliveryHead::parse(&text)?;
            let used =
                lanes.entry(head.id.lane).or_insert(LaneUse { lane: head.id.lane, rows: 0, entries: 0 });
            used.rows += 1;
            used.entries += u64::from(head.count);
        }
        Ok(lanes.into_values().take(LANES_MAX).collect())
    }

    async fn timer_failures(
        &self,
        partition: PartitionId,
        after: Option<FailureId>,
        rows_max: usize,
    ) -> Result<Vec<FailureRow>> {
        let keys = self.keys(partition)?;
        let begin =
            after.map_or_else(String::new, |id| behind(&format!("{}{:08x}", hex(id.key), id.generation)));
        let heads = self.members(keys, "timer-failures", &begin, &BEHIND.to_string(), Some(rows_max)).await?;
        let fields: Vec<String> =
            heads.iter().map(|head| head.split(':').next().unwrap_or_default().into()).collect();
        let data = self.data(keys.named("timer-failure-data"), &fields).await?;
        heads.iter().zip(data).filter_map(|(head, data)| Some(failure(head, &data?))).collect()
    }

    async fn timer_places(&self, partition: PartitionId, ids: &[PlaceId]) -> Result<Vec<Place>> {
        let fields: Vec<String> = ids.iter().map(|id| place_field(*id)).collect();
        self.places(self.keys(partition)?, &fields).await
    }
}

fn failure(head: &str, data: &[u8]) -> Result<FailureRow> {
    let damaged = |reason: String| crate::error::damaged("timer-failures", reason);
    let StoredFailure { at_ms, reason, data } = unpack(data).map_err(|error| damaged(error.to_string()))?;
    let numbers = || {
        let mut parts = head.split(':').skip(1);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    let (key, generation) = numbers().ok_or_else(|| damaged(format!("'{head}' is no failure")))?;
    Ok(FailureRow { key, generation, at_ms, reason, data })
}
