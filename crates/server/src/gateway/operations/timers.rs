//! The timers that an instance waits for.

use super::{Operations, answered, number};
use crate::gateway::call::Handled;
use crate::gateway::json::{self, Date, KeyText, optional_key};
use crate::gateway::problem::Problem;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_model::{ElementInstanceKey, Entity, JobKey, Need, PartitionId, ProcessInstanceKey, Text};
use tidemill_store::LIST_ROWS_MAX;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Timers {
    items: Vec<Item>,
    /// False for a very large instance, of which only the timers of its own scope are here.
    is_complete: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    timer_key: KeyText,
    due_date: Date,
    /// Firings left, -1 for ever, null for a timer that fires once.
    repetitions: Option<i32>,
    element_instance_key: Option<KeyText>,
    element_id: Option<Text>,
    /// Of a failed job that waits to be tried again.
    job_key: Option<KeyText>,
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
    let partition = key.partition().unwrap_or(PartitionId::FIRST);
    let loaded = operations.store.load(partition, &[Need::Instance(key)], LIST_ROWS_MAX).await?;
    let loaded = loaded.into_iter().next().unwrap_or_default();
    let timers = loaded.entities.iter().filter_map(|entity| match entity {
        Entity::Timer(timer) => {
            Some(shown(timer, |target| process.as_ref().map(|p| p.element(target).id.clone())))
        }
        _ => None,
    });
    let mut items: Vec<Item> = timers.collect();
    items.sort_by_key(|item| item.due_date.0);
    Ok(json::ok(&Timers { items, is_complete: !loaded.is_large }))
}

fn shown(timer: &Timer, element_id: impl FnOnce(tidemill_model::ElementIndex) -> Option<Text>) -> Item {
    let (element, target, job): (Option<ElementInstanceKey>, _, Option<JobKey>) = match &timer.purpose {
        TimerPurpose::Catch { element_instance, target, .. } => {
            (Some(*element_instance), Some(*target), None)
        }
        TimerPurpose::JobBackoff { job, .. } => (None, None, Some(*job)),
        TimerPurpose::Start { .. } | TimerPurpose::MessageExpiry { .. } => (None, None, None),
    };
    Item {
        timer_key: timer.key.into(),
        due_date: Date(timer.due_at),
        repetitions: timer.repetitions,
        element_instance_key: optional_key(element),
        element_id: target.and_then(element_id),
        job_key: optional_key(job),
    }
}
