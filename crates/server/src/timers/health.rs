//! How a timer loop is: what it has done so far, and what keeps it from going on.

use super::handle::FiredBatch;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// Shared by the loop and those who ask. Numbers count from the time at which this node took the partition.
#[derive(Default)]
pub struct LoopHealth {
    /// Why nothing fires, or not from some time on.
    trouble: Mutex<Option<String>>,
    is_ready: AtomicBool,
    commits: AtomicU64,
    fired: AtomicU64,
    /// Of the last commit that fired something, and the worst so far.
    late_ms: AtomicI64,
    late_ms_max: AtomicI64,
    memory_bytes: AtomicU64,
    mark_ms: AtomicI64,
    /// The largest step of the store's clock that was seen, in either direction.
    clock_step_ms: AtomicI64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopNumbers {
    pub trouble: Option<String>,
    pub is_ready: bool,
    pub commits: u64,
    pub fired: u64,
    pub late_ms: i64,
    pub late_ms_max: i64,
    pub memory_bytes: u64,
    pub mark_ms: i64,
    pub clock_step_ms: i64,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl LoopHealth {
    pub fn numbers(&self) -> LoopNumbers {
        LoopNumbers {
            trouble: self.trouble.lock().expect(UNPOISONED).clone(),
            is_ready: self.is_ready.load(Ordering::Relaxed),
            commits: self.commits.load(Ordering::Relaxed),
            fired: self.fired.load(Ordering::Relaxed),
            late_ms: self.late_ms.load(Ordering::Relaxed),
            late_ms_max: self.late_ms_max.load(Ordering::Relaxed),
            memory_bytes: self.memory_bytes.load(Ordering::Relaxed),
            mark_ms: self.mark_ms.load(Ordering::Relaxed),
            clock_step_ms: self.clock_step_ms.load(Ordering::Relaxed),
        }
    }

    pub(super) fn is_in_trouble(&self, reason: String) {
        *self.trouble.lock().expect(UNPOISONED) = Some(reason);
    }

    pub(super) fn is_well(&self) {
        *self.trouble.lock().expect(UNPOISONED) = None;
    }

    pub(super) fn committed(&self, fired: Option<&FiredBatch>) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        if let Some(fired) = fired {
            let late_ms = fired.landed_ms - fired.first_due_ms;
            self.fired.fetch_add(fired.count as u64, Ordering::Relaxed);
            self.late_ms.store(late_ms, Ordering::Relaxed);
            self.late_ms_max.fetch_max(late_ms, Ordering::Relaxed);
        }
    }

    pub(super) fn looked_at(&self, is_ready: bool, memory_bytes: usize, mark_ms: i64) {
        self.is_ready.store(is_ready, Ordering::Relaxed);
        self.memory_bytes.store(memory_bytes as u64, Ordering::Relaxed);
        self.mark_ms.store(mark_ms, Ordering::Relaxed);
    }

    pub(super) fn clock_stepped(&self, step_ms: i64) {
        if step_ms.abs() > self.clock_step_ms.load(Ordering::Relaxed).abs() {
            self.clock_step_ms.store(step_ms, Ordering::Relaxed);
        }
    }
}
