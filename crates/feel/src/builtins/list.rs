//! Functions that build lists from lists by position. Positions count from 1, negative ones from the end.

use super::{Builtin, Call, CallResult, builtin, fixed, variadic};
use crate::evaluation::machine::Fault;
use crate::expression::Dialect;
use crate::value::{Function, List, Value};

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("sublist", SUBLIST, sublist),
    builtin("append", &[variadic(&["list", "item"]), fixed(&["list", "items"])], append),
    builtin("concatenate", LISTS, concatenate),
    builtin("insert before", &[fixed(&["list", "position", "newItem"])], insert_before),
    builtin("remove", &[fixed(&["list", "position"])], remove),
    builtin("list replace", LIST_REPLACE, list_replace),
    builtin("reverse", &[fixed(&["list"])], reverse),
    builtin("flatten", &[fixed(&["list"])], flatten),
    builtin("partition", &[fixed(&["list", "size"])], partition),
    builtin("is empty", &[fixed(&["list"])], is_empty),
];

const SUBLIST: &[super::Signature] = &[
    fixed(&["list", "start position"]),
    fixed(&["list", "start position", "length"]),
    fixed(&["list", "start"]),
    fixed(&["list", "start", "length"]),
];

const LIST_REPLACE: &[super::Signature] =
    &[fixed(&["list", "position", "newItem"]), fixed(&["list", "match", "newItem"])];

/// Lists one by one or, by name, as one list of lists.
pub(super) const LISTS: &[super::Signature] = &[variadic(&["list"]), fixed(&["lists"])];

/// Pays for a list of so many items.
pub(super) fn afford(call: &mut Call<'_, '_>, count: usize) -> Result<(), Fault> {
    call.charge_steps(count)?;
    call.ensure_bytes((count * size_of::<Value>()) as u64)
}

/// The index of a position; none if it lies outside of the list.
fn index(position: i64, count: usize) -> Option<usize> {
    let index = if position > 0 { position - 1 } else { position + count as i64 };
    usize::try_from(index).ok().filter(|index| position != 0 && *index < count)
}

fn sublist(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(list), Some(start)) = (call.list(0), call.integer(1)) else {
        return call.refuse("a list and a start position");
    };
    let length = match (call.arguments.len(), call.integer(2)) {
        (2, _) => list.len(),
        (_, Some(length)) if length >= 0 => usize::try_from(length).unwrap_or(usize::MAX),
        _ => return call.refuse("a length that is not negative"),
    };
    let Some(from) = index(start, list.len()) else {
        if call.dialect() == Dialect::Camunda && start != 0 {
            return Ok(Vec::new().into());
        }
        return call.refuse("a start position within the list");
    };
    let to = from.saturating_add(length).min(list.len());
    afford(call, to - from)?;
    Ok(list[from..to].to_vec().into())
}

fn append(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    let items = match (call.signature, call.arg(1)) {
        (1, Value::List(items)) => items,
        _ => &call.arguments[1..],
    };
    afford(call, list.len() + items.len())?;
    Ok([list, items].concat().into())
}

/// The items of lists one after the other; what is no list counts as its own item.
pub(super) fn joined(call: &mut Call<'_, '_>) -> Result<Vec<Value>, Fault> {
    let lists = match (call.signature, call.arg(0)) {
        (1, Value::List(lists)) => lists,
        _ => call.arguments,
    };
    let parts: Vec<&[Value]> = lists
        .iter()
        .map(|argument| match argument {
            Value::List(list) => list,
            other => std::slice::from_ref(other),
        })
        .collect();
    afford(call, parts.iter().map(|part| part.len()).sum())?;
    Ok(parts.concat())
}

fn concatenate(call: &mut Call<'_, '_>) -> CallResult {
    Ok(joined(call)?.into())
}

fn insert_before(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(list), Some(position)) = (call.list(0), call.integer(1)) else {
        return call.refuse("a list and a position");
    };
    let at = match index(position, list.len()) {
        Some(at) => at,
        None if call.dialect() == Dialect::Standard || position == 0 => {
            return call.refuse("a position within the list");
        }
        None if position > 0 => list.len(),
        None => 0,
    };
    afford(call, list.len() + 1)?;
    let mut items = list.to_vec();
    items.insert(at, call.arg(2).clone());
    Ok(items.into())
}

fn remove(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(list), Some(position)) = (call.list(0), call.integer(1)) else {
        return call.refuse("a list and a position");
    };
    let at = match index(position, list.len()) {
        Some(at) => at,
        None if call.dialect() == Dialect::Camunda && position != 0 => return Ok(call.arg(0).clone()),
        None => return call.refuse("a position within the list"),
    };
    afford(call, list.len())?;
    let mut items = list.to_vec();
    items.remove(at);
    Ok(items.into())
}

fn list_replace(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    if let Value::Function(function) = call.arg(1) {
        return replace_matching(call, list, function);
    }
    let Some(at) = call.integer(1).and_then(|position| index(position, list.len())) else {
        return call.refuse("a position within the list, or a function");
    };
    afford(call, list.len())?;
    let mut items = list.to_vec();
    items[at] = call.arg(2).clone();
    Ok(items.into())
}

/// Replaces the items for which the function of the old and the new item is true.
fn replace_matching(call: &mut Call<'_, '_>, list: &[Value], function: &Function) -> CallResult {
    if function.parameters().len() != 2 {
        return call.refuse("a function of two parameters");
    }
    let new_item = call.arg(2);
    let mut items = Vec::with_capacity(list.len());
    for item in list {
        let matched = call.invoke(function, vec![item.clone(), new_item.clone()])?;
        match matched.as_bool() {
            Some(true) => items.push(new_item.clone()),
            Some(false) => items.push(item.clone()),
            None => return call.refuse("a function that gives a boolean"),
        }
    }
    Ok(items.into())
}

fn reverse(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    afford(call, list.len())?;
    Ok(list.iter().rev().cloned().collect::<List>().into())
}

fn flatten(call: &mut Call<'_, '_>) -> CallResult {
    let Some(list) = call.list(0) else { return call.refuse("a list") };
    // Shared lists may unfold to far more items than they take room.
    call.charge_reading(call.arg(0).weight())?;
    call.ensure_bytes(call.arg(0).weight())?;
    let mut items = Vec::new();
    collect_items(list, &mut items);
    Ok(items.into())
}

fn collect_items(list: &[Value], items: &mut Vec<Value>) {
    for item in list {
        match item {
            Value::List(inner) => collect_items(inner, items),
            other => items.push(other.clone()),
        }
    }
}

fn partition(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(list), Some(size)) = (call.list(0), call.integer(1)) else {
        return call.refuse("a list and a size");
    };
    let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
        return call.refuse("a size above zero");
    };
    // Each part is a list of its own.
    afford(call, list.len() + 2 * list.len().div_ceil(size))?;
    let parts = list.chunks(size).map(|part| Value::from(part.to_vec()));
    Ok(parts.collect::<Vec<_>>().into())
}

fn is_empty(call: &mut Call<'_, '_>) -> CallResult {
    match call.list(0) {
        Some(list) => Ok(list.is_empty().into()),
        None => call.refuse("a list"),
    }
}
