//! A filter tells which rows can pass it.

use tidemill_model::{ElementInstanceKey, ProcessInstanceKey};
use tidemill_store::query::{Condition, Field, Filter, JobField, Test, Value};

/// The values that a field must have, where the filter names them.
pub(super) fn values_of<'f, F: Field>(filter: &'f Filter<F>, name: &str) -> Option<Vec<&'f Value>> {
    filter.all.iter().find_map(|condition| match condition {
        Condition::Is(field, Test::Eq(value)) if field.name() == name => Some(vec![value]),
        Condition::Is(field, Test::In(values)) if field.name() == name && !values.is_empty() => {
            Some(values.iter().collect())
        }
        _ => None,
    })
}

pub(super) fn keys_of<F: Field>(filter: &Filter<F>, name: &str) -> Option<Vec<i64>> {
    let values = values_of(filter, name)?;
    Some(
        values
            .into_iter()
            .filter_map(|value| if let Value::Int(key) = value { Some(*key) } else { None })
            .collect(),
    )
}

pub(super) fn texts_of<'f, F: Field>(filter: &'f Filter<F>, name: &str) -> Option<Vec<&'f str>> {
    let values = values_of(filter, name)?;
    let text = |value: &'f Value| if let Value::Text(text) = value { Some(text.as_str()) } else { None };
    Some(values.into_iter().filter_map(text).collect())
}

pub(super) enum Within {
    Instance(ProcessInstanceKey),
    Element(ElementInstanceKey),
}

/// The tree of calls that rows must belong to.
pub(super) fn within<F>(filter: &Filter<F>) -> Option<Within> {
    filter.all.iter().find_map(|condition| match condition {
        Condition::WithinInstance(key) => Some(Within::Instance(*key)),
        Condition::WithinElement(key) => Some(Within::Element(*key)),
        _ => None,
    })
}

/// True if instances must be looked at together with those that called them.
pub(super) fn needs_tree<F>(filter: &Filter<F>) -> bool {
    filter.all.iter().any(|condition| match condition {
        Condition::WithinInstance(_) | Condition::WithinElement(_) => true,
        Condition::Any(filters) => filters.iter().any(needs_tree),
        _ => false,
    })
}

/// True if leases of jobs matter.
pub(super) fn is_about_jobs<F: Field>(filter: &Filter<F>) -> bool {
    let asks = |condition: &Condition<F>| match condition {
        Condition::HasJob(_) => true,
        Condition::Any(filters) => filters.iter().any(is_about_jobs),
        _ => false,
    };
    F::key().name() == JobField::key().name() || filter.all.iter().any(asks)
}

/// The conditions that a row answers by itself.
pub(super) fn without_related<F: Field>(filter: &Filter<F>) -> Filter<F> {
    let is_own = |condition: &&Condition<F>| match condition {
        Condition::Is(..) => true,
        Condition::Any(filters) => filters.iter().all(|filter| filter.related() == 0),
        _ => false,
    };
    Filter { all: filter.all.iter().filter(is_own).cloned().collect() }
}
