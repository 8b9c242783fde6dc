//! Functions that compare the items of lists: finding, telling apart, sorting.

use super::list::{LISTS, afford, joined};
use super::{Builtin, Call, CallResult, builtin, fixed};
use crate::evaluation::machine::Fault;
use crate::number::Number;
use crate::value::{Function, Relation, Text, Value};
use std::collections::HashMap;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("list contains", &[fixed(&["list", "element"])], list_contains),
    builtin("index of", &[fixed(&["list", "match"])], index_of),
    builtin("union", LISTS, union),
    builtin("distinct values", &[fixed(&["list"])], distinct_values),
    builtin("duplicate values", &[fixed(&["list"])], duplicate_values),
    builtin("sort", &[fixed(&["list", "precedes"])], sort),
];

fn list_contains(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    let element = call.arg(1);
    for item in list {
        if same(call, item, element)? {
            return Ok(Value::Boolean(true));
        }
    }
    Ok(Value::Boolean(false))
}

fn index_of(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    let element = call.arg(1);
    let mut positions = Vec::new();
    for (index, item) in list.iter().enumerate() {
        if same(call, item, element)? {
            positions.push(Number::from(index + 1).into());
        }
    }
    Ok(Value::from(positions))
}

/// True if two items are equal, paid for by the smaller one.
fn same(call: &mut Call<'_, '_>, left: &Value, right: &Value) -> Result<bool, Fault> {
    call.charge_reading(left.weight().min(right.weight()))?;
    Ok(Relation::equal(left, right) == Some(true))
}

fn union(call: &mut Call<'_, '_>) -> CallResult {
    let items = joined(call)?;
    let groups = Groups::of(call, &items)?;
    Ok(groups.first_of_each(&items, 1))
}

fn distinct_values(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    afford(call, list.len())?;
    let groups = Groups::of(call, list)?;
    Ok(groups.first_of_each(list, 1))
}

fn duplicate_values(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    afford(call, list.len())?;
    let groups = Groups::of(call, list)?;
    Ok(groups.first_of_each(list, 2))
}

/// Items that have a hash are told apart by it, so that long lists of numbers or strings are cheap.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Text),
}

impl Key {
    fn of(value: &Value) -> Option<Key> {
        Some(match value {
            Value::Null => Key::Null,
            Value::Boolean(value) => Key::Boolean(*value),
            Value::Number(number) => Key::Number(*number),
            Value::String(text) => Key::Text(text.clone()),
            _ => return None,
        })
    }
}

/// Equal items of a list: for each group its first index and its size, in order of the list.
struct Groups(Vec<(usize, usize)>);

impl Groups {
    fn of(call: &mut Call<'_, '_>, items: &[Value]) -> Result<Groups, Fault> {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        let mut hashed: HashMap<Key, usize> = HashMap::new();
        let mut compared: Vec<usize> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let known = match Key::of(item) {
                Some(key) => {
                    call.charge_reading(item.weight())?;
                    let group = *hashed.entry(key).or_insert(groups.len());
                    Some(group).filter(|group| *group < groups.len())
                }
                None => {
                    let mut known = None;
                    for group in &compared {
                        if same(call, item, &items[groups[*group].0])? {
                            known = Some(*group);
                            break;
                        }
                    }
                    if known.is_none() {
                        compared.push(groups.len());
                    }
                    known
                }
            };
            match known {
                Some(group) => groups[group].1 += 1,
                None => groups.push((index, 1)),
            }
        }
        Ok(Groups(groups))
    }

    /// The first item of every group that has at least `count` items.
    fn first_of_each(&self, items: &[Value], count: usize) -> Value {
        let large = self.0.iter().filter(|(_, size)| *size >= count);
        Value::from(large.map(|(index, _)| items[*index].clone()).collect::<Vec<_>>())
    }
}

fn sort(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(list), Value::Function(function)) = (call.list(0), call.arg(1)) else {
        return call.refuse("a list and a function");
    };
    if function.parameters().len() != 2 {
        return call.refuse("a function of two parameters");
    }
    afford(call, list.len())?;
    match merge_sorted(call, list, function)? {
        Some(items) => Ok(items.into()),
        None => call.refuse("a function that gives a boolean"),
    }
}

/// A stable sort that asks `precedes` as seldom as possible; none once it gives no boolean.
/// The recursion halves the list, so it is at most as deep as a length has bits.
fn merge_sorted(
    call: &mut Call<'_, '_>,
    list: &[Value],
    precedes: &Function,
) -> Result<Option<Vec<Value>>, Fault> {
    if list.len() < 2 {
        return Ok(Some(list.to_vec()));
    }
    let (left, right) = list.split_at(list.len() / 2);
    let Some(left) = merge_sorted(call, left, precedes)? else { return Ok(None) };
    let Some(right) = merge_sorted(call, right, precedes)? else { return Ok(None) };
    let mut merged = Vec::with_capacity(list.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        // The right one goes first only if it truly precedes: equal items keep their order.
        let verdict = call.invoke(precedes, vec![second.clone(), first.clone()])?;
        let Some(right_first) = verdict.as_bool() else { return Ok(None) };
        merged.extend(if right_first { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(Some(merged))
}
