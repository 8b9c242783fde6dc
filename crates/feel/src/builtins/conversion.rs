//! Functions that turn values into numbers, strings and JSON, and back.

use super::{Builtin, Call, CallResult, builtin, fixed, optional};
use crate::expression::Dialect;
use crate::number::Number;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("number", &[optional(&["from"], &["grouping separator", "decimal separator"])], number),
    builtin("string", &[fixed(&["from"])], string),
    builtin("from json", &[fixed(&["json"])], from_json),
    builtin("to json", &[fixed(&["value"])], to_json),
    builtin("cycle", &[fixed(&["interval"]), fixed(&["repetitions", "interval"])], cycle)
        .only(Dialect::Camunda),
];

fn number(call: &mut Call<'_, '_>) -> CallResult {
    let Some(text) = call.string(0) else { return call.refuse("a string") };
    call.charge_reading(text.len() as u64)?;
    let Some(grouping) = separator(call, 1, &[" ", ",", "."]) else {
        return call.refuse("' ', ',' or '.' as grouping separator");
    };
    let Some(decimal) = separator(call, 2, &[",", "."]) else {
        return call.refuse("',' or '.' as decimal separator");
    };
    if grouping.is_some() && grouping == decimal {
        return call.refuse("two different separators");
    }
    let mut text = text.to_owned();
    if let Some(grouping) = grouping {
        text = text.replace(grouping, "");
    }
    if let Some(decimal) = decimal {
        text = text.replace(decimal, ".");
    }
    match Number::parse_json(text.strip_prefix('+').unwrap_or(&text)) {
        Some(number) => Ok(number.into()),
        None => {
            let given = call.arg(0);
            call.fail(|| format!("Can't parse '{given}' as a number"))
        }
    }
}

/// A separator that may be left out: the outer none means that it is not allowed.
fn separator<'a>(call: &Call<'a, '_>, index: usize, allowed: &[&str]) -> Option<Option<&'a str>> {
    match (call.arg(index), call.string(index)) {
        (Value::Null, _) => Some(None),
        (_, Some(text)) if allowed.contains(&text) => Some(Some(text)),
        _ => None,
    }
}

fn string(call: &mut Call<'_, '_>) -> CallResult {
    let value = call.arg(0);
    if value.is_null() {
        return Ok(Value::Null);
    }
    call.charge_reading(value.weight())?;
    // Numbers and names of keys take at most a few times their own room as text.
    call.ensure_bytes(value.weight().saturating_mul(2))?;
    Ok(match call.dialect() {
        Dialect::Camunda => format!("{value:#}").into(),
        Dialect::Standard => value.to_string().into(),
    })
}

fn from_json(call: &mut Call<'_, '_>) -> CallResult {
    if call.arg(0).is_null() {
        return Ok(Value::Null);
    }
    let Some(text) = call.string(0) else { return call.refuse("a string") };
    call.charge_reading(text.len() as u64)?;
    call.machine.ensure_json_fits(text)?;
    match Value::from_json(text) {
        Ok(value) => call.machine.charge_read(value),
        Err(error) => call.refuse(&format!("JSON ({error})")),
    }
}

fn to_json(call: &mut Call<'_, '_>) -> CallResult {
    let value = call.arg(0);
    call.charge_reading(value.weight())?;
    // A character may need six to be escaped.
    call.ensure_bytes(value.weight().saturating_mul(6))?;
    Ok(value.to_json().into())
}

/// The text of a repeating timer: `R5/PT1H`, or `R/PT1H` without an end.
fn cycle(call: &mut Call<'_, '_>) -> CallResult {
    let (repetitions, interval) =
        if call.signature == 0 { (&Value::Null, call.arg(0)) } else { (call.arg(0), call.arg(1)) };
    if !matches!(interval, Value::DaysDuration(_) | Value::MonthsDuration(_)) {
        return call.refuse("a duration as interval");
    }
    match repetitions {
        Value::Null => Ok(format!("R/{interval}").into()),
        Value::Number(count) if count.is_integer() => Ok(format!("R{count}/{interval}").into()),
        _ => call.refuse("a whole number of repetitions"),
    }
}
