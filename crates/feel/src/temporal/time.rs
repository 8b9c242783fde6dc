//! The time of day, local or bound to an offset or zone.

use std::cmp::Ordering;
use std::fmt;

use super::scan::Scan;
use super::{DaysDuration, NANOS_PER_DAY, NANOS_PER_SECOND, Property, Zone};

/// A time of day with nanoseconds. Two times are *equal* when they are written alike;
/// [`Time::compare`] asks which comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    nanos: i64,
    zone: Zone,
}

impl Time {
    pub fn new(hour: i64, minute: i64, second: i64, nanos: i64, zone: Zone) -> Option<Self> {
        let valid = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..NANOS_PER_SECOND).contains(&nanos);
        valid.then(|| {
            let seconds = hour * 3600 + minute * 60 + second;
            Self { nanos: seconds * NANOS_PER_SECOND + nanos, zone }
        })
    }

    pub fn midnight(zone: Zone) -> Self {
        Self { nanos: 0, zone }
    }

    pub(super) fn from_nanos_of_day(nanos: i64, zone: Zone) -> Self {
        debug_assert!((0..NANOS_PER_DAY).contains(&nanos));
        Self { nanos, zone }
    }

    /// Reads `[T]hh:mm[:ss[.fff]]` and an optional `Z`, `+hh:mm` or `@Area/City`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan::new(text);
        scan.eat('T');
        let (nanos, _) = Self::scan_clock(&mut scan)?;
        let zone = Zone::scan(&mut scan)?;
        Some(Self { nanos, zone })
    }

    /// Reads the clock part; the flag says whether it was `24:00:00`, which is the next midnight.
    pub(super) fn scan_clock(scan: &mut Scan<'_>) -> Option<(i64, bool)> {
        let hour = i64::from(scan.two_digits()?);
        if !scan.eat(':') {
            return None;
        }
        let minute = i64::from(scan.two_digits()?);
        let (mut second, mut fraction) = (0, 0);
        if scan.eat(':') {
            second = i64::from(scan.two_digits()?);
            if scan.eat('.') {
                let before = scan.rest();
                fraction = scan.fraction_nanos();
                if before.len() == scan.rest().len() {
                    return None;
                }
            }
        }
        if (hour, minute, second, fraction) == (24, 0, 0, 0) {
            return Some((0, true));
        }
        let time = Self::new(hour, minute, second, fraction, Zone::Local)?;
        Some((time.nanos, false))
    }

    pub fn hour(&self) -> i64 {
        self.nanos / NANOS_PER_SECOND / 3600
    }

    pub fn minute(&self) -> i64 {
        self.nanos / NANOS_PER_SECOND / 60 % 60
    }

    pub fn second(&self) -> i64 {
        self.nanos / NANOS_PER_SECOND % 60
    }

    pub fn subsecond_nanos(&self) -> i64 {
        self.nanos % NANOS_PER_SECOND
    }

    pub fn nanos_of_day(&self) -> i64 {
        self.nanos
    }

    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Which time comes first; a local and a zoned time cannot be compared.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(self.since(other)?.cmp(&DaysDuration::ZERO))
    }

    /// The time that passes from `other` to this; none between a local and a zoned time.
    pub fn since(&self, other: &Self) -> Option<DaysDuration> {
        let offset_seconds = match (self.zone.standard_offset(), other.zone.standard_offset()) {
            (None, None) => 0,
            (Some(own), Some(theirs)) => i64::from(theirs) - i64::from(own),
            _ => return None,
        };
        let nanos = self.nanos - other.nanos + offset_seconds * NANOS_PER_SECOND;
        DaysDuration::from_nanos(nanos.into())
    }

    /// Adds a duration and wraps around at midnight.
    pub fn add(&self, duration: DaysDuration) -> Self {
        let day = i128::from(NANOS_PER_DAY);
        let nanos = (i128::from(self.nanos) + duration.total_nanos().rem_euclid(day)) % day;
        Self { nanos: nanos as i64, zone: self.zone.clone() }
    }

    pub fn property(&self, name: &str) -> Option<Property> {
        Some(match name {
            "hour" => Property::Number(self.hour()),
            "minute" => Property::Number(self.minute()),
            "second" => Property::Number(self.second()),
            "time offset" => match self.zone.standard_offset() {
                Some(seconds) => Property::Duration(DaysDuration::from_seconds(seconds.into())),
                None => Property::Null,
            },
            "timezone" => zone_property(&self.zone),
            _ => return None,
        })
    }

    /// ISO 8601: the offset instead of the name of a zone.
    pub fn to_iso_string(&self) -> String {
        match self.zone.standard_offset() {
            Some(offset) => Self { nanos: self.nanos, zone: Zone::Offset(offset) }.to_string(),
            None => self.to_string(),
        }
    }

    /// Writes hours to seconds, with a fraction only where there is one.
    pub(super) fn write_clock(&self, f: &mut impl fmt::Write) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.hour(), self.minute(), self.second())?;
        write_fraction(f, self.subsecond_nanos())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_clock(f)?;
        self.zone.fmt(f)
    }
}

pub(super) fn zone_property(zone: &Zone) -> Property {
    match zone {
        Zone::Named(named) => Property::Text(named.name().to_owned()),
        Zone::Local | Zone::Offset(_) => Property::Null,
    }
}

pub(super) fn write_fraction(f: &mut impl fmt::Write, nanos: i64) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    let digits = format!("{nanos:09}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}
