//! From the keys that requests name to the instances they are about.

use crate::call::Call;
use std::collections::HashMap;
use tidemill_store::LoadRequest;
use tokio_postgres::Row;

/// Where a request leads: an instance, and the element that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) instance: i64,
    pub(super) element: i64,
}

/// Tables that lead from a key to an element of an instance, with the column of the element.
const TABLES: [(&str, &str); 5] = [
    ("element_instances", "key"),
    ("jobs", "element_instance"),
    ("user_tasks", "element_instance"),
    ("incidents", "element_instance"),
    ("message_subscriptions", "element_instance"),
];
const ELEMENTS: usize = 0;

/// The table and the key that a request must be looked up by.
fn named(request: &LoadRequest) -> Option<(usize, i64)> {
    match request {
        LoadRequest::Element(key)
        | LoadRequest::Children { scope: key, .. }
        | LoadRequest::LoopOutputs { body: key, .. } => Some((ELEMENTS, key.0)),
        LoadRequest::Job(key) => Some((1, key.0)),
        LoadRequest::UserTask(key) => Some((2, key.0)),
        LoadRequest::Incident(key) => Some((3, key.0)),
        LoadRequest::MessageSubscription(key) => Some((4, key.0)),
        _ => None,
    }
}

/// One statement per table that a request names a row of.
pub(super) fn calls(requests: &[LoadRequest]) -> Vec<Call<'static>> {
    let mut keys: [Vec<i64>; TABLES.len()] = Default::default();
    for (table, key) in requests.iter().filter_map(named) {
        keys[table].push(key);
    }
    let named = keys.into_iter().zip(TABLES).filter(|(keys, _)| !keys.is_empty());
    let calls = named.map(|(keys, (table, element))| {
        let sql = by_keys(table, &format!("key, instance_key, {element}"));
        Call::new(sql, [keys.into()])
    });
    calls.collect()
}

/// Keys are unique over all tables, so it does not matter which of them a row is from.
pub(super) fn places(requests: &[LoadRequest], found: &[Vec<Row>]) -> Vec<Option<Place>> {
    let places: HashMap<i64, Place> = found
        .iter()
        .flatten()
        .map(|row| (row.get(0), Place { instance: row.get(1), element: row.get(2) }))
        .collect();
    let place = |request: &LoadRequest| match (request, named(request)) {
        (LoadRequest::Instance(key), _) => Some(Place { instance: key.0, element: key.0 }),
        // A scope that is no element can only be an instance's own.
        (_, Some((ELEMENTS, key))) => {
            Some(places.get(&key).copied().unwrap_or(Place { instance: key, element: key }))
        }
        (_, Some((_, key))) => places.get(&key).copied(),
        (_, None) => None,
    };
    requests.iter().map(place).collect()
}

/// Rows by a list of keys, looked up one by one: a plan for `ANY` that was made while the table was empty would
/// read the whole partition for ever.
pub(super) fn by_keys(table: &str, columns: &str) -> String {
    format!(
        "SELECT x.* FROM unnest($1::bigint[]) k CROSS JOIN LATERAL (SELECT {columns} FROM {table} \
         WHERE partition_id = (k >> 51)::smallint AND key = k OFFSET 0) x"
    )
}

/// Also of numbers that are no key: then no row has it.
pub(super) fn partition_of(key: i64) -> i16 {
    (key >> 51) as i16
}
