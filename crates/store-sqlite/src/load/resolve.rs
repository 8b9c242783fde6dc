//! From the keys that requests name to the instances they are about.

use super::rows::key_list;
use crate::error::Outcome;
use rusqlite::Connection;
use std::collections::HashMap;
use tidemill_store::LoadRequest;

/// Where a request leads: an instance, and the element that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) instance: i64,
    pub(super) element: i64,
}

/// None for requests that are not about an instance, and for keys that nothing live has.
pub(super) fn places(connection: &Connection, requests: &[LoadRequest]) -> Outcome<Vec<Option<Place>>> {
    let keys = |pick: fn(&LoadRequest) -> Option<i64>| requests.iter().filter_map(pick).collect::<Vec<i64>>();
    let elements = lookup(connection, "element_instances", "key", keys(element_key))?;
    let jobs = lookup(connection, "jobs", "element_instance", keys(job_key))?;
    let tasks = lookup(connection, "user_tasks", "element_instance", keys(task_key))?;
    let incidents = lookup(connection, "incidents", "element_instance", keys(incident_key))?;
    let subscriptions =
        lookup(connection, "message_subscriptions", "element_instance", keys(subscription_key))?;
    let place = |request: &LoadRequest| match request {
        LoadRequest::Instance(key) => Some(Place { instance: key.0, element: key.0 }),
        LoadRequest::Job(key) => jobs.get(&key.0).copied(),
        LoadRequest::UserTask(key) => tasks.get(&key.0).copied(),
        LoadRequest::Incident(key) => incidents.get(&key.0).copied(),
        LoadRequest::MessageSubscription(key) => subscriptions.get(&key.0).copied(),
        // A scope that is no element can only be an instance's own.
        request => element_key(request)
            .map(|key| elements.get(&key).copied().unwrap_or(Place { instance: key, element: key })),
    };
    Ok(requests.iter().map(place).collect())
}

fn element_key(request: &LoadRequest) -> Option<i64> {
    match request {
        LoadRequest::Element(key)
        | LoadRequest::Children { scope: key, .. }
        | LoadRequest::LoopOutputs { body: key, .. } => Some(key.0),
        _ => None,
    }
}

fn job_key(request: &LoadRequest) -> Option<i64> {
    if let LoadRequest::Job(key) = request { Some(key.0) } else { None }
}

fn task_key(request: &LoadRequest) -> Option<i64> {
    if let LoadRequest::UserTask(key) = request { Some(key.0) } else { None }
}

fn incident_key(request: &LoadRequest) -> Option<i64> {
    if let LoadRequest::Incident(key) = request { Some(key.0) } else { None }
}

fn subscription_key(request: &LoadRequest) -> Option<i64> {
    if let LoadRequest::MessageSubscription(key) = request { Some(key.0) } else { None }
}

fn lookup(
    connection: &Connection,
    table: &str,
    element_column: &str,
    keys: Vec<i64>,
) -> Outcome<HashMap<i64, Place>> {
    let mut places = HashMap::new();
    if keys.is_empty() {
        return Ok(places);
    }
    let mut statement = connection.prepare_cached(&format!(
        "SELECT key, instance_key, {element_column} FROM {table} WHERE key IN rarray(?1)"
    ))?;
    let mut rows = statement.query([key_list(keys)])?;
    while let Some(row) = rows.next()? {
        places.insert(row.get(0)?, Place { instance: row.get(1)?, element: row.get(2)? });
    }
    Ok(places)
}
