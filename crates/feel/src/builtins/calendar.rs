//! Functions that make dates, times and durations.

use super::{Builtin, Call, CallResult, Signature, builtin, fixed, optional};
use crate::expression::Dialect;
use crate::number::{Number, Rounding};
use crate::temporal::{Date, DateTime, NANOS_PER_SECOND, Temporal, Time, Zone};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("date", &[fixed(&["from"]), fixed(&["year", "month", "day"])], date),
    builtin("time", &[fixed(&["from"]), TIME_PARTS], time),
    builtin("date and time", DATE_AND_TIME, date_and_time),
    builtin("duration", &[fixed(&["from"])], duration),
    builtin("years and months duration", &[fixed(&["from", "to"])], years_and_months_duration),
];

const TIME_PARTS: Signature = optional(&["hour", "minute", "second"], &["offset"]);
const DATE_AND_TIME: &[Signature] =
    &[fixed(&["from"]), fixed(&["date", "time"]), fixed(&["date", "timezone"])];

/// The calendar date of a date or date-time.
pub(super) fn calendar_date(value: &Value) -> Option<Date> {
    match value {
        Value::Date(date) => Some(*date),
        Value::DateTime(at) => Some(at.date()),
        _ => None,
    }
}

fn date(call: &mut Call<'_, '_>) -> CallResult {
    let made = if call.signature == 1 {
        let parts = (call.integer(0), call.integer(1), call.integer(2));
        let (Some(year), Some(month), Some(day)) = parts else { return call.refuse("three numbers") };
        Date::new(year, month, day)
    } else {
        match call.single(0) {
            Value::String(text) => Date::parse(text),
            other => calendar_date(other),
        }
    };
    match made {
        Some(date) => Ok(date.into()),
        None => unparsed(call, "date"),
    }
}

fn time(call: &mut Call<'_, '_>) -> CallResult {
    let made = if call.signature == 1 {
        time_of_parts(call)
    } else {
        match call.single(0) {
            Value::String(text) => Time::parse(text),
            Value::DateTime(at) => Some(at.time().clone()),
            Value::Date(_) => Some(Time::midnight(Zone::Offset(0))),
            Value::Time(time) => return Ok(Value::Time(time.clone())),
            _ => None,
        }
    };
    match made {
        Some(time) => Ok(time.into()),
        None => unparsed(call, "time"),
    }
}

fn time_of_parts(call: &Call<'_, '_>) -> Option<Time> {
    let zone = match call.single(3) {
        Value::Null => Zone::Local,
        Value::DaysDuration(offset) => Zone::offset(offset.total_seconds())?,
        _ => return None,
    };
    let nanos = call.number(2)?.checked_mul(Number::integer(NANOS_PER_SECOND))?;
    let nanos = nanos.rounded(0, Rounding::Down)?.to_i64()?;
    let (second, fraction) = (nanos.div_euclid(NANOS_PER_SECOND), nanos.rem_euclid(NANOS_PER_SECOND));
    Time::new(call.integer(0)?, call.integer(1)?, second, fraction, zone)
}

fn date_and_time(call: &mut Call<'_, '_>) -> CallResult {
    let made = if call.signature == 0 {
        call.string(0).and_then(DateTime::parse)
    } else {
        match (call.single(0), call.single(1)) {
            (date, Value::Time(time)) => {
                calendar_date(date).map(|date| DateTime::new(date, (**time).clone()))
            }
            (Value::DateTime(at), Value::String(zone)) if call.dialect() == Dialect::Camunda => {
                Zone::parse(zone).and_then(|zone| at.with_zone(zone))
            }
            _ => None,
        }
    };
    match made {
        Some(at) => Ok(at.into()),
        None => unparsed(call, "date-time"),
    }
}

fn duration(call: &mut Call<'_, '_>) -> CallResult {
    match call.single(0) {
        Value::String(text) => match Temporal::parse(text) {
            Some(Temporal::Days(duration)) => Ok(duration.into()),
            Some(Temporal::Months(duration)) => Ok(duration.into()),
            _ => unparsed(call, "duration"),
        },
        same @ (Value::DaysDuration(_) | Value::MonthsDuration(_)) => Ok(same.clone()),
        _ => call.refuse("a string"),
    }
}

fn years_and_months_duration(call: &mut Call<'_, '_>) -> CallResult {
    match (calendar_date(call.single(0)), calendar_date(call.single(1))) {
        (Some(from), Some(to)) => Ok(from.months_until(&to).into()),
        _ => call.refuse("two dates"),
    }
}

/// A text, or parts, that stand for nothing in the calendar.
fn unparsed(call: &mut Call<'_, '_>, kind: &str) -> CallResult {
    match call.arguments {
        [Value::String(text)] => call.fail(|| format!("Failed to parse {kind} from '{text}'")),
        _ => call.refuse(&format!("a {kind} that exists")),
    }
}
