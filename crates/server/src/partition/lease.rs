//! Facts that the store has told: how long the partition surely belongs to this node, and the time on the store's clock. After the
//! lease has run out, memory may be wrong, because another owner may have written.

use std::sync::Mutex;
use std::time::Duration;
use tidemill_model::Timestamp;
use tidemill_partition::StoreTime;
use tokio::time::Instant;

/// By a clock that goes on while the process is stopped. Shared by the loop and the node, which renews it.
pub(crate) struct Lease {
    length: Duration,
    until: Mutex<Instant>,
    /// The last time that the store has told, with when it was asked and when it answered.
    told: Mutex<Option<Told>>,
}

#[derive(Clone, Copy)]
struct Told {
    now: Timestamp,
    asked_at: Instant,
    told_at: Instant,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl Lease {
    /// One that was not given yet.
    pub(super) fn over(length: Duration) -> Lease {
        Lease { length, until: Mutex::new(Instant::now()), told: Mutex::new(None) }
    }

    /// The store gave it some time after it was asked, so it lasts at least as long as counted from there.
    pub(crate) fn renewed(&self, asked_at: Instant) {
        let mut until = self.until.lock().expect(UNPOISONED);
        *until = (*until).max(asked_at + self.length);
    }

    /// The store has told its time.
    pub(crate) fn told(&self, now: Timestamp, asked_at: Instant) {
        *self.told.lock().expect(UNPOISONED) = Some(Told { now, asked_at, told_at: Instant::now() });
    }

    /// The time that the store's clock shows at least.
    pub(crate) fn earliest_now(&self) -> Option<Timestamp> {
        let Told { now, told_at, .. } = (*self.told.lock().expect(UNPOISONED))?;
        let passed_ms = i64::try_from(told_at.elapsed().as_millis()).unwrap_or(i64::MAX);
        Some(Timestamp(now.0.saturating_add(passed_ms)))
    }

    /// By a steady clock that began then.
    pub(super) fn store_time(&self, began: Instant) -> Option<StoreTime> {
        let Told { now, asked_at, told_at } = (*self.told.lock().expect(UNPOISONED))?;
        let elapsed_ms = |at: Instant| at.saturating_duration_since(began).as_millis() as u64;
        Some(StoreTime { now, asked_ms: elapsed_ms(asked_at), told_ms: elapsed_ms(told_at) })
    }

    pub(super) fn holds(&self) -> bool {
        Instant::now() < *self.until.lock().expect(UNPOISONED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_until_it_was_not_renewed_for_its_length() {
        let (length, now) = (Duration::from_secs(5), Instant::now());
        let lease = Lease::over(length);
        assert!(!lease.holds());
        lease.renewed(now);
        assert!(lease.holds());
        lease.renewed(now - length);
        assert!(lease.holds(), "an answer that comes late takes nothing away");
    }
}
