//! For measurements: how much the store was asked to do.

use crate::SqliteStore;
use std::sync::atomic::{AtomicU64, Ordering};

/// One number for the whole process, because the benchmark has one store.
static STATEMENTS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn note_statements(count: usize) {
    STATEMENTS.fetch_add(count as u64, Ordering::Relaxed);
}

impl SqliteStore {
    /// Statements that were run for timers so far in this process: one for each group of blocks and for each other row that is written or
    /// deleted, one for each read.
    pub fn timer_statements() -> u64 {
        STATEMENTS.load(Ordering::Relaxed)
    }
}
