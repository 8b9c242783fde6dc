//! The engine's time: the system's, or a moment at which somebody has stopped it.

use crate::machine::Machine;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tidemill_model::Timestamp;

/// Stands for "not pinned".
const RUNNING: i64 = i64::MIN;

pub(crate) struct Clock {
    machine: Arc<dyn Machine>,
    pinned_at: AtomicI64,
    /// Grows whenever the clock is pinned or let go.
    changes: AtomicU64,
}

impl Clock {
    pub(crate) fn new(machine: Arc<dyn Machine>) -> Clock {
        Clock { machine, pinned_at: AtomicI64::new(RUNNING), changes: AtomicU64::new(0) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        match self.pinned_at.load(Ordering::Acquire) {
            RUNNING => self.system(),
            pinned_at => Timestamp(pinned_at),
        }
    }

    pub(crate) fn set(&self, pinned_at: Option<Timestamp>) {
        self.pinned_at.store(pinned_at.map_or(RUNNING, |at| at.0), Ordering::Release);
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Where it is pinned, and how often that has changed.
    pub(crate) fn pinned(&self) -> (Option<Timestamp>, u64) {
        let pinned_at = self.pinned_at.load(Ordering::Acquire);
        ((pinned_at != RUNNING).then_some(Timestamp(pinned_at)), self.changes.load(Ordering::Acquire))
    }

    /// The system's time, pinned or not: what is kept for a while is kept by this one.
    pub(crate) fn system(&self) -> Timestamp {
        self.machine.time_of_day()
    }
}
