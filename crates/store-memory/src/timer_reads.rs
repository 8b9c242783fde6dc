//! Reads of service timers for those who search and operate.

use crate::MemoryStore;
use async_trait::async_trait;
use std::collections::BTreeMap;
use tidemill_model::PartitionId;
use tidemill_store::{BlockRange, LaneUse, Result, ShardState, SlotUse, TimerReads};
use tidemill_timers::block::{Kind, PlaceId};
use tidemill_timers::shard::{BlockRow, FailureId, FailureRow, Place};
use tidemill_timers::{Position, Slot};

#[async_trait]
impl TimerReads for MemoryStore {
    async fn timer_shard(&self, partition: PartitionId) -> Result<ShardState> {
        self.paced("timer_shard", || {
            let mut state = self.state();
            let shard = state.shard(partition)?;
            Ok(ShardState {
                last_batch: shard.batches.last().copied().unwrap_or(0),
                highest_key: shard.highest_key,
                mark: shard.mark.unwrap_or(Position::MIN),
                namespaces: shard.namespaces.iter().map(|(scope, pause)| (scope.clone(), *pause)).collect(),
            })
        })
        .await
    }

    async fn timer_blocks(&self, partition: PartitionId, range: BlockRange) -> Result<Vec<BlockRow>> {
        self.paced("timer_blocks", || {
            let mut state = self.state();
            let order = |row: &BlockRow| (row.id.slot.number, row.id.batch, row.id.n);
            let after = range.after.map(|id| (id.slot.number, id.batch, id.n));
            let is_asked = |row: &&BlockRow| {
                row.id.slot.level == range.level
                    && row.id.kind == range.kind
                    && (range.first_slot..=range.last_slot).contains(&row.id.slot.number)
                    && row.id.batch > range.batches_after
                    && Some(order(row)) > after
            };
            let mut rows: Vec<BlockRow> =
                state.shard(partition)?.blocks.values().filter(is_asked).cloned().collect();
            rows.sort_by_key(order);
            rows.truncate(range.blocks_max);
            Ok(rows)
        })
        .await
    }

    async fn timer_slots(
        &self,
        partition: PartitionId,
        after: Option<(Slot, Kind)>,
        rows_max: usize,
    ) -> Result<Vec<SlotUse>> {
        self.paced("timer_slots", || {
            let mut state = self.state();
            let mut slots: BTreeMap<(Slot, Kind), SlotUse> = BTreeMap::new();
            for row in state.shard(partition)?.blocks.values() {
                let (slot, kind) = (row.id.slot, row.id.kind);
                let none = SlotUse { slot, kind, blocks: 0, entries: 0, bytes: 0 };
                let used = slots.entry((slot, kind)).or_insert(none);
                used.blocks += 1;
                used.entries += u64::from(row.count);
                used.bytes += row.data.len() as u64;
            }
            let behind = slots.into_iter().filter(|(id, _)| after.is_none_or(|after| *id > after));
            Ok(behind.map(|(_, used)| used).take(rows_max).collect())
        })
        .await
    }

    async fn timer_lanes(&self, partition: PartitionId) -> Result<Vec<LaneUse>> {
        self.paced("timer_lanes", || {
            let mut state = self.state();
            let mut lanes: BTreeMap<u32, LaneUse> = BTreeMap::new();
            for row in state.shard(partition)?.deliveries.values() {
                let none = LaneUse { lane: row.id.lane, rows: 0, entries: 0 };
                let used = lanes.entry(row.id.lane).or_insert(none);
                used.rows += 1;
                used.entries += u64::from(row.count);
            }
            Ok(lanes.into_values().take(1_000).collect())
        })
        .await
    }

    async fn timer_failures(
        &self,
        partition: PartitionId,
        after: Option<FailureId>,
        rows_max: usize,
    ) -> Result<Vec<FailureRow>> {
        self.paced("timer_failures", || {
            let mut state = self.state();
            let after = after.map(|after| (after.key, after.generation));
            let failures = &state.shard(partition)?.failures;
            let behind = failures.iter().filter(|(id, _)| after.is_none_or(|after| **id > after));
            Ok(behind.map(|(_, row)| row.clone()).take(rows_max).collect())
        })
        .await
    }

    async fn timer_places(&self, partition: PartitionId, ids: &[PlaceId]) -> Result<Vec<Place>> {
        self.paced("timer_places", || {
            let mut state = self.state();
            let places = &state.shard(partition)?.places;
            Ok(ids.iter().filter_map(|id| places.get(id).copied()).collect())
        })
        .await
    }
}
