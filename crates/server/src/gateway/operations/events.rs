//! The events of an instance, the oldest first.

use super::{Operations, answered, number};
use crate::gateway::call::Handled;
use crate::gateway::json::{self, Date};
use crate::gateway::problem::Problem;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use tidemill_bpmn::Catch;
use tidemill_model::{ProcessInstanceKey, Text};
use tidemill_store::Event;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    items: Vec<Item>,
    /// The number of the last event that was executed.
    cursor: String,
    /// False for a very large instance, of which the oldest rows of each kind are here.
    is_complete: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    number: String,
    #[serde(rename = "type")]
    kind: &'static str,
    date: Date,
    /// Of what it is about.
    key: String,
    element_id: Option<Text>,
    detail: Option<Text>,
}

pub(super) async fn of_instance(
    State(operations): State<Operations>,
    path: Path<String>,
    uri: Uri,
) -> Response {
    answered(found(&operations, &path).await, &uri)
}

async fn found(operations: &Operations, key: &str) -> Handled {
    let key = ProcessInstanceKey(number("processInstanceKey", key)?);
    let Some(instance) = operations.gateway.queries.process_instance(key).await? else {
        return Err(Problem::not_found("Process Instance", key.0));
    };
    let process = operations.gateway.process(instance.definition).await?;
    let is_timer = move |id: &Text| {
        let element = process.as_ref().and_then(|process| process.element_by_id(id));
        element.and_then(|element| element.catch()).is_some_and(|catch| matches!(catch, Catch::Timer(_)))
    };
    let events = tidemill_store::events(&*operations.store, &instance, &is_timer).await?;
    let items: Vec<Item> = (1..).zip(events.items).map(|(nth, event)| shown(nth, event)).collect();
    let cursor = items.last().map(|item| item.number.clone()).unwrap_or_default();
    Ok(json::ok(&Shown { items, cursor, is_complete: events.is_complete }))
}

fn shown(nth: usize, event: Event) -> Item {
    Item {
        number: nth.to_string(),
        kind: event.kind.name(),
        date: Date(event.at),
        key: event.key.to_string(),
        element_id: event.element_id,
        detail: event.detail,
    }
}
