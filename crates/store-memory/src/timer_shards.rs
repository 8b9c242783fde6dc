//! The rows of service timers.

use crate::state::State;
use crate::{Fault, MemoryStore};
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    DeliveryPage, Error, HolderId, Result, Supply, TIMER_BATCHES_KEPT, TimerBatch, TimerNeed, TimerShards,
};
use tidemill_timers::block::{PlaceId, Scope};
use tidemill_timers::shard::{
    Batch, BlockId, BlockRow, DeliveryId, DeliveryRow, FailureRow, Fence, Pause, Place, PlaceChange,
    Recovered, TargetRow,
};
use tidemill_timers::slot::LEVELS;
use tidemill_timers::{Position, Slot};

/// Places that one read gives at most.
const PLACES_PER_PAGE: usize = 1_000;

#[derive(Default)]
pub(crate) struct ShardRows {
    holder: Option<HolderId>,
    epoch: u64,
    pub(crate) batches: BTreeSet<i64>,
    pub(crate) highest_key: i64,
    pub(crate) mark: Option<Position>,
    pub(crate) blocks: BTreeMap<BlockId, BlockRow>,
    pub(crate) places: BTreeMap<PlaceId, Place>,
    pub(crate) namespaces: BTreeMap<Scope, Pause>,
    targets: BTreeMap<u32, TargetRow>,
    pub(crate) deliveries: BTreeMap<DeliveryId, DeliveryRow>,
    pub(crate) failures: BTreeMap<(i64, u32), FailureRow>,
}

impl ShardRows {
    /// A holder that takes its own partition again keeps the epoch: its timer loop goes on.
    pub(crate) fn take(&mut self, holder: &HolderId) {
        if self.holder.as_ref() != Some(holder) {
            self.holder = Some(holder.clone());
            self.epoch += 1;
        }
    }

    pub(crate) fn release(&mut self) {
        self.holder = None;
        self.epoch += 1;
    }

    fn begin_epoch(&mut self, partition: PartitionId, holder: &HolderId) -> Result<Fence> {
        if self.holder.as_ref() != Some(holder) {
            return Err(Error::Fenced { partition, epoch: self.epoch });
        }
        self.epoch += 1;
        Ok(Fence { partition: u32::from(partition.0), epoch: self.epoch })
    }

    fn write(&mut self, batch: Batch) {
        self.batches.insert(batch.id);
        self.batches.retain(|id| *id > batch.id - 2 * TIMER_BATCHES_KEPT);
        (self.mark, self.highest_key) = (Some(batch.mark), batch.highest_key);
        for id in &batch.block_deletes {
            self.blocks.remove(id);
        }
        self.blocks.extend(batch.block_inserts.into_iter().map(|row| (row.id, row)));
        for change in batch.places {
            match change {
                PlaceChange::Put(place) => {
                    self.places.insert(place.id, place);
                }
                PlaceChange::Delete { id, key } => {
                    if self.places.get(&id).is_some_and(|place| place.key == key) {
                        self.places.remove(&id);
                    }
                }
            }
        }
        self.targets.extend(batch.targets.into_iter().map(|row| (row.id, row)));
        for id in &batch.delivery_deletes {
            self.deliveries.remove(id);
        }
        self.deliveries.extend(batch.deliveries.into_iter().map(|row| (row.id, row)));
        for id in &batch.failure_deletes {
            self.failures.remove(&(id.key, id.generation));
        }
        self.failures.extend(batch.failures.into_iter().map(|row| ((row.key, row.generation), row)));
        for (scope, pause) in batch.namespaces {
            match pause {
                Some(pause) => self.namespaces.insert(scope, pause),
                None => self.namespaces.remove(&scope),
            };
        }
    }

    fn supply(&mut self, partition: PartitionId, holder: &HolderId, need: TimerNeed) -> Result<Supply> {
        Ok(match need {
            TimerNeed::Recover => Supply::Recovered(Recovered {
                fence: self.begin_epoch(partition, holder)?,
                last_batch: self.batches.last().copied().unwrap_or(0),
                highest_key: self.highest_key,
                mark: self.mark.unwrap_or(Position::MIN),
                namespaces: self.namespaces.iter().map(|(scope, pause)| (scope.clone(), *pause)).collect(),
                targets: self.targets.values().map(|row| (row.id, row.hash, row.lane)).collect(),
            }),
            TimerNeed::Settle { batch } => {
                let fence = self.begin_epoch(partition, holder)?;
                Supply::Settled { was_written: self.batches.contains(&batch), fence }
            }
            TimerNeed::Places { after } => {
                let is_asked = |place: &&Place| !place.id.is_own() && Some(place.id) > after;
                let rows: Vec<Place> =
                    self.places.values().filter(is_asked).take(PLACES_PER_PAGE).copied().collect();
                Supply::Places { is_last: rows.len() < PLACES_PER_PAGE, rows }
            }
            TimerNeed::Place(id) => Supply::Place(self.places.get(&id).copied()),
            TimerNeed::First { level, from } => {
                let mut ids =
                    self.blocks.keys().filter(|id| id.slot.level == level && id.slot.number >= from);
                Supply::First(ids.next().map(|id| id.slot.number))
            }
            TimerNeed::Blocks { slot, after, up_to_batch, entries_max } => {
                let is_asked = |row: &&BlockRow| {
                    row.id.slot == slot && row.id.batch <= up_to_batch && Some(row.id) > after
                };
                let rows = self.blocks.values().filter(is_asked).cloned().collect();
                let (rows, is_last) = page(rows, entries_max, |row| row.count);
                Supply::Blocks { rows, is_last }
            }
            TimerNeed::Find { position, after, entries_max } => self.find(position, after, entries_max),
        })
    }

