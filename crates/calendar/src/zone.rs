//! Time zones by name or fixed offset, from the database inside the binary.

use std::fmt;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

use crate::cursor::{Cursor, read_all};
use crate::{ParseError, Timestamp};

/// A time zone; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    pub fn utc() -> Zone {
        Zone(TimeZone::UTC)
    }

    /// Reads an IANA name (`Europe/Berlin`), an offset (`Z`, `+01:00`) or both forms joined (`UTC+1`, `GMT-03:30`).
    pub fn parse(text: &str) -> Result<Zone, ParseError> {
        if let Some(zone) = named(text) {
            return Ok(zone);
        }
        let expected = "the name of a time zone or an offset";
        read_all(text, read_offset_zone).map_err(|error| ParseError { expected: expected.into(), ..error })
    }

    pub(crate) fn fixed(offset: Offset) -> Zone {
        if offset.is_zero() { Zone::utc() } else { Zone(TimeZone::fixed(offset)) }
    }

    pub(crate) fn time_zone(&self) -> &TimeZone {
        &self.0
    }

    /// The instant of a local date: moved on by the length of a gap, the first one in an overlap.
    pub(crate) fn instant_of(&self, local: DateTime) -> Timestamp {
        match self.0.to_ambiguous_timestamp(local).compatible() {
            Ok(instant) => Timestamp::from_jiff(instant),
            Err(_) if local.year() < 0 => Timestamp::MIN,
            Err(_) => Timestamp::MAX,
        }
    }
}

/// The IANA name, or the offset as in `+01:00`.
impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.iana_name(), self.0.to_fixed_offset()) {
            (Some(name), _) => f.write_str(name),
            (None, Ok(offset)) => write_offset(f, offset),
            (None, Err(_)) => f.write_str("unknown"),
        }
    }
}

fn write_offset(f: &mut fmt::Formatter<'_>, offset: Offset) -> fmt::Result {
    let sign = if offset.is_negative() { '-' } else { '+' };
    let seconds = offset.seconds().abs();
    write!(f, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
    if seconds % 60 != 0 {
        write!(f, ":{:02}", seconds % 60)?;
    }
    Ok(())
}

fn named(name: &str) -> Option<Zone> {
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (!zone.is_unknown()).then_some(Zone(zone))
}

fn read_offset_zone(cursor: &mut Cursor<'_>) -> Result<Zone, ParseError> {
    let prefix = cursor.take_while(|c| c.is_ascii_alphabetic());
    match prefix.to_ascii_uppercase().as_str() {
        "Z" => Ok(Zone::utc()),
        "" | "UTC" | "GMT" | "UT" => read_offset(cursor).map(Zone::fixed),
        _ => Err(cursor.error_at(0, "a known prefix")),
    }
}

/// Reads `+1`, `+01`, `+0100`, `+01:00` or `+01:00:00`.
pub(crate) fn read_offset(cursor: &mut Cursor<'_>) -> Result<Offset, ParseError> {
    let from = cursor.offset();
    let negative = cursor.eat('-');
    if !negative && !cursor.eat('+') {
        return Err(cursor.error("`+` or `-`"));
    }
    let digits = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
    let hours = cursor.fixed(if digits == 1 { 1 } else { 2 }, 0, 23)?;
    let (mut minutes, mut seconds) = (0, 0);
    if digits == 4 {
        minutes = cursor.fixed(2, 0, 59)?;
    } else if cursor.eat(':') {
        minutes = cursor.fixed(2, 0, 59)?;
        if cursor.eat(':') {
            seconds = cursor.fixed(2, 0, 59)?;
        }
    }
    let total = (hours * 60 + minutes) * 60 + seconds;
    i32::try_from(if negative { -total } else { total })
        .ok()
        .and_then(|total| Offset::from_seconds(total).ok())
        .ok_or_else(|| cursor.error_at(from, "an offset within a day"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_read_and_written() {
        for (text, written) in [
            ("Europe/Berlin", "Europe/Berlin"),
            ("europe/berlin", "Europe/Berlin"),
            ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
            ("UTC", "UTC"),
            ("Z", "UTC"),
            ("z", "UTC"),
            ("+00:00", "UTC"),
            ("+01:00", "+01:00"),
            ("+1", "+01:00"),
            ("-0330", "-03:30"),
            ("+05:53:28", "+05:53:28"),
            ("UTC+2", "+02:00"),
            ("GMT-03:30", "-03:30"),
        ] {
            assert_eq!(Zone::parse(text).map(|zone| zone.to_string()), Ok(written.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_zone_is_refused() {
        for (text, position) in [
            ("", 1),
            ("Europe/Nowhere", 1),
            ("Etc/Unknown", 1),
            ("+24:00", 2),
            ("+01:60", 5),
            ("+01:00x", 7),
            ("+", 2),
        ] {
            let error = Zone::parse(text).expect_err(text);
            assert_eq!(error.position, position, "{text}");
            assert_eq!(error.expected, "the name of a time zone or an offset");
        }
    }
}
