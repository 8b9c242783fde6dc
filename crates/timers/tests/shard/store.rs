//! A store in memory, as plain as can be: what a commit writes, all or nothing, and the reads that a shard asks for.

use std::collections::{BTreeMap, BTreeSet};
use tidemill_timers::block::{self, Block, Entry, Flags, Kind, PlaceId, Scope, Tombstone};
use tidemill_timers::shard::{
    Batch, BlockId, BlockRow, Commit, DeliveryId, DeliveryRow, FailureRow, Fence, Need, Pause, Place,
    PlaceChange, Recovered, Supply,
};
use tidemill_timers::{Position, Slot};

#[derive(Default)]
pub(crate) struct Store {
    pub(crate) epoch: u64,
    pub(crate) batches: BTreeSet<i64>,
    pub(crate) highest_key: i64,
    pub(crate) mark: Option<Position>,
    pub(crate) blocks: BTreeMap<BlockId, BlockRow>,
    pub(crate) places: BTreeMap<PlaceId, Place>,
    pub(crate) namespaces: BTreeMap<Scope, Pause>,
    pub(crate) targets: Vec<(u32, u128, u32)>,
    pub(crate) deliveries: BTreeMap<DeliveryId, DeliveryRow>,
    pub(crate) failures: Vec<FailureRow>,
    /// Rows of places that a page has at most.
    pub(crate) page_places: usize,
}

impl Store {
    pub(crate) fn fence(&self) -> Fence {
        Fence { partition: 1, epoch: self.epoch }
    }

    pub(crate) fn commit(&mut self, batch: &Batch) -> Commit {
        if batch.fence != self.fence() {
            return Commit::Fenced;
        }
        assert!(self.batches.insert(batch.id), "batch {} was written twice", batch.id);
        assert!(Some(batch.mark) >= self.mark, "the mark went back from {:?} to {:?}", self.mark, batch.mark);
        assert!(batch.highest_key >= self.highest_key);
        (self.mark, self.highest_key) = (Some(batch.mark), batch.highest_key);
        for id in &batch.block_deletes {
            assert!(self.blocks.remove(id).is_some(), "{id:?} is deleted, but not there");
        }
        for row in &batch.block_inserts {
            assert!(self.blocks.insert(row.id, row.clone()).is_none(), "{:?} is there already", row.id);
        }
        for change in &batch.places {
            match change {
                PlaceChange::Put(place) => drop(self.places.insert(place.id, *place)),
                PlaceChange::Delete { id, key } => {
                    if self.places.get(id).is_some_and(|place| place.key == *key) {
                        self.places.remove(id);
                    }
                }
            }
        }
        for (scope, pause) in &batch.namespaces {
            match pause {
                Some(pause) => drop(self.namespaces.insert(scope.clone(), *pause)),
                None => drop(self.namespaces.remove(scope)),
            }
        }
        self.targets.extend(batch.targets.iter().map(|target| (target.id, target.hash, target.lane)));
        for row in &batch.deliveries {
            assert!(self.deliveries.insert(row.id, row.clone()).is_none(), "{:?} is there already", row.id);
        }
        for id in &batch.delivery_deletes {
            self.deliveries.remove(id);
        }
        for id in &batch.failure_deletes {
            self.failures.retain(|row| (row.key, row.generation) != (id.key, id.generation));
        }
        self.failures.extend(batch.failures.iter().cloned());
        Commit::Written
    }

    pub(crate) fn read(&mut self, need: Need) -> Supply {
        match need {
            Need::Recover => Supply::Recovered(Recovered {
                fence: self.fence(),
                last_batch: self.batches.last().copied().unwrap_or(0),
                highest_key: self.highest_key,
                mark: self.mark.unwrap_or(Position::MIN),
                namespaces: self.namespaces.clone().into_iter().collect(),
                targets: self.targets.clone(),
            }),
            Need::Settle { batch } => {
                self.epoch += 1;
                Supply::Settled { was_written: self.batches.contains(&batch), fence: self.fence() }
            }
            Need::Places { after } => self.places_after(after),
            Need::Place(id) => Supply::Place(self.places.get(&id).copied()),
            Need::First { level, from } => {
                let slots = self.blocks.keys().filter(|id| id.slot.level == level && id.slot.number >= from);
                Supply::First(slots.map(|id| id.slot.number).next())
            }
            Need::Blocks { slot, after, up_to_batch, entries_max } => {
                let is_asked =
                    |id: &&BlockId| id.slot == slot && id.batch <= up_to_batch && Some(**id) > after;
                let ids = self.blocks.keys().filter(is_asked).copied().collect();
                self.page(ids, entries_max)
            }
            Need::Find { position, after, entries_max } => self.find(position, after, entries_max),
        }
    }

