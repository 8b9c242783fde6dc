//! Equality and order between values, as FEEL defines them: an answer, or none where types do not compare.

use super::{Bound, Context, Function, List, Range, Value};
use crate::temporal;
use std::cmp::Ordering;
use std::sync::Arc;

pub(crate) struct Relation;

impl Relation {
    /// `=`: null equals null alone; different types give none, except against null.
    pub(crate) fn equal(left: &Value, right: &Value) -> Option<bool> {
        match (left, right) {
            (Value::Null, Value::Null) => Some(true),
            (Value::Null, _) | (_, Value::Null) => Some(false),
            (Value::Boolean(left), Value::Boolean(right)) => Some(left == right),
            (Value::Number(left), Value::Number(right)) => Some(left == right),
            (Value::String(left), Value::String(right)) => Some(left == right),
            (Value::List(left), Value::List(right)) => Some(equal_lists(left, right)),
            (Value::Context(left), Value::Context(right)) => Some(equal_contexts(left, right)),
            (Value::Range(left), Value::Range(right)) => Some(equal_ranges(left, right)),
            (Value::Function(left), Value::Function(right)) => Some(same_function(left, right)),
            _ => temporal::equal(left, right),
        }
    }

    /// `<` and its kin: none for null and for types that have no order or differ.
    pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
            (Value::String(left), Value::String(right)) => Some(left.as_str().cmp(right.as_str())),
            _ => temporal::compare(left, right),
        }
    }
}

fn equal_lists(left: &List, right: &List) -> bool {
    left.len() == right.len()
        && left.iter().zip(right.iter()).all(|(left, right)| Relation::equal(left, right) == Some(true))
}

fn equal_contexts(left: &Context, right: &Context) -> bool {
    left.len() == right.len()
        && left.iter().all(|(key, value)| {
            right.get(key).is_some_and(|other| Relation::equal(value, other) == Some(true))
        })
}

fn equal_ranges(left: &Range, right: &Range) -> bool {
    let equal = |left: &Bound, right: &Bound| match (left, right) {
        (Bound::Unbounded, Bound::Unbounded) => true,
        (Bound::Unbounded, Bound::Open(end)) | (Bound::Open(end), Bound::Unbounded) => end.is_null(),
        (Bound::Closed(left), Bound::Closed(right)) | (Bound::Open(left), Bound::Open(right)) => {
            Relation::equal(left, right) == Some(true)
        }
        _ => false,
    };
    equal(&left.start, &right.start) && equal(&left.end, &right.end)
}

fn same_function(left: &Function, right: &Function) -> bool {
    match (left, right) {
        (Function::Builtin(left), Function::Builtin(right)) => std::ptr::eq(*left, *right),
        (Function::User(left), Function::User(right)) => Arc::ptr_eq(left, right),
        _ => false,
    }
}

/// Rust's equality is for tests and callers: FEEL's, with "cannot be compared" as unequal.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        Relation::equal(self, other) == Some(true)
    }
}
