//! Dates, times, date-times and the two kinds of durations as FEEL knows them.
//! Years reach to ±999,999,999, far beyond what calendar libraries carry, so the
//! arithmetic is ours; only the rules of IANA zones come from `jiff`'s bundled database.

mod date;
mod date_time;
mod duration;
mod operation;
mod scan;
mod time;
mod zone;

pub use date::Date;
pub use date_time::DateTime;
pub use duration::{DaysDuration, MonthsDuration};
pub(crate) use operation::{Operator, arithmetic, compare, equal, literal, negate, property};
pub use time::Time;
pub use zone::{NamedZone, Zone};

pub(crate) const NANOS_PER_SECOND: i64 = 1_000_000_000;
pub(crate) const SECONDS_PER_DAY: i64 = 86_400;
pub(crate) const NANOS_PER_DAY: i64 = SECONDS_PER_DAY * NANOS_PER_SECOND;

/// The value of a temporal property such as `.year` or `.time offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// The property exists for this type, but this value has none (`.timezone` of a local time).
    Null,
    Number(i64),
    Duration(DaysDuration),
    Text(String),
}

/// Any temporal value, as an `@"..."` literal may denote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Temporal {
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    Days(DaysDuration),
    Months(MonthsDuration),
}

impl Temporal {
    /// Reads the text of an `@"..."` literal; the form of the text decides on the type.
    pub fn parse(text: &str) -> Option<Self> {
        if text.trim_start_matches('-').starts_with('P') {
            return MonthsDuration::parse(text)
                .map(Self::Months)
                .or_else(|| DaysDuration::parse(text).map(Self::Days));
        }
        Date::parse(text)
            .map(Self::Date)
            .or_else(|| DateTime::parse(text).map(Self::DateTime))
            .or_else(|| Time::parse(text).map(Self::Time))
    }
}

#[cfg(test)]
mod tests;