    fn places_after(&self, after: Option<PlaceId>) -> Supply {
        let is_asked = |place: &&Place| !place.id.is_own() && Some(place.id) > after;
        let rows: Vec<Place> =
            self.places.values().filter(is_asked).take(self.page_places).copied().collect();
        Supply::Places { is_last: rows.len() < self.page_places, rows }
    }

    fn find(&self, position: Position, after: Option<BlockId>, entries_max: usize) -> Supply {
        let order = |id: &BlockId| (std::cmp::Reverse(id.slot.level), *id);
        let covers = |row: &&BlockRow| {
            let slot = row.id.slot;
            slot.level < 6
                && slot == Slot::of(position.due_ms, slot.level)
                && row.first_key <= position.key
                && position.key <= row.last_key
                && after.is_none_or(|after| order(&row.id) > order(&after))
        };
        let mut ids: Vec<BlockId> = self.blocks.values().filter(covers).map(|row| row.id).collect();
        ids.sort_by_key(order);
        self.page(ids, entries_max)
    }

    fn page(&self, ids: Vec<BlockId>, entries_max: usize) -> Supply {
        let (mut rows, mut entries) = (Vec::new(), 0);
        for id in &ids {
            let row = &self.blocks[id];
            entries += row.count as usize;
            if !rows.is_empty() && entries > entries_max {
                break;
            }
            rows.push(row.clone());
        }
        Supply::Blocks { is_last: rows.len() == ids.len(), rows }
    }

    /// All timers that are stored and would still fire, by the letter of the rules.
    pub(crate) fn live(&self) -> BTreeMap<i64, Entry> {
        let mut tombstones: BTreeMap<i64, Vec<(Slot, Tombstone)>> = BTreeMap::new();
        let mut entries = Vec::new();
        for row in self.blocks.values() {
            match block::decode(&row.data).expect("the store damages nothing") {
                Block::Tombstones(block) => {
                    for tombstone in block {
                        tombstones.entry(tombstone.key).or_default().push((row.id.slot, tombstone));
                    }
                }
                Block::Entries(block) | Block::Paused(block) => {
                    let timers = block.into_iter().filter(|entry| !entry.flags.has(Flags::FORGETS));
                    entries.extend(timers.map(|entry| (row.id, entry)));
                }
            }
        }
        let mut live = BTreeMap::new();
        for (id, entry) in entries {
            let is_beside = id.kind == Kind::Paused;
            let has_passed = !is_beside && Some(entry.position()) <= self.mark;
            let kills = |(slot, tombstone): &(Slot, Tombstone)| {
                let meets = if is_beside {
                    *slot == id.slot
                } else {
                    slot.level < 6 && tombstone.due_ms == entry.due_ms
                };
                meets && tombstone.kills(&entry)
            };
            let is_killed = tombstones.get(&entry.key).is_some_and(|tombstones| tombstones.iter().any(kills));
            if !has_passed && !is_killed {
                let twin = live.insert(entry.key, entry);
                assert!(twin.is_none(), "{twin:?} is stored twice");
            }
        }
        live
    }
}

pub(crate) fn delivered(batch: &Batch) -> Vec<Entry> {
    let unpack = |data: &[u8]| match block::decode(data).expect("the shard packs what can be unpacked") {
        Block::Entries(entries) => entries,
        other => panic!("deliveries are packed as {other:?}"),
    };
    batch.deliveries.iter().flat_map(|row| unpack(&row.data)).collect()
}
