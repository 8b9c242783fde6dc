//! Functions on numbers.

use super::{Builtin, Call, CallResult, Signature, builtin, fixed};
use crate::expression::Dialect;
use crate::number::{Number, Rounding};
use crate::temporal;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("abs", &[fixed(&["n"]), fixed(&["number"])], abs).only(Dialect::Camunda),
    builtin("abs", &[fixed(&["n"])], abs).only(Dialect::Standard),
    builtin("decimal", SCALED, decimal),
    builtin("floor", MAYBE_SCALED, |call| scale_or_whole(call, Rounding::Floor)),
    builtin("ceiling", MAYBE_SCALED, |call| scale_or_whole(call, Rounding::Ceiling)),
    builtin("round up", SCALED, |call| round(call, Rounding::Up)).only(Dialect::Standard),
    builtin("round up", MAYBE_SCALED, |call| scale_or_whole(call, Rounding::Up)).only(Dialect::Camunda),
    builtin("round down", SCALED, |call| round(call, Rounding::Down)).only(Dialect::Standard),
    builtin("round down", MAYBE_SCALED, |call| scale_or_whole(call, Rounding::Down)).only(Dialect::Camunda),
    builtin("round half up", SCALED, |call| round(call, Rounding::HalfUp)).only(Dialect::Standard),
    builtin("round half up", MAYBE_SCALED, |call| scale_or_whole(call, Rounding::HalfUp))
        .only(Dialect::Camunda),
    builtin("round half down", SCALED, |call| round(call, Rounding::HalfDown)).only(Dialect::Standard),
    builtin("round half down", MAYBE_SCALED, |call| scale_or_whole(call, Rounding::HalfDown))
        .only(Dialect::Camunda),
    builtin("modulo", &[fixed(&["dividend", "divisor"])], modulo),
    builtin("sqrt", NUMBER, |call| real(call, Number::sqrt)),
    builtin("log", NUMBER, |call| real(call, Number::ln)),
    builtin("exp", NUMBER, |call| real(call, Number::exp)),
    builtin("odd", NUMBER, |call| parity(call, 1)),
    builtin("even", NUMBER, |call| parity(call, 0)),
    builtin("random number", &[fixed(&[])], random_number),
];

const NUMBER: &[Signature] = &[fixed(&["number"])];
const SCALED: &[Signature] = &[fixed(&["n", "scale"])];
const MAYBE_SCALED: &[Signature] = &[fixed(&["n"]), fixed(&["n", "scale"])];

/// The scales that a number of 34 digits can have.
const SCALE_MIN: i64 = -6111;
const SCALE_MAX: i64 = 6176;

fn abs(call: &mut Call<'_, '_>) -> CallResult {
    let value = call.single(0);
    let negative = match value {
        Value::Number(number) => return Ok(number.abs().into()),
        Value::DaysDuration(duration) => duration.is_negative(),
        Value::MonthsDuration(duration) => duration.is_negative(),
        _ => return call.refuse("a number or a duration"),
    };
    match negative {
        true => Ok(temporal::negate(value).into()),
        false => Ok(value.clone()),
    }
}

fn decimal(call: &mut Call<'_, '_>) -> CallResult {
    round(call, Rounding::HalfEven)
}

fn scale_or_whole(call: &mut Call<'_, '_>, mode: Rounding) -> CallResult {
    if call.signature == 1 {
        return round(call, mode);
    }
    match call.number(0) {
        Some(number) => Ok(number.rounded(0, mode).into()),
        None => call.refuse("a number"),
    }
}

fn round(call: &mut Call<'_, '_>, mode: Rounding) -> CallResult {
    let (Some(number), Some(scale)) = (call.number(0), call.integer(1)) else {
        return call.refuse("a number and a scale");
    };
    if !(SCALE_MIN..=SCALE_MAX).contains(&scale) {
        return call.refuse("a scale from -6111 to 6176");
    }
    Ok(number.rounded(scale as i32, mode).into())
}

fn modulo(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(dividend), Some(divisor)) = (call.number(0), call.number(1)) else {
        return call.refuse("two numbers");
    };
    match dividend.modulo(divisor) {
        Some(rest) => Ok(rest.into()),
        None => call.refuse("a divisor other than zero"),
    }
}

fn real(call: &mut Call<'_, '_>, function: fn(Number) -> Option<Number>) -> CallResult {
    let Some(number) = call.number(0) else { return call.refuse("a number") };
    call.charge_steps(16)?;
    match function(number) {
        Some(result) => Ok(result.into()),
        None => call.refuse("a number that the function is defined for"),
    }
}

fn parity(call: &mut Call<'_, '_>, rest: i64) -> CallResult {
    let Some(number) = call.number(0) else { return call.refuse("a number") };
    Ok((number.modulo(Number::integer(2)) == Some(Number::integer(rest))).into())
}

fn random_number(call: &mut Call<'_, '_>) -> CallResult {
    // The upper 53 bits are as many as a double can tell apart.
    let fraction = (call.random() >> 11) as f64 / (1u64 << 53) as f64;
    Ok(Number::from_f64(fraction).into())
}
