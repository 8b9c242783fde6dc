//! The time of a timer loop: the store's clock, as it surely is by now.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;
use tidemill_model::Timestamp;
use tokio::time::Instant;

/// The store looked at its clock before its answer arrived. So its clock shows at least what it told, plus the time since the
/// answer: by that no timer fires early.
pub(super) struct LoopClock {
    told: Timestamp,
    told_at: Instant,
    simulated: Option<Arc<SimulatedTime>>,
}

/// A time that stands still until it is let go, and then jumps from one due time to the next, or by a step if that is further: for
/// measurements that would take days otherwise.
pub struct SimulatedTime {
    now_ms: AtomicI64,
    step_ms: i64,
    goes: AtomicBool,
}

impl SimulatedTime {
    /// While it stands still it is looked at so often.
    const LOOK_EVERY: Duration = Duration::from_millis(1);

    pub fn new(now_ms: i64, step_ms: i64) -> SimulatedTime {
        SimulatedTime { now_ms: AtomicI64::new(now_ms), step_ms, goes: AtomicBool::new(false) }
    }

    pub fn let_go(&self) {
        self.goes.store(true, Ordering::Release);
    }

    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::Acquire)
    }

    /// It is there at once, unless a read is under way: that may bring timers that are due before all that are in memory, and time must
    /// not jump past them.
    fn until(&self, wake_ms: Option<i64>, is_reading: bool) -> Option<Duration> {
        if is_reading {
            return None;
        }
        let goes = self.goes.load(Ordering::Acquire);
        let has_jumped = |wake_ms| {
            let is_ahead = self.now_ms() < wake_ms;
            if is_ahead {
                self.now_ms.fetch_max(wake_ms.max(self.now_ms() + self.step_ms), Ordering::AcqRel);
            }
            is_ahead
        };
        let has_come = wake_ms.filter(|_| goes).is_some_and(has_jumped);
        Some(if has_come { Duration::ZERO } else { SimulatedTime::LOOK_EVERY })
    }
}

/// An answer that took longer says little about the store's clock, unless the last one is old.
const SLOW_MS: u128 = 50;
/// Clocks drift apart: after this time even a slow answer is better than none.
const OLD_MS: u128 = 60_000;

impl LoopClock {
    pub(super) fn new(told: Timestamp, told_at: Instant) -> LoopClock {
        LoopClock { told, told_at, simulated: None }
    }

    pub(super) fn simulate(&mut self, time: Arc<SimulatedTime>) {
        self.simulated = Some(time);
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.simulated.as_ref().map_or_else(|| self.at(Instant::now()), |time| time.now_ms())
    }

    /// The time of a commit for which the store has told its own.
    pub(super) fn landed_ms(&self, told: Timestamp) -> i64 {
        self.simulated.as_ref().map_or(told.0, |time| time.now_ms())
    }

    /// How long to wait for this time, where there is something to wait for.
    pub(super) fn until(&self, wake_ms: Option<i64>, is_reading: bool) -> Option<Duration> {
        if let Some(time) = &self.simulated {
            return time.until(wake_ms, is_reading);
        }
        let left_ms = wake_ms?.saturating_sub(self.now_ms()).max(1);
        Some(Duration::from_millis(left_ms.unsigned_abs()))
    }

    fn at(&self, moment: Instant) -> i64 {
        let passed_ms = moment.saturating_duration_since(self.told_at).as_millis();
        self.told.0.saturating_add(i64::try_from(passed_ms).unwrap_or(i64::MAX))
    }

    /// The store has told its time. The clock follows it in both directions, and keeps to the best answer otherwise. Gives the
    /// step that the store's clock has taken meanwhile, if it was set.
    pub(super) fn told(&mut self, now: Timestamp, asked_at: Instant, told_at: Instant) -> Option<i64> {
        if self.simulated.is_some() {
            return None;
        }
        let (earliest, latest) = (self.at(asked_at), self.at(told_at));
        let was_set = now.0 < earliest || now.0 > latest.saturating_add(SLOW_MS as i64);
        let took_ms = told_at.saturating_duration_since(asked_at).as_millis();
        let is_old = told_at.saturating_duration_since(self.told_at).as_millis() > OLD_MS;
        let is_better = now.0 > latest;
        if was_set || is_better || is_old && took_ms <= SLOW_MS {
            (self.told, self.told_at) = (now, told_at);
        }
        was_set.then_some(now.0 - if now.0 < earliest { earliest } else { latest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_is_never_ahead_of_the_store() {
        let start = Instant::now();
        let mut clock = LoopClock::new(Timestamp(1_000), start);
        assert_eq!(clock.at(start + SECOND), 2_000);
        // The store's clock was looked at just before the answer, and is 5 ms ahead of what is known here.
        assert_eq!(clock.told(Timestamp(2_005), start + SECOND, start + SECOND), None);
        assert_eq!(clock.at(start + 2 * SECOND), 3_005);
        // A slow answer: the store looked at its clock long before it came.
        clock.told(Timestamp(3_005), start + 2 * SECOND, start + 4 * SECOND);
        assert_eq!(clock.at(start + 4 * SECOND), 5_005);
    }

    #[test]
    fn it_follows_a_clock_that_was_set() {
        let start = Instant::now();
        let mut clock = LoopClock::new(Timestamp(100_000), start);
        assert_eq!(clock.told(Timestamp(40_000), start + SECOND, start + SECOND), Some(-61_000));
        assert_eq!(clock.at(start + 2 * SECOND), 41_000, "dates wait for a clock that was set back");
        clock.told(Timestamp(900_000), start + 3 * SECOND, start + 3 * SECOND);
        assert_eq!(clock.at(start + 4 * SECOND), 901_000);
    }
}
