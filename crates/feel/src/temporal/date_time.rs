//! A date together with a time of day, local or fixed on the time line.

use std::cmp::Ordering;
use std::fmt;

use super::scan::Scan;
use super::time::zone_property;
use super::zone::write_offset;
use super::{
    Date, DaysDuration, MonthsDuration, NANOS_PER_DAY, NANOS_PER_SECOND, Property, SECONDS_PER_DAY, Time,
    Zone,
};

/// A date and time. Two of them are *equal* when they are written alike;
/// [`DateTime::compare`] asks which comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DateTime {
    date: Date,
    time: Time,
    /// Seconds east of UTC that hold at this moment; zero for a local date-time.
    /// Kept because a zone's clocks show some times twice a year.
    offset: i32,
}

impl DateTime {
    /// Joins a date and a time. A time that a zone's clocks skip moves forward by the gap.
    pub fn new(date: Date, time: Time) -> Self {
        match time.zone() {
            Zone::Local => Self { date, time, offset: 0 },
            Zone::Offset(seconds) => Self { date, offset: *seconds, time },
            Zone::Named(zone) => {
                let second_of_day = time.nanos_of_day() / NANOS_PER_SECOND;
                let offset = zone.offset_at_local(&date, second_of_day);
                let joined = Self { date, offset, time: time.clone() };
                joined.in_zone(Zone::Named(zone.clone())).unwrap_or(joined)
            }
        }
    }

    /// The moment that lies `nanos` after 1970-01-01T00:00:00Z, seen from `zone`.
    pub fn from_epoch_nanos(nanos: i128, zone: Zone) -> Option<Self> {
        let seconds = i64::try_from(nanos.div_euclid(NANOS_PER_SECOND.into())).ok()?;
        let offset = match &zone {
            Zone::Local => 0,
            Zone::Offset(offset) => *offset,
            Zone::Named(named) => named.offset_at_instant(seconds),
        };
        let local = nanos.checked_add(i128::from(offset) * i128::from(NANOS_PER_SECOND))?;
        let day = i128::from(NANOS_PER_DAY);
        let date = Date::from_epoch_days(i64::try_from(local.div_euclid(day)).ok()?)?;
        let time = Time::from_nanos_of_day(local.rem_euclid(day) as i64, zone);
        Some(Self { date, time, offset })
    }

    /// Reads a date, `T` and a time; a date alone means its midnight.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan::new(text);
        let date = Date::scan(&mut scan)?;
        if scan.is_done() {
            return Some(Self::new(date, Time::midnight(Zone::Local)));
        }
        if !scan.eat('T') {
            return None;
        }
        let (nanos, next_day) = Time::scan_clock(&mut scan)?;
        let zone = Zone::scan(&mut scan)?;
        let date = if next_day { Date::from_epoch_days(date.epoch_days() + 1)? } else { date };
        Some(Self::new(date, Time::from_nanos_of_day(nanos, zone)))
    }

    pub fn date(&self) -> Date {
        self.date
    }

    pub fn time(&self) -> &Time {
        &self.time
    }

    pub fn is_local(&self) -> bool {
        self.time.zone().is_local()
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z; a local date-time is read as if it were UTC.
    pub fn epoch_nanos(&self) -> i128 {
        let seconds = self.date.epoch_days() * SECONDS_PER_DAY - i64::from(self.offset);
        i128::from(seconds) * i128::from(NANOS_PER_SECOND) + i128::from(self.time.nanos_of_day())
    }

    /// The same moment in another zone.
    pub fn in_zone(&self, zone: Zone) -> Option<Self> {
        Self::from_epoch_nanos(self.epoch_nanos(), zone)
    }

    /// The same wall clock in a zone, or the same moment if this already has one.
    pub fn with_zone(&self, zone: Zone) -> Option<Self> {
        if self.is_local() {
            let time = Time::from_nanos_of_day(self.time.nanos_of_day(), zone);
            return Some(Self::new(self.date, time));
        }
        self.in_zone(zone)
    }

    /// Which comes first; a local and a zoned date-time cannot be compared.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        (self.is_local() == other.is_local()).then(|| self.epoch_nanos().cmp(&other.epoch_nanos()))
    }

    /// The time that passes from `other` to this; none between a local and a zoned one.
    pub fn since(&self, other: &Self) -> Option<DaysDuration> {
        if self.is_local() != other.is_local() {
            return None;
        }
        DaysDuration::from_nanos(self.epoch_nanos() - other.epoch_nanos())
    }

    pub fn add_days(&self, duration: DaysDuration) -> Option<Self> {
        let nanos = self.epoch_nanos().checked_add(duration.total_nanos())?;
        Self::from_epoch_nanos(nanos, self.time.zone().clone())
    }

    pub fn add_months(&self, duration: MonthsDuration) -> Option<Self> {
        Some(Self::new(self.date.add_months(duration)?, self.time.clone()))
    }

    pub fn property(&self, name: &str) -> Option<Property> {
        match name {
            "time offset" if self.is_local() => Some(Property::Null),
            "time offset" => Some(Property::Duration(DaysDuration::from_seconds(self.offset.into()))),
            "timezone" => Some(zone_property(self.time.zone())),
            _ => self.date.property(name).or_else(|| self.time.property(name)),
        }
    }

    /// ISO 8601 with the offset always written, and the zone in brackets:
    /// `2020-01-01T10:00:00+01:00[Europe/Paris]`.
    pub fn to_iso_string(&self) -> String {
        use fmt::Write;
        let mut text = format!("{}T", self.date);
        let written = (|| {
            self.time.write_clock(&mut text)?;
            if !self.is_local() {
                write_offset(&mut text, self.offset)?;
            }
            if let Zone::Named(zone) = self.time.zone() {
                write!(text, "[{}]", zone.name())?;
            }
            fmt::Result::Ok(())
        })();
        written.expect("writing to a string cannot fail");
        text
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}
