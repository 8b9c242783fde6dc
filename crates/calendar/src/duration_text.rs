//! How durations are read and written, apart from what they mean.

use std::fmt;

use crate::cursor::{Cursor, NANOS_PER_SECOND};
use crate::{Duration, ParseError};

/// A unit letter and how many months, days or seconds it stands for.
type Unit = (char, i64);

const DATE_UNITS: [Unit; 4] = [('Y', 12), ('M', 1), ('W', 7), ('D', 1)];
const TIME_UNITS: [Unit; 3] = [('H', 3600), ('M', 60), ('S', 1)];
/// In days or hours: what is written can be read again.
const LONGEST: u64 = 999_999_999_999_999_999;
const NANOS_PER_HOUR: u128 = 3_600_000_000_000;

/// One number with its unit, e.g. `-1.5H`.
struct Part {
    whole: i64,
    billionths: Option<i64>,
    /// Index into the units of its section.
    unit: usize,
}

impl Duration {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Duration, ParseError> {
        let from = cursor.offset();
        let sign = read_sign(cursor);
        if !cursor.eat('P') {
            return Err(cursor.error("a duration, which begins with `P`"));
        }
        let mut duration = Duration { months: 0, days: 0, nanos: 0 };
        let date_parts = duration.read_date_parts(cursor, sign)?;
        if cursor.eat('T') {
            duration.read_time_parts(cursor, sign)?;
        } else if !date_parts {
            return Err(cursor.error("a number with unit, or `T`"));
        }
        if duration.days.unsigned_abs() > LONGEST
            || duration.nanos.unsigned_abs() / NANOS_PER_HOUR > LONGEST.into()
        {
            return Err(cursor.error_at(from, "a shorter duration"));
        }
        Ok(duration)
    }

    fn read_date_parts(&mut self, cursor: &mut Cursor<'_>, sign: i64) -> Result<bool, ParseError> {
        let mut next_unit = 0;
        while next_unit < DATE_UNITS.len() && part_is_next(cursor) {
            let from = cursor.offset();
            let part = read_part(cursor, sign, &DATE_UNITS[next_unit..])?;
            if part.billionths.is_some() {
                return Err(cursor.error_at(from, "a whole number"));
            }
            let (letter, size) = DATE_UNITS[next_unit + part.unit];
            let total = if matches!(letter, 'Y' | 'M') { &mut self.months } else { &mut self.days };
            *total = part
                .whole
                .checked_mul(size)
                .and_then(|length| total.checked_add(length))
                .ok_or_else(|| cursor.error_at(from, "a smaller number"))?;
            next_unit += part.unit + 1;
        }
        Ok(next_unit > 0)
    }

    fn read_time_parts(&mut self, cursor: &mut Cursor<'_>, sign: i64) -> Result<(), ParseError> {
        let mut next_unit = 0;
        while next_unit == 0 || (next_unit < TIME_UNITS.len() && part_is_next(cursor)) {
            let part = read_part(cursor, sign, &TIME_UNITS[next_unit..])?;
            let (_, seconds) = TIME_UNITS[next_unit + part.unit];
            let billionths = i128::from(part.whole) * i128::from(NANOS_PER_SECOND)
                + i128::from(part.billionths.unwrap_or(0));
            self.nanos += billionths * i128::from(seconds);
            next_unit += part.unit + 1;
            if part.billionths.is_some() {
                break;
            }
        }
        Ok(())
    }
}

fn read_sign(cursor: &mut Cursor<'_>) -> i64 {
    if cursor.eat('-') {
        return -1;
    }
    cursor.eat('+');
    1
}

fn part_is_next(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '-' || c == '+')
}

fn read_part(cursor: &mut Cursor<'_>, sign: i64, units: &[Unit]) -> Result<Part, ParseError> {
    let sign = sign * read_sign(cursor);
    let whole = sign * cursor.number()?;
    let billionths = cursor.fraction()?.map(|billionths| sign * billionths);
    match units.iter().position(|&(letter, _)| cursor.eat(letter)) {
        Some(unit) => Ok(Part { whole, billionths, unit }),
        None => Err(cursor.error(unit_names(units))),
    }
}

fn unit_names(units: &[Unit]) -> String {
    let letters: Vec<String> = units.iter().map(|(letter, _)| format!("`{letter}`")).collect();
    letters.join(" or ")
}

/// Writes the shortest form with a sign on each negative part; the zero duration is `PT0S`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        write_whole(f, self.months / 12, 'Y')?;
        write_whole(f, self.months % 12, 'M')?;
        write_whole(f, self.days, 'D')?;
        if self.nanos == 0 && self.follows_calendar() {
            return Ok(());
        }
        f.write_str("T")?;
        let second = i128::from(NANOS_PER_SECOND);
        write_whole(f, self.nanos / (3600 * second), 'H')?;
        write_whole(f, self.nanos / (60 * second) % 60, 'M')?;
        write_seconds(f, self.nanos % (60 * second), self.nanos == 0)
    }
}

fn write_whole(f: &mut fmt::Formatter<'_>, number: impl Into<i128>, unit: char) -> fmt::Result {
    match number.into() {
        0 => Ok(()),
        number => write!(f, "{number}{unit}"),
    }
}

fn write_seconds(f: &mut fmt::Formatter<'_>, nanos: i128, even_if_zero: bool) -> fmt::Result {
    if nanos == 0 && !even_if_zero {
        return Ok(());
    }
    let second = i128::from(NANOS_PER_SECOND);
    let sign = if nanos < 0 { "-" } else { "" };
    write!(f, "{sign}{}", (nanos / second).abs())?;
    let fraction = format!("{:09}", (nanos % second).abs());
    match fraction.trim_end_matches('0') {
        "" => f.write_str("S"),
        digits => write!(f, ".{digits}S"),
    }
}
