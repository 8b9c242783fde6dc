//! Where on the globe a time of day is meant: nowhere, at an offset, or in an IANA zone.
//! The zone rules are compiled in, so that every machine answers alike.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use jiff::civil;
use jiff::tz::{Dst, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};

use super::scan::Scan;
use super::{Date, NANOS_PER_SECOND, SECONDS_PER_DAY};

/// Largest offset from UTC in seconds, as in ISO 8601 practice (18 hours).
const OFFSET_SECONDS_MAX: u64 = 18 * 3600;

/// The zone part of a time or date-time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Zone {
    /// No zone: a local time.
    Local,
    /// Seconds east of UTC.
    Offset(i32),
    Named(NamedZone),
}

/// A zone of the IANA database, such as `Europe/Paris`.
#[derive(Clone, Debug)]
pub struct NamedZone(TimeZone);

impl PartialEq for NamedZone {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for NamedZone {}

impl Hash for NamedZone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Zone {
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Local)
    }

    /// The zone of an environment: by its name if it has one, else by the offset it has at that moment.
    pub(crate) fn of(zone: &TimeZone, at: Timestamp) -> Self {
        let named = zone.iana_name().filter(|name| *name != "UTC").and_then(NamedZone::find);
        named.map_or_else(|| Self::Offset(zone.to_offset(at).seconds()), Self::Named)
    }

    /// An offset of at most 18 hours.
    pub fn offset(seconds: i64) -> Option<Self> {
        (seconds.unsigned_abs() <= OFFSET_SECONDS_MAX).then_some(Self::Offset(seconds as i32))
    }

    /// Reads a zone by itself: `Z`, `+hh:mm` or `Area/City`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut scan = Scan::new(text);
        let offset = Self::scan_offset(&mut scan).filter(|_| scan.is_done());
        offset.or_else(|| NamedZone::find(text).map(Self::Named))
    }

    /// Reads the rest of a time: nothing, `Z`, `+hh:mm`, `@Area/City`, or an offset with `[Area/City]`.
    pub(super) fn scan(scan: &mut Scan<'_>) -> Option<Self> {
        if scan.is_done() {
            return Some(Self::Local);
        }
        if scan.eat('@') {
            return NamedZone::find(scan.rest()).map(Self::Named);
        }
        let offset = Self::scan_offset(scan)?;
        if scan.is_done() {
            return Some(offset);
        }
        let name = scan.rest().strip_prefix('[')?.strip_suffix(']')?;
        NamedZone::find(name).map(Self::Named)
    }

    fn scan_offset(scan: &mut Scan<'_>) -> Option<Self> {
        if scan.eat('Z') {
            return Some(Self::Offset(0));
        }
        let sign = if scan.eat('-') {
            -1
        } else if scan.eat('+') {
            1
        } else {
            return None;
        };
        let hours = i64::from(scan.two_digits()?);
        if !scan.eat(':') {
            return None;
        }
        let minutes = i64::from(scan.two_digits()?);
        let seconds = if scan.eat(':') { i64::from(scan.two_digits()?) } else { 0 };
        if minutes > 59 || seconds > 59 {
            return None;
        }
        Self::offset(sign * (hours * 3600 + minutes * 60 + seconds))
    }

    /// The offset that a time without a date has: a named zone answers with its standard time.
    pub(super) fn standard_offset(&self) -> Option<i32> {
        match self {
            Self::Local => None,
            Self::Offset(seconds) => Some(*seconds),
            Self::Named(zone) => Some(zone.standard_offset()),
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => Ok(()),
            Self::Offset(seconds) => write_offset(f, *seconds),
            Self::Named(zone) => write!(f, "@{}", zone.name()),
        }
    }
}

/// Writes `Z` or `+hh:mm`, with seconds only where there are some.
pub(super) fn write_offset(f: &mut impl fmt::Write, seconds: i32) -> fmt::Result {
    if seconds == 0 {
        return f.write_str("Z");
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let total = seconds.unsigned_abs();
    write!(f, "{sign}{:02}:{:02}", total / 3600, total / 60 % 60)?;
    if !total.is_multiple_of(60) {
        write!(f, ":{:02}", total % 60)?;
    }
    Ok(())
}

impl NamedZone {
    /// Finds a zone by its exact IANA name.
    pub fn find(name: &str) -> Option<Self> {
        static DATABASE: OnceLock<TimeZoneDatabase> = OnceLock::new();
        let zone = DATABASE.get_or_init(TimeZoneDatabase::bundled).get(name).ok()?;
        (zone.iana_name() == Some(name)).then_some(Self(zone))
    }

    pub fn name(&self) -> &str {
        self.0.iana_name().expect("only named zones of the database are kept")
    }

    /// The offset in seconds at a local date and second of the day. A time that the clocks skip
    /// is read with the offset before the gap, one that occurs twice is the first of the two.
    pub(super) fn offset_at_local(&self, date: &Date, second_of_day: i64) -> i32 {
        let midnight = civil::date(calendar_year(date), date.month() as i8, date.day() as i8).at(0, 0, 0, 0);
        let local = midnight.saturating_add(SignedDuration::from_secs(second_of_day));
        let Ok(timestamp) = self.0.to_ambiguous_timestamp(local).compatible() else {
            return self.standard_offset();
        };
        let as_if_utc = civil_seconds(local);
        i32::try_from(as_if_utc - timestamp.as_second()).unwrap_or(0)
    }

    /// The offset in seconds at a moment given in seconds since 1970-01-01T00:00:00Z.
    pub(super) fn offset_at_instant(&self, epoch_seconds: i64) -> i32 {
        let days = epoch_seconds.div_euclid(SECONDS_PER_DAY);
        let Some(date) = Date::from_epoch_days(days) else {
            return self.standard_offset();
        };
        let midnight = civil::date(calendar_year(&date), date.month() as i8, date.day() as i8).at(0, 0, 0, 0);
        let seconds = civil_seconds(midnight) + epoch_seconds.rem_euclid(SECONDS_PER_DAY);
        match Timestamp::from_second(seconds) {
            Ok(timestamp) => self.0.to_offset(timestamp).seconds(),
            Err(_) => self.standard_offset(),
        }
    }

    fn standard_offset(&self) -> i32 {
        // Either the winter or the summer of a recent year is standard time.
        let candidates = [1_704_067_200, 1_719_792_000];
        let infos = candidates.map(|second| {
            let timestamp = Timestamp::from_second(second).expect("both lie in 2024");
            let info = self.0.to_offset_info(timestamp);
            (info.dst(), info.offset().seconds())
        });
        infos.iter().find(|(dst, _)| *dst == Dst::No).unwrap_or(&infos[0]).1
    }
}

/// A year that `jiff` can hold and whose calendar is the same: the Gregorian calendar
/// repeats every 400 years, and zone rules do not change beyond the table's ends.
fn calendar_year(date: &Date) -> i16 {
    let year = date.year();
    let in_range = match year {
        9_000.. => 8_400 + year.rem_euclid(400),
        ..=-9_000 => -8_800 + year.rem_euclid(400),
        _ => year,
    };
    in_range as i16
}

fn civil_seconds(local: civil::DateTime) -> i64 {
    let epoch = civil::date(1970, 1, 1).at(0, 0, 0, 0);
    local.duration_since(epoch).as_nanos().div_euclid(i128::from(NANOS_PER_SECOND)) as i64
}
