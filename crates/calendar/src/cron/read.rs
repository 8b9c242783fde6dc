//! Reading the fields of a cron schedule.

use super::Cron;
use super::days::{DayField, DayRule, Days};
use crate::ParseError;
use crate::cursor::Cursor;

const MACROS: [(&str, &str); 7] = [
    ("@yearly", "0 0 0 1 1 *"),
    ("@annually", "0 0 0 1 1 *"),
    ("@monthly", "0 0 0 1 * *"),
    ("@weekly", "0 0 0 * * SUN"),
    ("@daily", "0 0 0 * * *"),
    ("@midnight", "0 0 0 * * *"),
    ("@hourly", "0 0 * * * *"),
];
const SIX_FIELDS: &str =
    "six fields (second, minute, hour, day of month, month, day of week) or five (without second)";
const STEP_MAX: i64 = i32::MAX as i64;
const SUNDAY: i64 = 7;
/// The bits of a field that holds only 0.
const AT_ZERO: u64 = 1;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    DayOfMonth,
    DayOfWeek,
}

/// The numbers a field may hold and their names.
struct Field {
    kind: Kind,
    least: i64,
    most: i64,
    /// The number of a name is its place, from 1.
    names: &'static [&'static str],
}

const SECOND: Field = Field { kind: Kind::Number, least: 0, most: 59, names: &[] };
const MINUTE: Field = Field { kind: Kind::Number, least: 0, most: 59, names: &[] };
const HOUR: Field = Field { kind: Kind::Number, least: 0, most: 23, names: &[] };
const DAY_OF_MONTH: Field = Field { kind: Kind::DayOfMonth, least: 1, most: 31, names: &[] };
const MONTH: Field = Field {
    kind: Kind::Number,
    least: 1,
    most: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
};
const DAY_OF_WEEK: Field = Field {
    kind: Kind::DayOfWeek,
    least: 0,
    most: SUNDAY,
    names: &["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"],
};

pub(super) fn read(text: &str) -> Result<Cron, ParseError> {
    let mut cursor = Cursor::new(expand_macro(text)?);
    let with_seconds = match cursor.rest().split_whitespace().count() {
        5 => false,
        6 => true,
        found => return Err(wrong_field_count(cursor, found)),
    };
    let seconds = if with_seconds { read_numbers(&mut cursor, &SECOND)? } else { AT_ZERO };
    let minutes = read_numbers(&mut cursor, &MINUTE)?;
    let hours = read_numbers(&mut cursor, &HOUR)?;
    let of_month = read_field(&mut cursor, &DAY_OF_MONTH)?;
    let months = read_numbers(&mut cursor, &MONTH)?;
    let of_week = sunday_is_seven(read_field(&mut cursor, &DAY_OF_WEEK)?);
    Ok(Cron { seconds, minutes, hours, months, days: Days { of_month, of_week } })
}

fn expand_macro(text: &str) -> Result<&str, ParseError> {
    if !text.trim_start().starts_with('@') {
        return Ok(text);
    }
    let found = MACROS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    found.map(|(_, fields)| *fields).ok_or_else(|| {
        let names: Vec<&str> = MACROS.iter().map(|(name, _)| *name).collect();
        let blanks = text.chars().take_while(|c| c.is_whitespace()).count();
        ParseError { position: blanks + 1, expected: format!("one of {}", names.join(", ")) }
    })
}

fn wrong_field_count(mut cursor: Cursor<'_>, found: usize) -> ParseError {
    if found > 6 {
        for _ in 0..6 {
            skip_blanks(&mut cursor);
            cursor.take_while(|c| !c.is_whitespace());
        }
        skip_blanks(&mut cursor);
        return cursor.error("the end of the text after six fields");
    }
    cursor.take_while(|_| true);
    cursor.error(SIX_FIELDS)
}

fn skip_blanks(cursor: &mut Cursor<'_>) {
    cursor.take_while(char::is_whitespace);
}

fn at_field_end(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_none_or(char::is_whitespace)
}

fn read_numbers(cursor: &mut Cursor<'_>, field: &Field) -> Result<u64, ParseError> {
    read_field(cursor, field).map(|read| read.numbers)
}

