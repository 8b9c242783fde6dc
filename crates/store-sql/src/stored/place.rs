//! From the keys that needs name to the instances they are about.

use super::Table;
use std::collections::HashMap;
use tidemill_model::{EntityKind, Need};

/// Where a need leads: an instance, and the element that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub instance: i64,
    pub element: i64,
}

/// The kind and the key of the row that leads to the instance of a need.
pub fn named(need: &Need) -> Option<(EntityKind, i64)> {
    match need {
        // All three name an element, whose row tells the instance. A need for an instance names it directly.
        Need::Element(key) | Need::Children { scope: key, .. } | Need::LoopOutputs(key) => {
            Some((EntityKind::ElementInstance, key.0))
        }
        Need::InstanceOf(kind, key) => Some((*kind, key.0)),
        _ => None,
    }
}

/// The columns from which places are read: key, instance, element. None for what belongs to no instance.
pub fn place_columns(table: &Table) -> Option<[&'static str; 3]> {
    // A row without an element column stands for itself: an element is its own element.
    Some(["key", table.instance_column()?, table.element_column().unwrap_or("key")])
}

/// None for needs that are not about an instance, and for keys that nothing live has. Keys are unique over all tables, so
/// it does not matter which of them a row was found in.
pub fn place_of(need: &Need, found: &HashMap<i64, Place>) -> Option<Place> {
    match (need, named(need)) {
        (Need::Instance(key), _) => Some(Place { instance: key.0, element: key.0 }),
        // A scope that is no element can only be an instance's own.
        (_, Some((EntityKind::ElementInstance, key))) => {
            Some(found.get(&key).copied().unwrap_or(Place { instance: key, element: key }))
        }
        (_, Some((_, key))) => found.get(&key).copied(),
        (_, None) => None,
    }
}
