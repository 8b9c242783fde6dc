//! The memory of one partition's owner: batches that were committed and have not reached the tables.

use super::redo::Redo;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Notify;

/// Rows and bytes after which the follower runs at once.
const ROWS_FULL: usize = 10_000;
const BYTES_FULL: usize = 4 << 20;
/// So many times that are the most that may wait: then commits do.
const FULL_TIMES_MAX: usize = 4;

#[derive(Clone)]
pub(super) struct Pending {
    pub(super) number: i64,
    pub(super) redo: Arc<Redo>,
    pub(super) bytes: usize,
}

#[derive(Default)]
pub(super) struct State {
    /// The epoch in which this process owns the partition and knows of every batch that has not reached the tables.
    epoch: Option<u64>,
    /// No row has a key of this partition with a higher counter.
    known_key: u64,
    pending: VecDeque<Pending>,
    rows: usize,
    bytes: usize,
    /// A commit whose end has not been told.
    is_committing: bool,
    /// A task looks after what is pending.
    is_followed: bool,
    /// Everything up to this number has reached the tables.
    floor: i64,
}

#[derive(Default)]
pub(crate) struct Window {
    state: Mutex<State>,
    /// Held by the one who applies.
    pub(super) turn: tokio::sync::Mutex<()>,
    begun: AtomicU64,
    ended: AtomicU64,
    /// The follower must not wait any longer.
    pub(super) is_full: Notify,
}

impl Window {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }

    /// A new owner begins; everything that was outstanding is in the tables. Rows that are there have keys below `first_key`.
    pub(super) fn begin(&self, epoch: u64, first_key: u64) {
        let mut state = self.state();
        let (is_followed, floor) = (state.is_followed, state.floor);
        let known_key = first_key.saturating_sub(1);
        *state = State { epoch: Some(epoch), known_key, is_followed, floor, ..State::default() };
    }

    /// From now on the store alone knows what is outstanding.
    pub(super) fn lose(&self) {
        let mut state = self.state();
        let (is_followed, floor) = (state.is_followed, state.floor);
        *state = State { is_followed, floor, ..State::default() };
    }

    /// A commit of this epoch begins: what it must know of keys. None where this process does not know everything.
    pub(super) fn begin_commit(&self, epoch: u64) -> Option<u64> {
        let mut state = self.state();
        if state.is_committing {
            // The caller of an earlier commit went away without hearing of its end.
            drop(state);
            self.lose();
            return None;
        }
        if state.epoch != Some(epoch) {
            return None;
        }
        state.is_committing = true;
        Some(state.known_key)
    }

    /// The commit that had begun is over. `highest_key` is the highest among its rows.
    pub(super) fn end_commit(&self, epoch: u64, highest_key: u64, written: Option<Pending>) {
        let mut state = self.state();
        if state.epoch != Some(epoch) {
            return;
        }
        state.is_committing = false;
        state.known_key = state.known_key.max(highest_key);
        if let Some(pending) = written {
            state.rows += pending.redo.changes.len();
            state.bytes += pending.bytes;
            state.pending.push_back(pending);
            if state.rows >= ROWS_FULL || state.bytes >= BYTES_FULL {
                self.is_full.notify_one();
            }
        }
    }

    /// Commits must wait until something was applied.
    pub(super) fn is_overfull(&self) -> bool {
        let state = self.state();
        state.rows >= FULL_TIMES_MAX * ROWS_FULL || state.bytes >= FULL_TIMES_MAX * BYTES_FULL
    }

    /// The owner knows of nothing that is outstanding. None where this process is not the owner.
    pub(super) fn is_empty(&self) -> Option<bool> {
        let state = self.state();
        state.epoch.map(|_| state.pending.is_empty())
    }

    pub(super) fn floor(&self) -> i64 {
        self.state().floor
    }

    /// The outstanding records that this node knows of, oldest first.
    pub(super) fn pending(&self) -> Vec<Pending> {
        self.state().pending.iter().cloned().collect()
    }

    /// Everything up to this number is in the tables.
    pub(super) fn applied(&self, number: i64) {
        let mut state = self.state();
        state.floor = state.floor.max(number);
        while state.pending.front().is_some_and(|pending| pending.number <= number) {
            if let Some(pending) = state.pending.pop_front() {
                state.rows -= pending.redo.changes.len();
                state.bytes -= pending.bytes;
            }
        }
    }

    /// True if a task must be started that looks after what is pending.
    pub(super) fn wants_follower(&self) -> bool {
        let mut state = self.state();
        let wants = !state.is_followed && !state.pending.is_empty();
        state.is_followed |= wants;
        wants
    }

    /// True if the task that looks after the window can end.
    pub(super) fn is_done(&self) -> bool {
        let mut state = self.state();
        state.is_followed = !state.pending.is_empty();
        !state.is_followed
    }

    /// The number of a round that begins later than now.
    pub(super) fn next_round(&self) -> u64 {
        self.begun.load(Ordering::Acquire) + 1
    }

    pub(super) fn has_ended(&self, round: u64) -> bool {
        self.ended.load(Ordering::Acquire) >= round
    }

    pub(super) fn begin_round(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(super) fn end_round(&self, round: u64) {
        self.ended.store(round, Ordering::Release);
    }
}
