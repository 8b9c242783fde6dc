//! The engine's time: the system's, or a moment at which somebody has stopped it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tidemill_model::Timestamp;

/// Stands for "not pinned".
const RUNNING: i64 = i64::MIN;

#[derive(Debug)]
pub(crate) struct Clock {
    pinned_at: AtomicI64,
}

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock { pinned_at: AtomicI64::new(RUNNING) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        match self.pinned_at.load(Ordering::Acquire) {
            RUNNING => Timestamp(system_millis()),
            pinned_at => Timestamp(pinned_at),
        }
    }

    pub(crate) fn set(&self, pinned_at: Option<Timestamp>) {
        self.pinned_at.store(pinned_at.map_or(RUNNING, |at| at.0), Ordering::Release);
    }

    /// How long until a moment comes; none while the clock stands still before it.
    pub(crate) fn until(&self, due_at: Timestamp) -> Option<Duration> {
        let left = due_at - self.now();
        if left <= 0 {
            return Some(Duration::ZERO);
        }
        let is_running = self.pinned_at.load(Ordering::Acquire) == RUNNING;
        is_running.then(|| Duration::from_millis(left.unsigned_abs()))
    }
}

fn system_millis() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
