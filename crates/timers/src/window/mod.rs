//! The window of process timers: every stored timer up to the horizon is in memory, whatever is inserted, removed, read
//! and committed meanwhile. The table is the truth; the window can be thrown away at any time.
//!
//! The core that uses it tells of each change when it enters the open batch, of batches when they are closed and when
//! they have landed, and hands in pages that were read beside it.

mod fired;
mod journal;
mod look_ahead;

use crate::{Position, Wheel};
pub use fired::{Deletion, FiredRange};
use fired::{Unfired, deletion};
use journal::{Change, Journal};
use look_ahead::LookAhead;
pub use look_ahead::{LOOK_AHEAD_MS_MIN, PAGE_TIMERS_MAX};
use std::collections::BTreeSet;

/// A read that the store is asked for: timers behind `after` that are due at `until_ms` or before, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    pub id: u64,
    pub after: Option<Position>,
    pub until_ms: i64,
    pub timers_max: usize,
}

/// The result of a read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page<T> {
    pub timers: Vec<(Position, T)>,
    /// Every stored timer up to here has been read: the last row where the limit cut the read, the end of the asked
    /// time otherwise.
    pub horizon: Position,
}

pub struct Window<T> {
    wheel: Wheel<T>,
    /// Every stored timer up to here is in the wheel or in hand.
    horizon: Option<Position>,
    look_ahead: LookAhead,
    journal: Journal<T>,
    /// Taken out to be fired, but not yet part of a batch.
    in_hand: BTreeSet<Position>,
    /// Fired by the open batch.
    fired: Vec<Position>,
    reading: Option<Read>,
    reads: u64,
    /// No read begins while more memory than this is in use.
    reads_below: usize,
}

impl<T: Clone> Window<T> {
    pub fn new(bytes_max: usize, look_ahead_ms_max: i64, heap_bytes: fn(&T) -> usize) -> Window<T> {
        Window {
            wheel: Wheel::new(bytes_max, heap_bytes),
            horizon: None,
            look_ahead: LookAhead::new(look_ahead_ms_max),
            journal: Journal::default(),
            in_hand: BTreeSet::new(),
            fired: Vec::new(),
            reading: None,
            reads: 0,
            reads_below: bytes_max / 2,
        }
    }

    /// The open batch writes a timer.
    pub fn insert(&mut self, position: Position, timer: T) {
        self.journal.note(position, Change::Inserted(timer.clone()));
        if Some(position) <= self.horizon {
            self.wheel.replace(position, timer);
            self.keep_to_budget();
        }
    }

    /// The open batch deletes a timer that has not fired.
    pub fn remove(&mut self, position: Position) {
        self.journal.note(position, Change::Removed);
        self.wheel.remove(position);
        self.in_hand.remove(&position);
    }

    /// Takes timers that are due into the caller's hands, oldest first. They are still stored: each must be told as fired,
    /// removed or put back.
    pub fn take_due(&mut self, now_ms: i64, timers_max: usize) -> Vec<(Position, T)> {
        let mut due = Vec::new();
        self.wheel.take_due(now_ms, timers_max, &mut due);
        self.in_hand.extend(due.iter().map(|(position, _)| *position));
        due
    }

    /// The open batch carries the effect of this timer and deletes it.
    pub fn fire(&mut self, position: Position) {
        self.in_hand.remove(&position);
        self.journal.note(position, Change::Removed);
        self.fired.push(position);
    }

    /// A timer that was taken waits again.
    pub fn put_back(&mut self, position: Position, timer: T) {
        if self.in_hand.remove(&position) && Some(position) <= self.horizon {
            self.wheel.replace(position, timer);
            self.keep_to_budget();
        }
    }

    /// The open batch goes to the store. Gives the rows of fired timers that it must delete.
    pub fn close(&mut self) -> Deletion {
        self.journal.close();
        let unfired = Unfired { waiting: &self.wheel, in_hand: &self.in_hand, horizon: self.horizon };
        deletion(std::mem::take(&mut self.fired), &unfired)
    }

    /// The oldest batch in flight has been committed.
    pub fn landed(&mut self) {
        self.journal.landed();
        if self.reading.is_none() {
            self.journal.forget_through(self.journal.committed());
        }
    }

