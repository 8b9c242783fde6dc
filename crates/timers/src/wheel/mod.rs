//! The wheel: timers in the order `(due_ms, key)`, bounded by bytes. It knows no clock and no store.
//!
//! Neighbouring timers share a leaf of some hundred entries. An insert finds its leaf and appends to it; a leaf is put in
//! order only when its timers are about to fire. So most of the work is on one short vector at a time, whether the
//! timers fall due in the same millisecond or are spread over years.

mod keyed;
mod leaf;

use crate::Position;
pub use keyed::Deadlines;
use leaf::{Entry, Leaf};
use std::collections::BTreeMap;

pub struct Wheel<T> {
    /// Each under a position that none of its entries lies before; every entry lies before the next leaf's.
    leaves: BTreeMap<Position, Leaf<T>>,
    len: usize,
    bytes: usize,
    bytes_max: usize,
    heap_bytes: fn(&T) -> usize,
}

impl<T> Wheel<T> {
    /// `heap_bytes` tells what a payload occupies besides its own size.
    pub fn new(bytes_max: usize, heap_bytes: fn(&T) -> usize) -> Wheel<T> {
        Wheel { leaves: BTreeMap::new(), len: 0, bytes: 0, bytes_max, heap_bytes }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Memory in use, room for further entries included.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    pub fn is_over_budget(&self) -> bool {
        self.bytes > self.bytes_max
    }

    /// Adds a timer. The caller knows that there is none at this position; `replace` is for who does not.
    pub fn insert(&mut self, position: Position, payload: T) {
        self.len += 1;
        self.bytes += (self.heap_bytes)(&payload);
        let Some((_, leaf)) = self.leaves.range_mut(..=position).next_back() else {
            return self.insert_first(position, payload);
        };
        if leaf.is_full() {
            return self.insert_into_full(position, payload);
        }
        self.bytes -= leaf.bytes();
        leaf.insert(position, payload);
        self.bytes += leaf.bytes();
    }

    /// Before all leaves: the first one takes it.
    fn insert_first(&mut self, position: Position, payload: T) {
        let mut leaf = match self.leaves.pop_first() {
            Some((_, leaf)) if !leaf.is_full() => {
                self.bytes -= leaf.bytes();
                leaf
            }
            Some((begin, leaf)) => {
                self.leaves.insert(begin, leaf);
                Leaf::new()
            }
            None => Leaf::new(),
        };
        leaf.insert(position, payload);
        self.bytes += leaf.bytes();
        self.leaves.insert(Position::MIN, leaf);
    }

    fn insert_into_full(&mut self, position: Position, payload: T) {
        let Some((_, leaf)) = self.leaves.range_mut(..=position).next_back() else { return };
        // Timers that come in order fill their leaves instead of leaving each half empty.
        if leaf.ends_before(position) {
            let mut next = Leaf::new();
            next.insert(position, payload);
            self.bytes += next.bytes();
            self.leaves.insert(position, next);
            return;
        }
        self.bytes -= leaf.bytes();
        let (begin, mut later) = leaf.split();
        if position < begin { &mut *leaf } else { &mut later }.insert(position, payload);
        self.bytes += leaf.bytes() + later.bytes();
        self.leaves.insert(begin, later);
    }

    /// Adds a timer, in place of one at the same position.
    pub fn replace(&mut self, position: Position, payload: T) -> Option<T> {
        let replaced = self.remove(position);
        self.insert(position, payload);
        replaced
    }

    pub fn get(&self, position: Position) -> Option<&T> {
        self.leaves.range(..=position).next_back().and_then(|(_, leaf)| leaf.get(position))
    }

    pub fn remove(&mut self, position: Position) -> Option<T> {
        let (begin, leaf) = self.leaves.range_mut(..=position).next_back()?;
        let before = leaf.bytes();
        let payload = leaf.remove(position)?;
        let (begin, is_empty, after) = (*begin, leaf.is_empty(), leaf.bytes());
        self.len -= 1;
        self.bytes = self.bytes - before + after - (self.heap_bytes)(&payload);
        if is_empty {
            self.leaves.remove(&begin);
            self.bytes -= after;
        }
        Some(payload)
    }

    /// The next timer to fire.
    pub fn first(&mut self) -> Option<Position> {
        self.leaves.first_entry()?.get_mut().first()
    }

    /// Takes out the timers that are due, in order, and appends them to `due`; not more than `timers_max`.
    pub fn take_due(&mut self, now_ms: i64, timers_max: usize, due: &mut Vec<(Position, T)>) {
        self.take_up_to(Position::end_of(now_ms), timers_max, due);
    }

    /// Takes out the timers up to a position, that one included.
    pub fn take_up_to(&mut self, up_to: Position, timers_max: usize, taken: &mut Vec<(Position, T)>) {
        let end = taken.len().saturating_add(timers_max);
        while taken.len() < end {
            let Some(mut first) = self.leaves.first_entry() else { return };
            let (leaf, heap_bytes) = (first.get_mut(), self.heap_bytes);
            let (len, mut heap) = (taken.len(), 0);
            leaf.take(up_to, end - len, |Entry { position, payload }| {
                heap += heap_bytes(&payload);
                taken.push((position, payload));
            });
            self.len -= taken.len() - len;
            self.bytes -= heap;
            if !leaf.is_empty() {
                return;
            }
            self.bytes -= leaf.bytes();
            first.remove();
        }
    }

    /// True if a timer lies behind `after` and not behind `up_to`.
    pub fn has_between(&self, after: Position, up_to: Position) -> bool {
        if after >= up_to {
            return false;
        }
        let begins_before = self.leaves.range(..=after).next_back().into_iter();
        let leaves = begins_before
            .chain(self.leaves.range((std::ops::Bound::Excluded(after), std::ops::Bound::Included(up_to))));
        let is_between = |entry: &Entry<T>| after < entry.position && entry.position <= up_to;
        leaves.into_iter().any(|(_, leaf)| leaf.entries().any(is_between))
    }

    /// Drops timers from the far end until the rest keeps to the budget; the first to fire always stays, so that work
    /// goes on. Gives the new horizon if any were dropped: every timer up to there is still here.
    pub fn evict(&mut self) -> Option<Position> {
        let mut horizon = None;
        while self.is_over_budget() && self.len > 1 {
            horizon = self.evict_from_last_leaf().map(Position::before);
        }
        horizon
    }

    fn evict_from_last_leaf(&mut self) -> Option<Position> {
        let mut last = self.leaves.last_entry()?;
        let (leaf, heap_bytes) = (last.get_mut(), self.heap_bytes);
        let others = self.len - leaf.len();
        let before = leaf.bytes();
        // Half of a leaf at least, so that who is at the limit does not come here for each timer.
        let at_least = leaf.len().div_ceil(2).min(self.len - 1);
        let (mut bytes, mut dropped) = (self.bytes, 0);
        let first = leaf.evict(|entry| {
            let drops =
                dropped < at_least || (bytes > self.bytes_max && (others > 0 || dropped + 1 < self.len));
            if drops {
                bytes -= (size_of::<Entry<T>>() + heap_bytes(&entry.payload)).min(bytes);
                self.bytes -= heap_bytes(&entry.payload);
                dropped += 1;
            }
            drops
        });
        self.len -= dropped;
        self.bytes = self.bytes - before + leaf.bytes();
        if leaf.is_empty() {
            self.bytes -= leaf.bytes();
            last.remove();
        }
        first
    }

    /// Drops all timers at or behind a position. Gives how many they were.
    pub fn drop_from(&mut self, from: Position) -> usize {
        let before = self.len;
        let whole = self.leaves.split_off(&from);
        for leaf in whole.into_values() {
            self.len -= leaf.len();
            self.bytes -= leaf.bytes() + leaf.entries().map(|e| (self.heap_bytes)(&e.payload)).sum::<usize>();
        }
        if let Some(mut last) = self.leaves.last_entry() {
            let (leaf, heap_bytes) = (last.get_mut(), self.heap_bytes);
            self.bytes -= leaf.bytes();
            leaf.evict(|entry| {
                let drops = entry.position >= from;
                self.len -= usize::from(drops);
                self.bytes -= if drops { heap_bytes(&entry.payload) } else { 0 };
                drops
            });
            if leaf.is_empty() {
                last.remove();
            } else {
                self.bytes += leaf.bytes();
            }
        }
        before - self.len
    }

    pub fn clear(&mut self) {
        self.leaves.clear();
        self.len = 0;
        self.bytes = 0;
    }
}
