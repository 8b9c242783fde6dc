//! Functions about truth, presence and identity.

use super::{Builtin, Call, CallResult, builtin, fixed, optional, variadic};
use crate::error::{EvaluationError, WarningKind};
use crate::expression::Dialect;
use crate::value::{Relation, Value};

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("not", &[fixed(&["negand"])], not),
    builtin("is defined", &[fixed(&["value"])], is_defined),
    builtin("get or else", &[fixed(&["value", "default"])], get_or_else),
    builtin("assert", &[optional(&["value", "condition"], &["cause"])], assert),
    builtin("is", &[fixed(&["value1", "value2"])], is),
    builtin("all", ITEMS, all),
    builtin("and", ITEMS, all),
    builtin("any", ITEMS, any),
    builtin("or", ITEMS, any),
    builtin("fromAi", &[optional(&["value"], &["description", "type", "schema", "options"])], first)
        .only(Dialect::Camunda),
];

/// One list, or the items one by one.
const ITEMS: &[super::Signature] = &[fixed(&["list"]), variadic(&["b"])];

fn not(call: &mut Call<'_, '_>) -> CallResult {
    match call.boolean(0) {
        Some(value) => Ok(Value::Boolean(!value)),
        None => call.refuse("a boolean"),
    }
}

fn is_defined(call: &mut Call<'_, '_>) -> CallResult {
    Ok(Value::Boolean(!call.arg(0).is_null()))
}

fn get_or_else(call: &mut Call<'_, '_>) -> CallResult {
    let value = call.arg(0);
    Ok(if value.is_null() { call.arg(1).clone() } else { value.clone() })
}

fn assert(call: &mut Call<'_, '_>) -> CallResult {
    if call.boolean(1) == Some(true) {
        return Ok(call.arg(0).clone());
    }
    let message = call.string(2).unwrap_or("The condition is not fulfilled").to_owned();
    call.machine.warn(WarningKind::AssertFailure, || message.clone());
    Err(EvaluationError::AssertionFailed { message, warnings: Vec::new() }.into())
}

fn first(call: &mut Call<'_, '_>) -> CallResult {
    Ok(call.arg(0).clone())
}

/// True if two values are the same in every part: like `=`, but an offset is not a zone.
fn is(call: &mut Call<'_, '_>) -> CallResult {
    let (left, right) = (call.arg(0), call.arg(1));
    call.charge_reading(left.weight().min(right.weight()))?;
    Ok(Value::Boolean(identical(left, right)))
}

fn identical(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Time(left), Value::Time(right)) => left == right,
        (Value::DateTime(left), Value::DateTime(right)) => left == right,
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| identical(left, right))
        }
        _ => Relation::equal(left, right) == Some(true),
    }
}

/// False if any item is false, else null if any is no boolean, else true.
fn all(call: &mut Call<'_, '_>) -> CallResult {
    decide(call, false)
}

/// True if any item is true, else null if any is no boolean, else false.
fn any(call: &mut Call<'_, '_>) -> CallResult {
    decide(call, true)
}

fn decide(call: &mut Call<'_, '_>, decisive: bool) -> CallResult {
    let Some(items) = call.items() else { return call.refuse("booleans") };
    call.charge_steps(items.len())?;
    if items.iter().any(|item| item.as_bool() == Some(decisive)) {
        return Ok(Value::Boolean(decisive));
    }
    if items.iter().all(|item| item.as_bool().is_some()) {
        return Ok(Value::Boolean(!decisive));
    }
    if items.iter().all(|item| item.is_null() || item.as_bool().is_some()) {
        return Ok(Value::Null);
    }
    call.refuse("booleans")
}
