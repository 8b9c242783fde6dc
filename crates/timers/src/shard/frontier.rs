//! The times up to which slots have been split and loaded, and the slots that hold blocks (rules 4 and 5).

use super::rows::BlockId;
use crate::Slot;
use crate::slot::{LEVEL_MAX, LEVELS, length_ms};
use std::collections::BTreeMap;

/// A slot that holds blocks.
#[derive(Default)]
pub(super) struct Occupied {
    /// Blocks that were added since the slot was last rewritten: a hint for merging.
    pub(super) blocks_added: usize,
    pub(super) entries_added: usize,
    /// All blocks of a loaded slot of the finest level, to be deleted when the mark has passed it.
    pub(super) loaded: Vec<BlockId>,
}

pub(super) struct Frontier {
    /// Slots of the finest level below this number are in the wheel completely; the mark stays before it.
    pub(super) load_to: i64,
    /// The slot that is being loaded: what is new in it goes to the wheel as well.
    pub(super) loading: Option<i64>,
    /// Slots of a level below its number take no new blocks: their timers go to finer ones.
    split_to: [i64; LEVELS as usize],
    /// Stored slots of a level below its number are all among the occupied ones.
    scanned_to: [i64; LEVELS as usize],
    occupied: [BTreeMap<i64, Occupied>; LEVELS as usize],
}

impl Frontier {
    pub(super) fn new(mark_ms: i64) -> Frontier {
        let from = |level: usize| Slot::of(mark_ms, level as u8).number;
        Frontier {
            load_to: from(0),
            loading: None,
            split_to: std::array::from_fn(|level| from(level) + 1),
            scanned_to: std::array::from_fn(from),
            occupied: Default::default(),
        }
    }

    /// The slot that a new timer or tombstone is stored in.
    pub(super) fn slot_of(&self, due_ms: i64) -> Slot {
        let is_split = |level: &u8| {
            let parent = Slot::of(due_ms, level + 1);
            parent.number < self.split_to[usize::from(parent.level)]
        };
        let level = (0..LEVEL_MAX).find(is_split).unwrap_or(LEVEL_MAX);
        Slot::of(due_ms, level)
    }

    pub(super) fn is_loaded(&self, due_ms: i64) -> bool {
        Slot::of(due_ms, 0).number < self.load_to
    }

    /// True for a slot of the finest level whose timers are in the wheel, or are being put there.
    pub(super) fn is_in_wheel(&self, number: i64) -> bool {
        number < self.load_to || self.loading == Some(number)
    }

    /// From now on, timers due before this time are stored at the finest level. Coarse slots are cut early, since there
    /// is much in them.
    pub(super) fn split_before(&mut self, target_ms: i64) {
        for level in 1..LEVELS {
            let reached = Slot::of(target_ms.saturating_add(length_ms(level) / 16), level).number + 1;
            let split_to = &mut self.split_to[usize::from(level)];
            *split_to = reached.max(*split_to);
        }
    }

    pub(super) fn occupied(&mut self, slot: Slot) -> &mut Occupied {
        self.occupied[usize::from(slot.level)].entry(slot.number).or_default()
    }

    pub(super) fn vacate(&mut self, slot: Slot) -> Option<Occupied> {
        self.occupied[usize::from(slot.level)].remove(&slot.number)
    }

    pub(super) fn count_anew(&mut self, slot: Slot) {
        if let Some(slot) = self.occupied[usize::from(slot.level)].get_mut(&slot.number) {
            (slot.blocks_added, slot.entries_added) = (0, 0);
        }
    }

    pub(super) fn is_occupied(&self, slot: Slot) -> bool {
        self.occupied[usize::from(slot.level)].contains_key(&slot.number)
    }

    pub(super) fn scanned(&mut self, level: u8, found: Option<i64>) {
        self.scanned_to[usize::from(level)] = found.map_or(i64::MAX, |number| number + 1);
        if let Some(number) = found {
            self.occupied(Slot { level, number });
        }
    }

    /// A level whose slots are not known up to a time, and from where on.
    pub(super) fn unscanned(&self, target_ms: i64) -> Option<(u8, i64)> {
        (0..LEVELS).find_map(|level| {
            let from = self.scanned_to[usize::from(level)];
            (from <= Slot::of(target_ms, level).number).then_some((level, from))
        })
    }

    /// The earliest slot that must be split, and the coarsest of those that begin together.
    pub(super) fn first_to_split(&self) -> Option<Slot> {
        let first = |level: u8| {
            let (number, _) = self.occupied[usize::from(level)].first_key_value()?;
            (*number < self.split_to[usize::from(level)]).then_some(Slot { level, number: *number })
        };
        (1..LEVELS).rev().filter_map(first).min_by_key(|slot| slot.begin_ms())
    }