    fn find(&self, position: Position, after: Option<BlockId>, entries_max: usize) -> Supply {
        let order = |id: &BlockId| (std::cmp::Reverse(id.slot.level), *id);
        let covers = |row: &&BlockRow| {
            let slot = row.id.slot;
            slot.level < LEVELS
                && slot == Slot::of(position.due_ms, slot.level)
                && (row.first_key..=row.last_key).contains(&position.key)
                && after.is_none_or(|after| order(&row.id) > order(&after))
        };
        let mut rows: Vec<BlockRow> = self.blocks.values().filter(covers).cloned().collect();
        rows.sort_by_key(|row| order(&row.id));
        let (rows, is_last) = page(rows, entries_max, |row| row.count);
        Supply::Blocks { rows, is_last }
    }
}

/// Rows until they have so many entries, but one at least; and whether these were all.
fn page<T>(rows: Vec<T>, entries_max: usize, count: impl Fn(&T) -> u32) -> (Vec<T>, bool) {
    let (all, mut entries, mut page) = (rows.len(), 0, Vec::new());
    for row in rows {
        entries += count(&row) as usize;
        if !page.is_empty() && entries > entries_max {
            break;
        }
        page.push(row);
    }
    let is_last = page.len() == all;
    (page, is_last)
}

#[async_trait]
impl TimerShards for MemoryStore {
    async fn commit_timers(&self, batch: TimerBatch) -> Result<Timestamp> {
        let unknown = || Error::OutcomeUnknown { reason: "the connection to the memory was lost".into() };
        self.arrive("commit_timers").await?;
        let fault = self.shared.faults.take();
        match fault {
            Fault::None | Fault::LostAfterCommit => {}
            Fault::LostBeforeCommit => return Err(unknown()),
            Fault::Slow => self.shared.faults.wait().await,
            Fault::Fenced => self.state().shard(batch.partition())?.release(),
            Fault::Full => {
                return Err(Error::Full { place: "the memory".into(), reason: "a fault was planned".into() });
            }
            Fault::FullForNow => {
                let (place, reason) = ("the memory".into(), "a fault was planned".into());
                return Err(Error::FullForNow { place, reason });
            }
        }
        let woken: BTreeSet<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        let now = self.now();
        self.state().commit_timers(batch)?;
        for partition in woken {
            self.shared.notifiers.notify(partition);
        }
        self.depart("commit_timers").await?;
        if fault == Fault::LostAfterCommit { Err(unknown()) } else { Ok(now) }
    }

    async fn supply_timers(
        &self,
        partition: PartitionId,
        holder: &HolderId,
        need: TimerNeed,
    ) -> Result<Supply> {
        self.paced("supply_timers", || self.state().shard(partition)?.supply(partition, holder, need)).await
    }

    async fn deliveries(
        &self,
        partition: PartitionId,
        lane: u32,
        after: Option<DeliveryId>,
        entries_max: usize,
    ) -> Result<DeliveryPage> {
        self.paced("deliveries", || {
            let mut state = self.state();
            let is_asked = |row: &&DeliveryRow| row.id.lane == lane && Some(row.id) > after;
            let rows = state.shard(partition)?.deliveries.values().filter(is_asked).cloned().collect();
            let (rows, is_last) = page(rows, entries_max, |row| row.count);
            Ok(DeliveryPage { rows, is_last })
        })
        .await
    }

    async fn next_lane(&self, partition: PartitionId, from: u32) -> Result<Option<u32>> {
        self.paced("next_lane", || {
            let first = DeliveryId { lane: from, batch: i64::MIN, n: 0 };
            let mut state = self.state();
            Ok(state.shard(partition)?.deliveries.range(first..).next().map(|(id, _)| id.lane))
        })
        .await
    }

    async fn timer_targets(&self, partition: PartitionId, ids: &[u32]) -> Result<Vec<TargetRow>> {
        self.paced("timer_targets", || {
            let mut state = self.state();
            let targets = &state.shard(partition)?.targets;
            Ok(ids.iter().filter_map(|id| targets.get(id).cloned()).collect())
        })
        .await
    }
}

impl State {
    pub(crate) fn shard(&mut self, partition: PartitionId) -> Result<&mut ShardRows> {
        self.shards.get_mut(&partition).ok_or_else(|| Error::Failed {
            place: format!("partition {partition}"),
            reason: "the store has no such partition".into(),
        })
    }

    fn commit_timers(&mut self, timers: TimerBatch) -> Result<()> {
        let (partition, fence) = (timers.partition(), timers.batch.fence);
        let shard = self.shard(partition)?;
        if shard.epoch != fence.epoch || shard.holder.as_ref() != Some(&timers.holder) {
            return Err(Error::Fenced { partition, epoch: fence.epoch });
        }
        shard.write(timers.batch);
        for entry in timers.outgoing {
            self.append(entry);
        }
        Ok(())
    }
}