    /// The read that should begin now, if the window has become short. One read is under way at a time.
    pub fn begin_read(&mut self, now_ms: i64) -> Option<Read> {
        if !self.wants_read(now_ms) {
            return None;
        }
        self.reads += 1;
        self.journal.forget_through(self.journal.committed());
        let (len, bytes, bytes_max) = (self.wheel.len(), self.wheel.bytes(), self.wheel.bytes_max());
        let until_ms = now_ms.saturating_add(self.look_ahead.ms());
        let timers_max = self.look_ahead.page_timers(len, bytes, bytes_max);
        let read = Read { id: self.reads, after: self.horizon, until_ms, timers_max };
        self.reading = Some(read);
        Some(read)
    }

    fn wants_read(&self, now_ms: i64) -> bool {
        let until_ms = now_ms.saturating_add(self.look_ahead.ms() / 2);
        let is_short = self.horizon.is_none_or(|horizon| horizon.due_ms <= until_ms);
        is_short && self.may_read()
    }

    /// With half of the memory in use the next timers are fired first: no read would bring what is due earlier.
    fn may_read(&self) -> bool {
        let has_room = self.wheel.is_empty() || self.wheel.bytes() < self.reads_below;
        has_room && self.reading.is_none()
    }

    /// A page has come. Changes that its read may have missed decide over its rows.
    pub fn arrived(&mut self, read_id: u64, page: Page<T>) {
        let Some(read) = self.reading.take_if(|read| read.id == read_id) else { return };
        // Timers that were evicted meanwhile lie between the window and this page: taking the page would hide the gap.
        if read.after == self.horizon {
            let was_cut = page.horizon.due_ms < read.until_ms;
            self.extend(page);
            self.keep_to_budget();
            let was_cut = was_cut || self.horizon < Some(Position::end_of(read.until_ms));
            self.look_ahead.adapt(was_cut, self.wheel.bytes(), self.wheel.bytes_max());
        }
        self.journal.forget_through(self.journal.committed());
    }

    fn extend(&mut self, page: Page<T>) {
        let changes = self.journal.last_changes();
        for (position, timer) in page.timers {
            if !changes.contains_key(&position) && !self.in_hand.contains(&position) {
                self.wheel.insert(position, timer);
            }
        }
        for (position, change) in changes {
            let is_new = self.horizon < Some(position) && position <= page.horizon;
            if let Change::Inserted(timer) = change
                && is_new
                && !self.in_hand.contains(&position)
            {
                self.wheel.insert(position, timer.clone());
            }
        }
        self.horizon = self.horizon.max(Some(page.horizon));
    }

    /// The read failed; the next one may begin.
    pub fn read_failed(&mut self, read_id: u64) {
        self.reading.take_if(|read| read.id == read_id);
    }

    fn keep_to_budget(&mut self) {
        self.reads_below = self.wheel.bytes_max() / 2;
        if let Some(horizon) = self.wheel.evict() {
            self.horizon = self.horizon.min(Some(horizon));
            // Timers that were just dropped would be read and dropped again, as long as none has left by itself.
            self.reads_below = self.reads_below.min(self.wheel.bytes() / 2);
        }
    }

    /// When to look again: the next timer falls due, or the window becomes short.
    pub fn wake_at_ms(&mut self) -> Option<i64> {
        let first = self.wheel.first().map(|first| first.due_ms);
        let short = self.horizon.map(|horizon| horizon.due_ms.saturating_sub(self.look_ahead.ms() / 2));
        let reads = short.filter(|_| self.may_read());
        first.into_iter().chain(reads).min()
    }

    /// The clock has jumped: what is due is read anew. Batches and timers in hand stay as they are.
    pub fn forget(&mut self) {
        self.wheel.clear();
        self.horizon = None;
        self.reading = None;
    }

    /// A commit has failed: the store knows what is true, and everything here is read again.
    pub fn reset(&mut self) {
        self.forget();
        self.journal = Journal::default();
        self.in_hand.clear();
        self.fired.clear();
    }

    pub fn horizon(&self) -> Option<Position> {
        self.horizon
    }

    pub fn look_ahead_ms(&self) -> i64 {
        self.look_ahead.ms()
    }

    pub fn len(&self) -> usize {
        self.wheel.len()
    }

    pub fn is_empty(&self) -> bool {
        self.wheel.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.wheel.bytes()
    }
}
