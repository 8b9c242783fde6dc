//! Until when the partition is surely this node's. Memory may lie after that: another owner may have written.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// By a clock that goes on while the process is stopped. Shared by the loop and the node, which renews it.
pub(crate) struct Lease {
    length: Duration,
    until: Mutex<Instant>,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl Lease {
    /// The store gave it some time after it was asked, so it lasts at least as long as counted from there.
    pub(super) fn given(asked_at: Instant, length: Duration) -> Lease {
        Lease { length, until: Mutex::new(asked_at + length) }
    }

    pub(crate) fn renewed(&self, asked_at: Instant) {
        let mut until = self.until.lock().expect(UNPOISONED);
        *until = (*until).max(asked_at + self.length);
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
        let lease = Lease::given(now, length);
        assert!(lease.holds());
        let over = Lease::given(now - length, length);
        assert!(!over.holds());
        over.renewed(now);
        assert!(over.holds());
        over.renewed(now - length);
        assert!(over.holds(), "an answer that comes late takes nothing away");
    }
}
