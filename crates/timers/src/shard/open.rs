//! The open batch: what the next commit will write, before it is packed into blocks.

use super::fired::Fired;
use super::frontier::Frontier;
use super::places::Places;
use super::request::{Answer, Ticket, Work};
use super::rows::{BlockId, BlockRow, DeliveryId, FailureId, FailureRow, Pause, PlaceChange, TargetRow};
use crate::block::{self, Block, Entry, Kind, Scope, Tombstone};
use crate::{Position, Slot};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A level beside time: what was parked while its namespace was paused, one slot for each namespace.
pub(super) const PARKED: u8 = 6;
/// A level beside time: timers that were paused one by one, one slot for each key.
pub(super) const PAUSED: u8 = 7;

/// Limits on the size of blocks.
#[derive(Clone, Copy)]
pub(super) struct BlockLimits {
    pub(super) entries_max: usize,
    pub(super) bytes_max: usize,
}

#[derive(Default)]
pub(super) struct Open {
    pub(super) answers: Vec<(Ticket, Answer)>,
    /// The requests to run again if the commit fails.
    pub(super) works: Vec<Work>,
    pub(super) entries: Vec<Entry>,
    pub(super) tombstones: Vec<Tombstone>,
    /// For slots beside time.
    pub(super) aside: Vec<(Slot, Entry)>,
    pub(super) aside_tombstones: Vec<(Slot, Tombstone)>,
    pub(super) deletes: Vec<BlockId>,
    pub(super) fired: Fired,
    pub(super) delivery_deletes: Vec<DeliveryId>,
    pub(super) failures: Vec<(Entry, Arc<str>)>,
    pub(super) failure_deletes: Vec<FailureId>,
    pub(super) places: Vec<PlaceChange>,
    pub(super) namespaces: BTreeMap<Scope, Option<Pause>>,
    pub(super) targets: Vec<TargetRow>,
    pub(super) bytes: usize,
}

impl Open {
    pub(super) fn is_empty(&self) -> bool {
        self.answers.is_empty()
            && self.entries.is_empty()
            && self.tombstones.is_empty()
            && self.aside.is_empty()
            && self.aside_tombstones.is_empty()
            && self.deletes.is_empty()
            && self.fired.is_empty()
            && self.delivery_deletes.is_empty()
            && self.failures.is_empty()
            && self.failure_deletes.is_empty()
            && self.places.is_empty()
            && self.namespaces.is_empty()
            && self.targets.is_empty()
    }

    pub(super) fn put_place(&mut self, change: PlaceChange, places: &mut Places) {
        places.note(change);
        self.places.push(change);
    }

    /// Timers of this batch that have fired with it are written nowhere; nor are tombstones of what lies behind.
    pub(super) fn forget_through(&mut self, mark: Position) {
        self.entries.retain(|entry| entry.position() > mark);
        self.tombstones.retain(|tombstone| tombstone.position() > mark);
    }

    /// Packs everything for slots; `frontier` says which, and learns of it.
    pub(super) fn pack_blocks(
        &mut self,
        batch: i64,
        limits: BlockLimits,
        frontier: &mut Frontier,
    ) -> Vec<BlockRow> {
        let mut entries = BySlot::default();
        let mut tombstones: BTreeMap<Slot, Vec<Tombstone>> = BTreeMap::new();
        for entry in std::mem::take(&mut self.entries) {
            entries.push(frontier.slot_of(entry.due_ms), Kind::Entries, entry);
        }
        for tombstone in std::mem::take(&mut self.tombstones) {
            tombstones.entry(frontier.slot_of(tombstone.due_ms)).or_default().push(tombstone);
        }
        for (slot, entry) in std::mem::take(&mut self.aside) {
            entries.push(slot, Kind::Paused, entry);
        }
        for (slot, tombstone) in std::mem::take(&mut self.aside_tombstones) {
            tombstones.entry(slot).or_default().push(tombstone);
        }
        let mut rows = Vec::new();
        for (slot, tombstones) in tombstones {
            let chunks =
                chunks(tombstones, limits, |_| size_of::<Tombstone>()).into_iter().map(Block::Tombstones);
            rows.extend(pack(BlockId { slot, kind: Kind::Tombstones, batch, n: 0 }, chunks));
        }
        for ((slot, kind), entries) in entries.in_order() {
            let block = if kind == Kind::Paused { Block::Paused } else { Block::Entries };
            rows.extend(pack(
                BlockId { slot, kind, batch, n: 0 },
                chunks(entries, limits, Entry::bytes).into_iter().map(block),
            ));
        }
        rows.iter().filter(|row| row.id.slot.level < PARKED).for_each(|row| note(frontier, row));
        rows
    }
}

