//! Durations: calendar months and days plus an exact length, and how they are added to an instant.

use jiff::{Span, civil};

use crate::{ParseError, Timestamp, Zone, cursor};

const NANOS_PER_DAY: i128 = 86_400_000_000_000;
/// A 4,800th of the 400 years after which the calendar repeats.
const NANOS_PER_MEAN_MONTH: i128 = 2_629_746_000_000_000;

/// An ISO 8601 duration. Equal durations may have been written differently (`P1Y` and `P12M`, `PT1H` and `PT60M`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Duration {
    pub(crate) months: i64,
    pub(crate) days: i64,
    pub(crate) nanos: i128,
}

impl Duration {
    pub fn parse(text: &str) -> Result<Duration, ParseError> {
        cursor::read_all(text, Duration::read)
    }

    /// The instant so much later (or earlier, for a negative duration). Months and days are counted in the zone.
    pub fn after(&self, from: Timestamp, zone: &Zone) -> Timestamp {
        self.times_after(1, from, zone)
    }

    /// Shorter than nothing. Where the signs of the parts differ, a month counts 30.44 days and a day 24 hours.
    pub fn is_negative(&self) -> bool {
        self.mean_nanos() < 0
    }

    pub fn is_zero(&self) -> bool {
        self.months == 0 && self.days == 0 && self.nanos == 0
    }

    pub(crate) fn exact_millis(millis: i64) -> Duration {
        Duration { months: 0, days: 0, nanos: i128::from(millis) * 1_000_000 }
    }

    /// Every part moves on, so that adding it always leads to a later instant.
    pub(crate) fn only_moves_on(&self) -> bool {
        self.months >= 0 && self.days >= 0 && self.nanos >= 0 && !self.is_zero()
    }

    pub(crate) fn follows_calendar(&self) -> bool {
        self.months != 0 || self.days != 0
    }

    /// Rough length, exact for durations without calendar parts.
    pub(crate) fn mean_nanos(&self) -> i128 {
        i128::from(self.months) * NANOS_PER_MEAN_MONTH + i128::from(self.days) * NANOS_PER_DAY + self.nanos
    }

    /// Adds the duration so many times at once: months first, then days, then the exact length.
    pub(crate) fn times_after(&self, times: i64, from: Timestamp, zone: &Zone) -> Timestamp {
        let exact = self.nanos.saturating_mul(i128::from(times));
        if !self.follows_calendar() {
            return from.plus_nanos(exact);
        }
        let local = zone.time_zone().to_datetime(from.to_jiff());
        let moved = add_months(local, self.months.saturating_mul(times))
            .and_then(|local| add_days(local, self.days.saturating_mul(times)));
        match moved {
            Ok(local) => zone.instant_of(local).plus_nanos(exact),
            Err(end_of_time) => end_of_time,
        }
    }
}

/// The end of time that a step would have gone beyond.
fn beyond(step: i64) -> Timestamp {
    if step < 0 { Timestamp::MIN } else { Timestamp::MAX }
}

fn add_months(local: civil::DateTime, months: i64) -> Result<civil::DateTime, Timestamp> {
    let span = Span::new().try_months(months).map_err(|_| beyond(months))?;
    local.checked_add(span).map_err(|_| beyond(months))
}

fn add_days(local: civil::DateTime, days: i64) -> Result<civil::DateTime, Timestamp> {
    let span = Span::new().try_days(days).map_err(|_| beyond(days))?;
    local.checked_add(span).map_err(|_| beyond(days))
}
