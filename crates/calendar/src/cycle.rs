//! The schedule of a repeating timer, which is a repeating interval or a cron schedule, and the number of its
//! repetitions that are left.

use crate::{Cron, ParseError, RepeatingInterval, Timestamp, Zone};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cycle {
    Interval(RepeatingInterval),
    Cron(Cron),
}

impl Cycle {
    /// Reads a repeating interval if the text begins with `R`, else a cron schedule.
    pub fn parse(text: &str) -> Result<Cycle, ParseError> {
        if text.starts_with(['R', 'r']) {
            return RepeatingInterval::parse(text).map(Cycle::Interval);
        }
        if text.trim().is_empty() {
            let expected = "a repeating interval, which begins with `R`, or a cron schedule".into();
            return Err(ParseError { position: 1, expected });
        }
        Cron::parse(text).map(Cycle::Cron)
    }

    /// When a timer created now is due; `None` if that never happens.
    pub fn first_due(&self, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        match self {
            Cycle::Interval(interval) => interval.first_due(now, zone),
            Cycle::Cron(cron) => cron.next_after(now, zone),
        }
    }

    /// When the timer that was due at `previous_due` and has fired now is due again; `None` if never.
    ///
    /// Always later than `previous_due`. For an interval it may be past already, and then fires at once; for cron it
    /// is later than now. Repetitions are not looked at: see [`Repetitions::after_firing`].
    pub fn next_due(&self, previous_due: Timestamp, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        match self {
            Cycle::Interval(interval) => interval.next_due(previous_due, zone),
            Cycle::Cron(cron) => cron.next_after(previous_due.max(now), zone),
        }
    }

    /// The last due time up to `until`, counted on from one that is past, and how many firings lie between: what was missed
    /// after a long stop.
    pub fn last_due(&self, previous_due: Timestamp, until: Timestamp, zone: &Zone) -> (Timestamp, u64) {
        match self {
            Cycle::Interval(interval) => interval.last_due(previous_due, until, zone),
            Cycle::Cron(cron) => cron.last_due(previous_due, until, zone),
        }
    }

    pub fn repetitions(&self) -> Repetitions {
        match self {
            Cycle::Interval(interval) => interval.repetitions(),
            Cycle::Cron(_) => Repetitions::Forever,
        }
    }
}

/// How many more times a repeating timer fires, the pending firing included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repetitions {
    Forever,
    /// At least 1.
    Times(u32),
}

impl Repetitions {
    /// The repetitions that are left after the next firing; `None` when that is the last.
    pub fn after_firing(self) -> Option<Repetitions> {
        match self {
            Repetitions::Forever => Some(Repetitions::Forever),
            Repetitions::Times(0 | 1) => None,
            Repetitions::Times(times) => Some(Repetitions::Times(times - 1)),
        }
    }

    /// As stored: -1 for ever, else the number. (A timer that does not repeat has none stored.)
    pub fn to_stored(self) -> i64 {
        match self {
            Repetitions::Forever => -1,
            Repetitions::Times(times) => i64::from(times),
        }
    }

    /// Reads back what [`Repetitions::to_stored`] gave; `None` for a number it never gives.
    pub fn from_stored(stored: i64) -> Option<Repetitions> {
        match stored {
            -1 => Some(Repetitions::Forever),
            1.. => u32::try_from(stored).ok().map(Repetitions::Times),
            _ => None,
        }
    }
}
