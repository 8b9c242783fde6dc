//! Dates: an instant together with the zone in which to count on from it.

use jiff::civil;
use jiff::tz::Offset;

use crate::cursor::{Cursor, read_all};
use crate::zone::read_offset;
use crate::{ParseError, Timestamp, Zone};

/// A date and time that names one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Date {
    instant: Timestamp,
    zone: Zone,
}

impl Date {
    /// Reads an ISO 8601 date; `server_zone` holds if the text names neither offset nor zone.
    pub fn parse(text: &str, server_zone: &Zone) -> Result<Date, ParseError> {
        read_all(text, WrittenDate::read).map(|written| written.in_zone(server_zone))
    }

    /// The same for a text that must name its offset, which may be `Z`.
    pub fn parse_with_offset(text: &str) -> Result<Date, ParseError> {
        let written = read_all(text, WrittenDate::read)?;
        if written.offset.is_none() {
            let expected = "an offset such as `Z` or `+01:00`".to_owned();
            return Err(ParseError { position: text.chars().count() + 1, expected });
        }
        Ok(written.in_zone(&Zone::utc()))
    }

    pub fn timestamp(&self) -> Timestamp {
        self.instant
    }

    /// With its offset and, where it has one, the name of its zone; seconds only where they are not zero:
    /// `2026-01-01T00:00+01:00[Europe/Berlin]`.
    pub fn to_text(&self) -> String {
        let zoned = self.instant.to_jiff().to_zoned(self.zone.time_zone().clone());
        let local = zoned.datetime();
        let mut text = format!("{}T{:02}:{:02}", local.date(), local.hour(), local.minute());
        if local.second() != 0 || local.subsec_nanosecond() != 0 {
            text += &format!(":{:02}", local.second());
        }
        if local.subsec_nanosecond() != 0 {
            text += &format!(".{:03}", local.subsec_nanosecond() / 1_000_000);
        }
        let offset = Zone::fixed(zoned.offset());
        text += &if zoned.offset().is_zero() { "Z".to_owned() } else { offset.to_string() };
        if self.zone != offset {
            text += &format!("[{}]", self.zone);
        }
        text
    }

    /// The zone of the text: its `[Zone]`, else its offset, else the server's.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }
}

/// A date as written, which may leave open the zone and so the instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenDate {
    local: civil::DateTime,
    offset: Option<Offset>,
    zone: Option<Zone>,
}

impl WrittenDate {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<WrittenDate, ParseError> {
        let date = read_day(cursor)?;
        let time = if cursor.eat('T') { read_time(cursor)? } else { civil::Time::midnight() };
        let local = date.to_datetime(time);
        let offset = match cursor.peek() {
            Some('Z' | 'z') => {
                cursor.eat('Z');
                Some(Offset::UTC)
            }
            Some('+' | '-') => Some(read_offset(cursor)?),
            _ => None,
        };
        let zone = if cursor.peek() == Some('[') { Some(read_bracketed_zone(cursor)?) } else { None };
        Ok(WrittenDate { local, offset, zone })
    }

    pub(crate) fn in_zone(&self, server_zone: &Zone) -> Date {
        let zone = match (&self.zone, self.offset) {
            (Some(zone), _) => zone.clone(),
            (None, Some(offset)) => Zone::fixed(offset),
            (None, None) => server_zone.clone(),
        };
        let instant = match self.offset {
            Some(offset) => Zone::fixed(offset).instant_of(self.local),
            None => zone.instant_of(self.local),
        };
        Date { instant, zone }
    }
}

fn read_day(cursor: &mut Cursor<'_>) -> Result<civil::Date, ParseError> {
    let year = cursor.fixed(4, 0, 9999)?;
    cursor.expect('-')?;
    let month = cursor.fixed(2, 1, 12)?;
    cursor.expect('-')?;
    let day_at = cursor.offset();
    let day = cursor.fixed(2, 1, 31)?;
    civil::Date::new(year as i16, month as i8, day as i8)
        .map_err(|_| cursor.error_at(day_at, format!("a day of month {year:04}-{month:02}")))
}

fn read_time(cursor: &mut Cursor<'_>) -> Result<civil::Time, ParseError> {
    let hour = cursor.fixed(2, 0, 23)?;
    cursor.expect(':')?;
    let minute = cursor.fixed(2, 0, 59)?;
    let (mut second, mut nanos) = (0, 0);
    if cursor.eat(':') {
        second = cursor.fixed(2, 0, 59)?;
        nanos = cursor.fraction()?.unwrap_or(0);
    }
    Ok(civil::time(hour as i8, minute as i8, second as i8, nanos as i32))
}

fn read_bracketed_zone(cursor: &mut Cursor<'_>) -> Result<Zone, ParseError> {
    cursor.expect('[')?;
    let before = cursor.error("").position - 1;
    let name = cursor.take_while(|c| c != ']');
    let zone =
        Zone::parse(name).map_err(|error| ParseError { position: before + error.position, ..error })?;
    cursor.expect(']')?;
    Ok(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_with_offset_and_zone() {
        for (text, written) in [
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00Z"),
            ("2026-01-01T00:00:07.5+02:00", "2026-01-01T00:00:07.500+02:00"),
            ("2026-07-01T12:30:00+02:00[Europe/Berlin]", "2026-07-01T12:30+02:00[Europe/Berlin]"),
        ] {
            assert_eq!(Date::parse_with_offset(text).map(|date| date.to_text()), Ok(written.to_owned()));
        }
        let error = Date::parse_with_offset("2026-01-01T00:00:00").expect_err("no offset");
        assert_eq!(error.to_string(), "expected an offset such as `Z` or `+01:00` at position 20");
    }
}
