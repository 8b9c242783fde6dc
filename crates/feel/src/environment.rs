//! The part of the world that an evaluation may know, and the work that it may spend.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Clock, zone, budget and seed of one evaluation. The same environment gives the same outcome.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The time that `now()` and `today()` tell.
    pub now: Timestamp,
    /// The zone in which `now()` and `today()` are told.
    pub zone: TimeZone,
    pub budget: Budget,
    /// Where `random number()` and `uuid()` start from. Wide enough that the identifiers of different seeds differ.
    pub seed: u128,
}

impl Environment {
    /// The given moment in UTC, with the default budget.
    pub fn at(now: Timestamp) -> Environment {
        Environment { now, zone: TimeZone::UTC, budget: Budget::default(), seed: 0 }
    }

    /// The moment so many milliseconds after 1970, clamped to what a timestamp can hold.
    pub fn at_millis(now_ms: i64) -> Environment {
        let limit = if now_ms < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Environment::at(Timestamp::from_millisecond(now_ms).unwrap_or(limit))
    }

    pub fn with_zone(self, zone: TimeZone) -> Environment {
        Environment { zone, ..self }
    }

    pub fn with_budget(self, budget: Budget) -> Environment {
        Environment { budget, ..self }
    }

    pub fn with_seed(self, seed: u128) -> Environment {
        Environment { seed, ..self }
    }
}

/// Limits of one evaluation. They count work, not time, so that the outcome never depends on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub steps_max: u64,
    pub bytes_max: u64,
}

/// The part of its budget that an evaluation has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub steps: u64,
    pub bytes: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        // The largest variables have 4 MB as text, and as values about seven times that.
        Budget { steps_max: 1_000_000, bytes_max: 64 * 1024 * 1024 }
    }
}
