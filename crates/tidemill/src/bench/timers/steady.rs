//! Rates while some timers are created and others fire: the time before and after says little about what a loop does under load.

use std::time::{Duration, Instant};

/// So long timers are created and fire at the same time, where the number of timers is not given.
pub(super) const STEADY: Duration = Duration::from_secs(10);
/// A rate that is taken over less time says little.
const STEADY_MIN: Duration = Duration::from_secs(3);

/// How much was done at a moment.
pub(super) struct Moment {
    pub(super) at: Instant,
    created: u64,
    fired: u64,
}

impl Moment {
    pub(super) fn now(created: u64, fired: u64) -> Moment {
        Moment { at: Instant::now(), created, fired }
    }

    /// Created and fired per second since.
    pub(super) fn rates_until(&self, end: &Moment) -> (f64, f64) {
        let per_s = |count: u64| count as f64 / (end.at - self.at).as_secs_f64();
        (per_s(end.created - self.created), per_s(end.fired - self.fired))
    }

    /// True if rates from here until the end are worth something.
    pub(super) fn is_long_before(&self, end: &Moment) -> bool {
        end.at.saturating_duration_since(self.at) >= STEADY_MIN
    }
}

/// Looks at the counts at this moment, if the run comes so far.
pub(super) fn sample(
    look: impl Fn() -> Moment + Send + 'static,
    moment: Instant,
) -> tokio::task::JoinHandle<Option<Moment>> {
    tokio::spawn(async move {
        let wait = moment.saturating_duration_since(Instant::now());
        if wait > Duration::from_secs(600) {
            return None;
        }
        tokio::time::sleep(wait).await;
        Some(look())
    })
}
