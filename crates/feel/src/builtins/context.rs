//! Functions on contexts.

use super::{Builtin, Call, CallResult, Signature, builtin, fixed, variadic};
use crate::error::EvaluationError;
use crate::evaluation::machine::Fault;
use crate::expression::Dialect;
use crate::value::{Context, ContextBuilder, VALUE_DEPTH_MAX, Value};

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("get value", GET_VALUE, get_value),
    builtin("get entries", &[fixed(&["context"]), fixed(&["m"])], get_entries),
    builtin("context", &[fixed(&["entries"])], context),
    builtin("context put", CONTEXT_PUT, context_put),
    builtin("put", CONTEXT_PUT, context_put).only(Dialect::Camunda),
    builtin("context merge", CONTEXT_MERGE, context_merge),
    builtin("put all", CONTEXT_MERGE, context_merge).only(Dialect::Camunda),
];

const GET_VALUE: &[Signature] =
    &[fixed(&["m", "key"]), fixed(&["context", "key"]), fixed(&["context", "keys"])];
const CONTEXT_PUT: &[Signature] =
    &[fixed(&["context", "keys", "value"]), fixed(&["context", "key", "value"])];
const CONTEXT_MERGE: &[Signature] = &[fixed(&["contexts"]), variadic(&["contexts"])];

/// The value under a key, or under a path of keys.
fn get_value(call: &mut Call<'_, '_>) -> CallResult {
    let Some(context) = call.context(0) else { return call.refuse("a context") };
    let keys = match path(call.arg(1)) {
        Some(keys) if !keys.is_empty() => keys,
        _ => return call.refuse("a key, or a list of keys"),
    };
    call.charge_steps(keys.len())?;
    let mut value = context.get(keys[0]);
    for key in &keys[1..] {
        value = value.and_then(Value::as_context).and_then(|context| context.get(key));
    }
    Ok(value.cloned().into())
}

/// One key or a list of keys, all of them strings.
fn path(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(key) => Some(vec![key]),
        Value::List(keys) => keys.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn get_entries(call: &mut Call<'_, '_>) -> CallResult {
    let Some(context) = call.context(0) else { return call.refuse("a context") };
    super::list::afford(call, 4 * context.len())?;
    let entries = context.iter().map(|(key, value)| {
        Value::from(Context::from_iter([("key", Value::from(key.clone())), ("value", value.clone())]))
    });
    Ok(entries.collect::<Vec<_>>().into())
}

/// A context from `{key, value}` entries.
fn context(call: &mut Call<'_, '_>) -> CallResult {
    let Some(entries) = call.list(0) else { return call.refuse("a list of entries") };
    super::list::afford(call, 2 * entries.len())?;
    let mut builder = ContextBuilder::default();
    for entry in entries {
        let entry = entry.as_context();
        let key = entry.and_then(|entry| entry.get("key")).and_then(Value::as_str);
        let (Some(key), Some(value)) = (key, entry.and_then(|entry| entry.get("value"))) else {
            return call.refuse("entries with a key and a value");
        };
        if call.dialect() == Dialect::Standard && builder.get(key).is_some() {
            return call.refuse("entries with different keys");
        }
        builder.put(key, value.clone());
    }
    Ok(builder.build().into())
}

fn context_put(call: &mut Call<'_, '_>) -> CallResult {
    let Some(context) = call.context(0) else { return call.refuse("a context") };
    // Only who names the parameter `key` is held to it; by position, a list of keys is as good.
    let named_key = call.signature == 1;
    if named_key && call.dialect() == Dialect::Standard && call.arg(1).as_str().is_none() {
        return call.refuse("a string as key");
    }
    let keys = match path(call.arg(1)) {
        Some(keys) if !keys.is_empty() => keys,
        _ => return call.refuse("a key, or a list of keys"),
    };
    match put(call, context, &keys)? {
        Some(changed) => Ok(changed.into()),
        None => call.refuse("keys that lead to contexts"),
    }
}

/// The context with the value put at the end of the path. On the way Camunda makes contexts where there are
/// none; in the standard they must be there.
fn put(call: &mut Call<'_, '_>, context: &Context, keys: &[&str]) -> Result<Option<Context>, Fault> {
    // Checked before anything is built: a value that is too deep could not even be dropped safely.
    if keys.len() as u64 + u64::from(call.arg(2).depth()) > u64::from(VALUE_DEPTH_MAX) {
        return Err(EvaluationError::DepthExceeded { depth_max: VALUE_DEPTH_MAX }.into());
    }
    // From the outside in: the contexts along the path, then from the inside out: their changed copies.
    let mut along = vec![context.clone()];
    for key in &keys[..keys.len() - 1] {
        let outer = along.last().expect("it starts with one");
        match outer.get(key) {
            Some(Value::Context(inner)) => {
                let inner = inner.clone();
                along.push(inner);
            }
            _ if call.dialect() == Dialect::Camunda => along.push(Context::empty()),
            _ => return Ok(None),
        }
    }
    let entries = along.iter().map(Context::len).sum::<usize>() + keys.len();
    super::list::afford(call, 2 * entries)?;
    let mut value = call.arg(2).clone();
    for (outer, key) in along.iter().zip(keys).rev() {
        let mut builder = outer.to_builder();
        builder.put(*key, value);
        value = builder.build().into();
    }
    Ok(value.as_context().cloned())
}

fn context_merge(call: &mut Call<'_, '_>) -> CallResult {
    let Some(items) = call.items() else { return call.refuse("contexts") };
    let contexts: Option<Vec<&Context>> = items.iter().map(Value::as_context).collect();
    let Some(contexts) = contexts else { return call.refuse("contexts") };
    super::list::afford(call, 2 * contexts.iter().map(|context| context.len()).sum::<usize>())?;
    let mut builder = ContextBuilder::default();
    for (key, value) in contexts.into_iter().flat_map(Context::iter) {
        builder.put(key.clone(), value.clone());
    }
    Ok(builder.build().into())
}
