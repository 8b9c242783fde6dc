//! Operators, order and properties where a value is temporal: the bridge between `Value` and these types.

use super::{DateTime, DaysDuration, MonthsDuration, Property, Temporal};
use crate::number::{Number, Rounding};
use crate::value::Value;
use std::cmp::Ordering;

/// The operators that dates, times and durations take part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// `left op right` where at least one side is temporal; none where FEEL does not define it.
pub(crate) fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Option<Value> {
    match operator {
        Operator::Add => add(left, right).or_else(|| add(right, left)),
        Operator::Subtract => subtract(left, right),
        Operator::Multiply => multiply(left, right).or_else(|| multiply(right, left)),
        Operator::Divide => divide(left, right),
    }
}

fn add(left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::DaysDuration(a), Value::DaysDuration(b)) => a.checked_add(*b).map(Value::from),
        (Value::MonthsDuration(a), Value::MonthsDuration(b)) => a.checked_add(*b).map(Value::from),
        (Value::Date(date), Value::MonthsDuration(months)) => date.add_months(*months).map(Value::from),
        (Value::Date(date), Value::DaysDuration(days)) => date.add_days(*days).map(Value::from),
        (Value::DateTime(at), Value::MonthsDuration(months)) => at.add_months(*months).map(Value::from),
        (Value::DateTime(at), Value::DaysDuration(days)) => at.add_days(*days).map(Value::from),
        (Value::Time(time), Value::DaysDuration(days)) => Some(time.add(*days).into()),
        _ => None,
    }
}

fn subtract(left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (_, Value::DaysDuration(_) | Value::MonthsDuration(_)) => add(left, &negate(right)?),
        (Value::Time(a), Value::Time(b)) => a.since(b).map(Value::from),
        (Value::Date(a), Value::Date(b)) => Some(a.days_since(b).into()),
        _ => moment(left)?.since(&moment(right)?).map(Value::from),
    }
}

/// A date-time, or the start of a date.
fn moment(value: &Value) -> Option<DateTime> {
    match value {
        Value::DateTime(at) => Some((**at).clone()),
        Value::Date(date) => Some(date.at_utc_midnight()),
        _ => None,
    }
}

fn multiply(left: &Value, right: &Value) -> Option<Value> {
    let Value::Number(factor) = right else { return None };
    match left {
        Value::DaysDuration(days) => nanos(total_nanos(*days)?.checked_mul(*factor)?),
        Value::MonthsDuration(months) => {
            whole_months(Number::integer(months.total_months()).checked_mul(*factor)?)
        }
        _ => None,
    }
}

fn divide(left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::DaysDuration(days), Value::Number(divisor)) => {
            nanos(total_nanos(*days)?.checked_div(*divisor)?)
        }
        (Value::MonthsDuration(months), Value::Number(divisor)) => {
            whole_months(Number::integer(months.total_months()).checked_div(*divisor)?)
        }
        (Value::DaysDuration(a), Value::DaysDuration(b)) => {
            total_nanos(*a)?.checked_div(total_nanos(*b)?).map(Value::from)
        }
        (Value::MonthsDuration(a), Value::MonthsDuration(b)) => {
            Number::integer(a.total_months()).checked_div(b.total_months().into()).map(Value::from)
        }
        _ => None,
    }
}

fn total_nanos(duration: DaysDuration) -> Option<Number> {
    Number::decimal(duration.total_nanos(), 0)
}

fn nanos(total: Number) -> Option<Value> {
    let whole = total.rounded(0, Rounding::HalfEven)?.to_i128()?;
    DaysDuration::from_nanos(whole).map(Value::from)
}

/// A part of a month is cut off.
fn whole_months(total: Number) -> Option<Value> {
    total.trunc_i64().map(|months| MonthsDuration::from_months(months).into())
}

/// `-duration`.
pub(crate) fn negate(value: &Value) -> Option<Value> {
    match value {
        Value::DaysDuration(days) => days.checked_neg().map(Value::from),
        Value::MonthsDuration(months) => months.checked_neg().map(Value::from),
        _ => None,
    }
}

/// Order of two temporal values of one type.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => a.compare(b),
        (Value::DateTime(a), Value::DateTime(b)) => a.compare(b),
        (Value::DaysDuration(a), Value::DaysDuration(b)) => Some(a.cmp(b)),
        (Value::MonthsDuration(a), Value::MonthsDuration(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// Equality of two temporal values of one type; none for different types.
pub(crate) fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        // A local and a zoned value are never equal, though they have no order.
        (Value::Time(a), Value::Time(b)) => Some(a.compare(b) == Some(Ordering::Equal)),
        (Value::DateTime(a), Value::DateTime(b)) => Some(a.compare(b) == Some(Ordering::Equal)),
        _ => compare(left, right).map(|order| order == Ordering::Equal),
    }
}

/// The date, time or duration that `@"text"` stands for.
pub(crate) fn literal(text: &str) -> Option<Value> {
    Temporal::parse(text).map(|temporal| match temporal {
        Temporal::Date(date) => date.into(),
        Temporal::Time(time) => time.into(),
        Temporal::DateTime(at) => at.into(),
        Temporal::Days(duration) => duration.into(),
        Temporal::Months(duration) => duration.into(),
    })
}

/// `value.name` of a temporal value.
pub(crate) fn property(value: &Value, name: &str) -> Option<Value> {
    let property = match value {
        Value::Date(date) => date.property(name),
        Value::Time(time) => time.property(name),
        Value::DateTime(at) => at.property(name),
        Value::DaysDuration(duration) => duration.property(name),
        Value::MonthsDuration(duration) => duration.property(name),
        _ => None,
    };
    property.map(|property| match property {
        Property::Null => Value::Null,
        Property::Number(number) => number.into(),
        Property::Duration(duration) => duration.into(),
        Property::Text(text) => text.into(),
    })
}
