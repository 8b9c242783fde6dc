//! `range`: a range from its literal, such as `"[1..10)"`. Only literals may stand at its ends.

use super::{Builtin, Call, CallResult, builtin, fixed};
use crate::number::Number;
use crate::temporal::{self, Date, DateTime, Time};
use crate::value::{Bound, Range, Relation, Value};
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Builtin] = &[builtin("range", &[fixed(&["from"])], range)];

fn range(call: &mut Call<'_, '_>) -> CallResult {
    let Some(text) = call.string(0) else { return call.refuse("a string") };
    call.charge_reading(text.len() as u64)?;
    match parse(text) {
        Some(range) => Ok(range.into()),
        None => call.refuse("the text of a range"),
    }
}

fn parse(text: &str) -> Option<Range> {
    let text = text.trim();
    let mut letters = text.chars();
    let (open, close) = (letters.next()?, letters.next_back()?);
    let start_closed = match open {
        '[' => true,
        '(' | ']' => false,
        _ => return None,
    };
    let end_closed = match close {
        ']' => true,
        ')' | '[' => false,
        _ => return None,
    };
    let (start, rest) = endpoint(letters.as_str().trim_start())?;
    let (end, rest) = endpoint(rest.trim_start().strip_prefix("..")?.trim_start())?;
    if !rest.trim().is_empty() {
        return None;
    }
    if let (Some(start), Some(end)) = (&start, &end) {
        let ascending = Relation::order(start, end)? != Ordering::Greater;
        if !ascending {
            return None;
        }
    }
    Some(Range { start: bound(start, start_closed)?, end: bound(end, end_closed)? })
}

/// Only an open end may be without a value.
fn bound(value: Option<Value>, closed: bool) -> Option<Bound> {
    match (value, closed) {
        (Some(value), true) => Some(Bound::Closed(value)),
        (Some(value), false) => Some(Bound::Open(value)),
        (None, true) => None,
        (None, false) => Some(Bound::Unbounded),
    }
}

/// Reads a literal, if there is one, and returns the rest of the text.
fn endpoint(text: &str) -> Option<(Option<Value>, &str)> {
    if text.is_empty() || text.starts_with("..") {
        return Some((None, text));
    }
    if let Some(rest) = text.strip_prefix('@') {
        let (literal, rest) = quoted(rest)?;
        return Some((Some(temporal::literal(&literal)?), rest));
    }
    if text.starts_with('"') {
        let (literal, rest) = quoted(text)?;
        return Some((Some(literal.into()), rest));
    }
    if let Some(made) = constructor(text) {
        return made.map(|(value, rest)| (Some(value), rest));
    }
    let len = number_len(text);
    let value = Number::parse(&text[..len])?;
    Some((Some(value.into()), &text[len..]))
}

/// Up to the end of the digits; the first of two dots does not belong to them.
fn number_len(text: &str) -> usize {
    let body = text.find("..").map_or(text, |end| &text[..end]);
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-';
    body.find(|letter: char| !is_number(letter)).unwrap_or(body.len())
}

/// `date("...")` and its kin. The outer none: the text is no such call; the inner: it is a wrong one.
fn constructor(text: &str) -> Option<Option<(Value, &str)>> {
    type Make = fn(&str) -> Option<Value>;
    let makers: [(&str, Make); 4] = [
        ("date and time", |text| DateTime::parse(text).map(Value::from)),
        ("date", |text| Date::parse(text).map(Value::from)),
        ("time", |text| Time::parse(text).map(Value::from)),
        ("duration", |text| text.contains('P').then(|| temporal::literal(text))?),
    ];
    let (make, rest) = makers.iter().find_map(|(name, make)| Some((make, text.strip_prefix(name)?)))?;
    Some((|| {
        let (literal, rest) = quoted(rest.trim_start().strip_prefix('(')?.trim_start())?;
        Some((make(&literal)?, rest.trim_start().strip_prefix(')')?))
    })())
}

/// A string literal and the rest of the text after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut literal = String::new();
    let mut letters = text.strip_prefix('"')?.chars();
    loop {
        match letters.next()? {
            '"' => return Some((literal, letters.as_str())),
            '\\' => match letters.next()? {
                'n' => literal.push('\n'),
                'r' => literal.push('\r'),
                't' => literal.push('\t'),
                other => literal.push(other),
            },
            letter => literal.push(letter),
        }
    }
}
