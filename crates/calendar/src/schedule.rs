//! The three kinds of timer under one roof, so that a caller need not tell them apart.

use crate::{Cycle, Date, Duration, Repetitions, Timestamp, Zone};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    Date(Date),
    Duration(Duration),
    Cycle(Cycle),
}

impl Schedule {
    /// When a timer created now is due; `None` if never. A date that is past stays as it is and fires at once;
    /// a negative duration is due now.
    pub fn first_due(&self, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        match self {
            Schedule::Date(date) => Some(date.timestamp()),
            Schedule::Duration(duration) => Some(duration.after(now, zone).max(now)),
            Schedule::Cycle(cycle) => cycle.first_due(now, zone),
        }
    }

    /// When it is due again, see [`Cycle::next_due`]; dates and durations never are.
    pub fn next_due(&self, previous_due: Timestamp, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        match self {
            Schedule::Date(_) | Schedule::Duration(_) => None,
            Schedule::Cycle(cycle) => cycle.next_due(previous_due, now, zone),
        }
    }

    /// This due time is a date of the calendar, and not some time after the moment in which it was calculated.
    pub fn is_calendar_date(&self, due: Timestamp, zone: &Zone) -> bool {
        match self {
            Schedule::Date(_) | Schedule::Cycle(Cycle::Cron(_)) => true,
            Schedule::Duration(_) => false,
            Schedule::Cycle(Cycle::Interval(interval)) => interval.start(zone) == Some(due),
        }
    }

    /// `None` for a date or duration, which do not repeat.
    pub fn repetitions(&self) -> Option<Repetitions> {
        match self {
            Schedule::Date(_) | Schedule::Duration(_) => None,
            Schedule::Cycle(cycle) => Some(cycle.repetitions()),
        }
    }
}
