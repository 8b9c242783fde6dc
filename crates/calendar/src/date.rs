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

    pub fn timestamp(&self) -> Timestamp {
        self.instant
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