    /// Nothing at or behind this time may be loaded yet: a parent slot is not empty, or not known (rule 4).
    pub(super) fn unsplit_from_ms(&self) -> i64 {
        let begin = |level: u8| {
            let occupied = self.occupied[usize::from(level)].keys().next().copied();
            let number = occupied.unwrap_or(i64::MAX).min(self.scanned_to[usize::from(level)]);
            Slot { level, number }.begin_ms()
        };
        (1..LEVELS).map(begin).min().unwrap_or(i64::MAX)
    }

    /// The first slot of the finest level that is not loaded and holds blocks, or is not known.
    pub(super) fn first_to_load(&self) -> i64 {
        let occupied = self.occupied[0].range(self.load_to..).next().map(|(number, _)| *number);
        occupied.unwrap_or(i64::MAX).min(self.scanned_to[0])
    }

    /// The first slot that is to be loaded, if it begins before a time and nothing coarser must be split before.
    pub(super) fn next_to_load(&self, target_ms: i64) -> Option<Slot> {
        let load = Slot { level: 0, number: self.first_to_load() };
        let is_next = self.is_occupied(load)
            && load.number == self.load_to
            && load.begin_ms() <= target_ms
            && load.begin_ms() < self.unsplit_from_ms();
        is_next.then_some(load)
    }

    /// Before this slot of the finest level nothing is stored that is not in the wheel, and new timers are stored at the
    /// finest level.
    pub(super) fn known_to(&self) -> i64 {
        let unsplit_ms = self.unsplit_from_ms().min(Slot { level: 1, number: self.split_to[1] }.begin_ms());
        self.first_to_load().min(Slot::of(unsplit_ms, 0).number)
    }

    /// Skips slots that hold nothing, up to a time.
    pub(super) fn skip_empty(&mut self, target_ms: i64) {
        let reached = self.known_to().min(Slot::of(target_ms, 0).number + 1);
        self.load_to = self.load_to.max(reached);
    }

    /// Loaded slots that end before a time, or at it; they are vacated.
    pub(super) fn take_passed(&mut self, until_ms: i64) -> Vec<BlockId> {
        let mut blocks = Vec::new();
        while let Some(first) = self.occupied[0].first_entry() {
            let slot = Slot { level: 0, number: *first.key() };
            if slot.end_ms() > until_ms || slot.number >= self.load_to {
                break;
            }
            blocks.append(&mut first.remove().loaded);
        }
        blocks
    }

    /// When the first loaded slot ends.
    pub(super) fn first_end_ms(&self) -> Option<i64> {
        let (number, _) = self.occupied[0].range(..self.load_to).next()?;
        Some(Slot { level: 0, number: *number }.end_ms())
    }

    /// When the first slot begins that is neither loaded nor split as it must be.
    pub(super) fn next_begin_ms(&self) -> Option<i64> {
        let slots = (0..LEVELS).filter_map(|level| {
            let from = if level == 0 { self.load_to } else { i64::MIN };
            let (number, _) = self.occupied[usize::from(level)].range(from..).next()?;
            Some(Slot { level, number: *number }.begin_ms())
        });
        let unscanned = (0..LEVELS).filter_map(|level| {
            let number = self.scanned_to[usize::from(level)];
            (number < i64::MAX).then_some(Slot { level, number }.begin_ms())
        });
        slots.chain(unscanned).min()
    }

    /// Slots from this one on leave the wheel.
    pub(super) fn unload_from(&mut self, number: i64) {
        self.load_to = self.load_to.min(number);
        self.loading = None;
        for (_, slot) in self.occupied[0].range_mut(number..) {
            slot.loaded = Vec::new();
        }
    }

    /// A slot of many small blocks that waits long enough for merging to pay.
    pub(super) fn first_to_merge(&self, blocks_min: usize, entries_max: usize) -> Option<Slot> {
        (0..LEVELS).find_map(|level| {
            let from = if level == 0 { self.load_to + 1 } else { self.split_to[usize::from(level)] };
            let is_scattered = |slot: &Occupied| {
                slot.blocks_added >= blocks_min && slot.entries_added < slot.blocks_added * entries_max / 4
            };
            let mut slots = self.occupied[usize::from(level)].range(from..);
            slots.find(|(_, slot)| is_scattered(slot)).map(|(number, _)| Slot { level, number: *number })
        })
    }
}