/// A list of items, ended by a blank or the end of the text.
fn read_field(cursor: &mut Cursor<'_>, field: &Field) -> Result<DayField, ParseError> {
    skip_blanks(cursor);
    let mut read = DayField::default();
    if field.kind != Kind::Number && cursor.eat('?') {
        read.numbers = every(field, 1);
    } else {
        read_item(cursor, field, &mut read)?;
        while cursor.eat(',') {
            read_item(cursor, field, &mut read)?;
        }
    }
    if !at_field_end(cursor) {
        return Err(cursor.error("`,` or the end of the field"));
    }
    Ok(read)
}

/// `*`, a number, a range, each with an optional step, or a rule for days.
fn read_item(cursor: &mut Cursor<'_>, field: &Field, read: &mut DayField) -> Result<(), ParseError> {
    if cursor.eat('*') {
        read.numbers |= every(field, read_step(cursor)?.unwrap_or(1));
        return Ok(());
    }
    if field.kind == Kind::DayOfMonth && cursor.eat('L') {
        read.rules.push(read_last_day(cursor)?);
        return Ok(());
    }
    let least = read_value(cursor, field)?;
    if let Some(rule) = read_rule_after(cursor, field, least)? {
        read.rules.push(rule);
        return Ok(());
    }
    let range = if cursor.eat('-') { Some(read_range_end(cursor, field, least)?) } else { None };
    let step = read_step(cursor)?;
    let (least, most) = match (range, step) {
        (Some(range), _) => range,
        (None, Some(_)) => (least, field.most),
        (None, None) => (least, least),
    };
    read.numbers |= bits(least, most, step.unwrap_or(1));
    Ok(())
}

/// A range that begins with Sunday begins with 0, so that `SUN-TUE` is not empty.
fn read_range_end(cursor: &mut Cursor<'_>, field: &Field, least: i64) -> Result<(i64, i64), ParseError> {
    let least = if field.kind == Kind::DayOfWeek && least == SUNDAY { 0 } else { least };
    let from = cursor.offset();
    let most = read_value(cursor, field)?;
    if most < least {
        return Err(cursor.error_at(from, format!("a range that ends at {least} or later")));
    }
    Ok((least, most))
}

fn read_step(cursor: &mut Cursor<'_>) -> Result<Option<i64>, ParseError> {
    if cursor.eat('/') { cursor.number_in(1, STEP_MAX).map(Some) } else { Ok(None) }
}

fn read_value(cursor: &mut Cursor<'_>, field: &Field) -> Result<i64, ParseError> {
    let named = field.names.iter().position(|name| {
        cursor.rest().get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    });
    if let Some(place) = named {
        field.names[place].chars().for_each(|letter| {
            cursor.eat(letter);
        });
        return Ok(i64::try_from(place).expect("a short list") + 1);
    }
    cursor.number_in(field.least, field.most).map_err(|error| {
        match (field.names.first(), field.names.last()) {
            (Some(first), Some(last)) => ParseError {
                expected: format!("{} or a name from {first} to {last}", error.expected),
                ..error
            },
            _ => error,
        }
    })
}

/// Reads the rest of an `L` in the day of month.
fn read_last_day(cursor: &mut Cursor<'_>) -> Result<DayRule, ParseError> {
    if cursor.eat('W') {
        return Ok(DayRule::LastWeekday);
    }
    let days = if cursor.eat('-') { cursor.number_in(1, 30)? } else { 0 };
    Ok(DayRule::BeforeLast(days))
}

/// `15W` in the day of month, `5L` and `5#2` in the day of week.
fn read_rule_after(
    cursor: &mut Cursor<'_>,
    field: &Field,
    value: i64,
) -> Result<Option<DayRule>, ParseError> {
    let weekday = if value == 0 { SUNDAY } else { value };
    Ok(match field.kind {
        Kind::DayOfMonth if cursor.eat('W') => Some(DayRule::NearestWeekday(value)),
        Kind::DayOfWeek if cursor.eat('L') => Some(DayRule::LastOf { weekday }),
        Kind::DayOfWeek if cursor.eat('#') => Some(DayRule::NthOf { weekday, nth: cursor.number_in(1, 5)? }),
        _ => None,
    })
}

/// `*` in the day of week runs from Monday, which matters for its steps.
fn every(field: &Field, step: i64) -> u64 {
    let least = if field.kind == Kind::DayOfWeek { 1 } else { field.least };
    bits(least, field.most, step)
}

fn bits(least: i64, most: i64, step: i64) -> u64 {
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    (least..=most).step_by(step).fold(0, |bits, number| bits | 1 << number)
}

fn sunday_is_seven(mut days: DayField) -> DayField {
    days.numbers |= (days.numbers & 1) << SUNDAY;
    days
}
