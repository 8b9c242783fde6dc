//! Timers that were inserted and removed lately, which a read of the store may have missed (rule 8).
//!
//! A change counts from the moment it enters the open batch. It is kept until a read that began after its commit
//! cannot miss it any more.

use crate::Position;
use std::collections::{BTreeMap, VecDeque};

pub(super) enum Change<T> {
    Inserted(T),
    Removed,
}

struct BatchChanges<T> {
    batch: u64,
    changes: Vec<(Position, Change<T>)>,
}

pub(super) struct Journal<T> {
    batches: VecDeque<BatchChanges<T>>,
    open: u64,
    landed: u64,
}

impl<T> Default for Journal<T> {
    fn default() -> Journal<T> {
        Journal { batches: VecDeque::new(), open: 1, landed: 0 }
    }
}

impl<T: Clone> Journal<T> {
    pub(super) fn note(&mut self, position: Position, change: Change<T>) {
        if self.batches.back().is_none_or(|last| last.batch != self.open) {
            self.batches.push_back(BatchChanges { batch: self.open, changes: Vec::new() });
        }
        let last = self.batches.back_mut().expect("the open batch was added above");
        last.changes.push((position, change));
    }

    pub(super) fn close(&mut self) {
        self.open += 1;
    }

    /// The oldest batch in flight has been committed.
    pub(super) fn landed(&mut self) {
        assert!(self.landed + 1 < self.open, "Expected a batch in flight, but none was closed");
        self.landed += 1;
    }

    /// The last committed batch: a read that begins now sees everything up to it.
    pub(super) fn committed(&self) -> u64 {
        self.landed
    }

    /// Drops what every read that began after this batch's commit sees by itself.
    pub(super) fn forget_through(&mut self, batch: u64) {
        while self.batches.front().is_some_and(|first| first.batch <= batch) {
            self.batches.pop_front();
        }
    }

    /// The last change of each position, of all batches that a read which began now may miss.
    pub(super) fn last_changes(&self) -> BTreeMap<Position, &Change<T>> {
        let changes = self.batches.iter().flat_map(|batch| &batch.changes);
        changes.map(|(position, change)| (*position, change)).collect()
    }
}