pub(super) fn pack_failure((entry, reason): (Entry, Arc<str>), at_ms: i64) -> FailureRow {
    let (key, generation) = (entry.key, entry.generation);
    let data = encode(&mut Block::Entries(vec![entry]));
    FailureRow { key, generation, at_ms, reason: reason.to_string(), data }
}

/// Entries by the slot and the kind of block that they go to.
#[derive(Default)]
struct BySlot {
    lists: FxHashMap<(Slot, Kind), Vec<Entry>>,
}

impl BySlot {
    fn push(&mut self, slot: Slot, kind: Kind, entry: Entry) {
        self.lists.entry((slot, kind)).or_default().push(entry);
    }

    fn in_order(self) -> Vec<((Slot, Kind), Vec<Entry>)> {
        let mut lists: Vec<_> = self.lists.into_iter().collect();
        lists.sort_unstable_by_key(|(place, _)| *place);
        lists
    }
}

fn note(frontier: &mut Frontier, row: &BlockRow) {
    let is_loaded = row.id.slot.level == 0 && frontier.is_in_wheel(row.id.slot.number);
    let slot = frontier.occupied(row.id.slot);
    slot.blocks_added += 1;
    slot.entries_added += row.count as usize;
    if is_loaded {
        slot.loaded.push(row.id);
    }
}

/// Payloads count too, so that no block grows beyond what a reader takes into memory at once.
pub(super) fn chunks<T>(items: Vec<T>, limits: BlockLimits, bytes_of: fn(&T) -> usize) -> Vec<Vec<T>> {
    if items.len() <= limits.entries_max && items.iter().map(bytes_of).sum::<usize>() <= limits.bytes_max {
        return if items.is_empty() { Vec::new() } else { vec![items] };
    }
    let (mut chunks, mut bytes) = (Vec::<Vec<T>>::new(), 0);
    for item in items {
        bytes += bytes_of(&item);
        match chunks.last_mut().filter(|last| last.len() < limits.entries_max && bytes <= limits.bytes_max) {
            Some(last) => last.push(item),
            None => {
                bytes = bytes_of(&item);
                chunks.push(vec![item]);
            }
        }
    }
    chunks
}

fn pack(id: BlockId, blocks: impl Iterator<Item = Block>) -> Vec<BlockRow> {
    let row = |(n, mut block): (u32, Block)| {
        let (first_key, last_key) = key_range(&block);
        let count = block.len() as u32;
        BlockRow { id: BlockId { n, ..id }, first_key, last_key, count, data: encode(&mut block) }
    };
    (0..).zip(blocks).map(row).collect()
}

pub(super) fn key_range(block: &Block) -> (i64, i64) {
    let range = |(first, last): (i64, i64), key: i64| (first.min(key), last.max(key));
    let none = (i64::MAX, i64::MIN);
    match block {
        Block::Tombstones(tombstones) => tombstones.iter().map(|t| t.key).fold(none, range),
        Block::Entries(entries) | Block::Paused(entries) => entries.iter().map(|e| e.key).fold(none, range),
    }
}

pub(super) fn encode(block: &mut Block) -> Vec<u8> {
    block::encode(block)
        .expect("names and payloads are checked when a timer is created, and blocks are cut to size")
}
