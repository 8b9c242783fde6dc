//! Functions on numbers, and `count`.

use super::{Builtin, Call, CallResult, builtin, fixed, variadic};
use crate::number::Number;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("count", &[fixed(&["list"])], count),
    builtin("string length", &[fixed(&["string"])], string_length),
    builtin("sum", &[fixed(&["list"]), variadic(&["n"])], sum),
];

fn count(call: &mut Call<'_, '_>) -> CallResult {
    match call.arg(0) {
        Value::List(list) => Ok(Number::from(list.len()).into()),
        Value::Null => call.refuse("a list"),
        _ => Ok(Number::ONE.into()),
    }
}

fn string_length(call: &mut Call<'_, '_>) -> CallResult {
    match call.string(0) {
        Some(text) => Ok(Number::from(text.chars().count()).into()),
        None => call.refuse("a string"),
    }
}

fn sum(call: &mut Call<'_, '_>) -> CallResult {
    let items = match call.arguments {
        [Value::List(list)] => list.to_vec(),
        items => items.to_vec(),
    };
    call.charge_steps(items.len())?;
    let mut numbers = items.iter().map(Value::as_number);
    let Some(Some(first)) = numbers.next() else { return call.refuse("numbers") };
    match numbers.try_fold(first, |total, number| total.add(number?)) {
        Some(total) => Ok(total.into()),
        None => call.refuse("numbers"),
    }
}
