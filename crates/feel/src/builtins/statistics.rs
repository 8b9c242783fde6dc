//! Functions that sum up many values: extremes, sums, averages.

use super::{Builtin, Call, CallResult, Signature, builtin, fixed, variadic};
use crate::evaluation::machine::Fault;
use crate::number::Number;
use crate::value::{Relation, Value, shown};
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("count", &[fixed(&["list"])], count),
    builtin("min", ITEMS, |call| extreme(call, Ordering::Less)),
    builtin("max", ITEMS, |call| extreme(call, Ordering::Greater)),
    builtin("sum", ITEMS, |call| over_numbers(call, sum)),
    builtin("product", ITEMS, |call| over_numbers(call, product)),
    builtin("mean", ITEMS, |call| over_numbers(call, mean)),
    builtin("median", ITEMS, |call| over_numbers(call, median)),
    builtin("stddev", ITEMS, |call| over_numbers(call, standard_deviation)),
    builtin("mode", ITEMS, mode),
];

/// One list, or the items one by one.
const ITEMS: &[Signature] = &[fixed(&["list"]), variadic(&["n"])];

fn count(call: &mut Call<'_, '_>) -> CallResult {
    match call.list(0) {
        Some(list) => Ok(Number::from(list.len()).into()),
        None => call.refuse("a list"),
    }
}

fn extreme(call: &mut Call<'_, '_>, wanted: Ordering) -> CallResult {
    let Some(items) = call.items() else { return call.refuse("values to compare") };
    call.charge_steps(items.len())?;
    let Some(mut best) = items.first() else { return Ok(Value::Null) };
    if Relation::order(best, best).is_none() {
        return not_comparable(call, items);
    }
    for item in &items[1..] {
        match Relation::order(item, best) {
            Some(order) if order == wanted => best = item,
            Some(_) => {}
            None => return not_comparable(call, items),
        }
    }
    Ok(best.clone())
}

fn not_comparable(call: &mut Call<'_, '_>, items: &[Value]) -> CallResult {
    call.fail(|| {
        let items: Vec<String> = items.iter().take(20).map(shown).collect();
        format!("[{}] is not comparable", items.join(", "))
    })
}

/// The numbers of the call; none, with a warning, if anything else is among them.
fn numbers(call: &mut Call<'_, '_>) -> Result<Option<Vec<Number>>, Fault> {
    let items = call.items().unwrap_or(&[Value::Null]);
    call.charge_steps(items.len())?;
    call.charge_bytes(size_of_val(items))?;
    let numbers: Option<Vec<Number>> = items.iter().map(Value::as_number).collect();
    if numbers.is_none() {
        let other = items.iter().find(|item| item.as_number().is_none()).unwrap_or(&Value::Null);
        match call.arguments {
            [Value::Null] => call.refuse("numbers")?,
            _ => call.fail(|| format!("expected number but found '{}'", shown(other)))?,
        };
    }
    Ok(numbers)
}

/// A function of at least one number.
fn over_numbers(call: &mut Call<'_, '_>, apply: fn(&mut [Number]) -> Option<Number>) -> CallResult {
    let Some(mut numbers) = numbers(call)? else { return Ok(Value::Null) };
    if numbers.is_empty() {
        return call.refuse("at least one number");
    }
    match apply(&mut numbers) {
        Some(result) => Ok(result.into()),
        None => call.refuse("numbers that the function is defined for"),
    }
}

fn sum(numbers: &mut [Number]) -> Option<Number> {
    numbers.iter().try_fold(Number::ZERO, |total, number| total.checked_add(*number))
}

fn product(numbers: &mut [Number]) -> Option<Number> {
    numbers.iter().try_fold(Number::ONE, |total, number| total.checked_mul(*number))
}

fn mean(numbers: &mut [Number]) -> Option<Number> {
    sum(numbers)?.checked_div(Number::from(numbers.len()))
}

fn median(numbers: &mut [Number]) -> Option<Number> {
    numbers.sort();
    let middle = numbers.len() / 2;
    if numbers.len() % 2 == 1 {
        return Some(numbers[middle]);
    }
    numbers[middle - 1].checked_add(numbers[middle])?.checked_div(Number::integer(2))
}

/// Of a sample, so it needs two numbers.
fn standard_deviation(numbers: &mut [Number]) -> Option<Number> {
    if numbers.len() < 2 {
        return None;
    }
    let mean = mean(numbers)?;
    let squares = numbers.iter().try_fold(Number::ZERO, |total, number| {
        let distance = number.checked_sub(mean)?;
        total.checked_add(distance.checked_mul(distance)?)
    })?;
    squares.checked_div(Number::from(numbers.len() - 1))?.sqrt()
}

/// The most frequent numbers, in ascending order.
fn mode(call: &mut Call<'_, '_>) -> CallResult {
    let Some(mut numbers) = numbers(call)? else { return Ok(Value::Null) };
    numbers.sort();
    let runs: Vec<&[Number]> = numbers.chunk_by(|left, right| left == right).collect();
    let longest = runs.iter().map(|run| run.len()).max().unwrap_or(0);
    let modes = runs.iter().filter(|run| run.len() == longest).map(|run| Value::from(run[0]));
    Ok(modes.collect::<Vec<_>>().into())
}
