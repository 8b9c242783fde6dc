//! Process instances: start, cancel, delete, look at.

mod create;
mod unique;

pub(super) use create::{business_id, create};
pub(super) use unique::check_assignment;

use super::call::{Call, Handled, done};
use super::findings::Findings;
use super::json::{self, Date, KeyText, optional_key};
use super::problem::Problem;
use super::process_definitions;
use super::search;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidemill_model::command::{AssignBusinessId, CancelInstance, DeleteInstance};
use tidemill_model::{Command, ProcessInstanceKey, Text};
use tidemill_store::view::{ElementStatistics, ProcessInstanceView};

/// The body of commands that need none.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Reference {
    operation_reference: Option<i64>,
}

/// Reads and checks such a body.
pub(super) fn check_reference(call: &Call) -> Result<(), Problem> {
    let mut findings = Findings::default();
    findings.operation_reference(call.body::<Reference>()?.unwrap_or_default().operation_reference);
    findings.finish()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BusinessIdAssignment {
    business_id: Option<String>,
}

pub(super) async fn assign_business_id(call: Call) -> Handled {
    let instance = call.key()?;
    let request: BusinessIdAssignment = call.required_body()?;
    let mut findings = Findings::default();
    let given = findings.required("businessId", request.business_id.filter(|id| !id.is_empty()));
    let business_id = business_id(Some(given), &mut findings).unwrap_or_default();
    findings.finish()?;
    check_assignment(&call, instance).await?;
    let command = AssignBusinessId { instance, business_id };
    call.submit(Command::AssignBusinessId(command), done).await
}

pub(super) async fn cancel(call: Call) -> Handled {
    let instance = call.key()?;
    check_reference(&call)?;
    call.submit(Command::CancelInstance(CancelInstance { instance }), done).await
}

pub(super) async fn delete(call: Call) -> Handled {
    let instance: ProcessInstanceKey = call.key()?;
    check_reference(&call)?;
    let outcome = call.submit(Command::DeleteInstance(DeleteInstance { instance }), done).await;
    // Clients know this refusal as that of a read.
    outcome.map_err(|problem| match problem.status() {
        StatusCode::NOT_FOUND => Problem::not_found("Process Instance", instance.0),
        _ => problem,
    })
}

pub(super) async fn get(call: Call) -> Handled {
    let key: ProcessInstanceKey = call.key()?;
    match call.gateway.queries.process_instance(key).await? {
        Some(instance) => Ok(json::ok(&shown(&instance))),
        None => Err(Problem::not_found("Process Instance", key.0)),
    }
}

pub(super) async fn search(call: Call) -> Handled {
    let found = call.gateway.queries.process_instances(&search::requested(&call)?).await?;
    Ok(search::shown(found, |item, items| items.push(&shown(item))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstanceItem<'a> {
    process_definition_id: &'a str,
    process_definition_name: Option<&'a Text>,
    process_definition_version: i32,
    process_definition_version_tag: Option<&'a Text>,
    start_date: Date,
    end_date: Option<Date>,
    state: &'a str,
    suspended_date: Option<Date>,
    has_incident: bool,
    tenant_id: &'a str,
    process_instance_key: KeyText,
    process_definition_key: KeyText,
    parent_process_instance_key: Option<KeyText>,
    parent_element_instance_key: Option<KeyText>,
    root_process_instance_key: KeyText,
    tags: &'a [Text],
    business_id: Option<&'a Text>,
}

fn shown(instance: &ProcessInstanceView) -> InstanceItem<'_> {
    InstanceItem {
        process_definition_id: &instance.process_id,
        process_definition_name: instance.process_name.as_ref(),
        process_definition_version: instance.version,
        process_definition_version_tag: instance.version_tag.as_ref(),
        start_date: Date(instance.started_at),
        end_date: instance.ended_at.map(Date),
        state: instance.state.name(),
        suspended_date: None,
        has_incident: instance.has_incident,
        tenant_id: instance.tenant.as_str(),
        process_instance_key: instance.key.into(),
        process_definition_key: instance.definition.into(),
        parent_process_instance_key: optional_key(instance.parent_instance),
        parent_element_instance_key: optional_key(instance.parent_element),
        root_process_instance_key: instance.root.into(),
        tags: &instance.tags,
        business_id: instance.business_id.as_ref(),
    }
}

#[derive(Serialize)]
struct Items<T> {
    items: Vec<T>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlowItem<'a> {
    sequence_flow_id: String,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    process_definition_key: KeyText,
    process_definition_id: &'a str,
    element_id: Text,
    tenant_id: &'a str,
}

pub(super) async fn sequence_flows(call: Call) -> Handled {
    let key: ProcessInstanceKey = call.key()?;
    let Some(taken) = call.gateway.queries.flows_taken(key).await? else {
        return Ok(json::ok(&Items::<()> { items: Vec::new() }));
    };
    // Only the file of the definition knows the names of flows. An empty list would say that none was taken.
    let Some(process) = call.gateway.process(taken.definition).await? else {
        return Err(process_definitions::unreadable(taken.definition));
    };
    let flow_id = |flow| process.flow(flow).id.clone();
    let items = taken.flows.iter().map(flow_id).map(|id| FlowItem {
        sequence_flow_id: format!("{}_{id}", taken.instance),
        process_instance_key: taken.instance.into(),
        root_process_instance_key: taken.root.into(),
        process_definition_key: taken.definition.into(),
        process_definition_id: &taken.process_id,
        element_id: id,
        tenant_id: taken.tenant.as_str(),
    });
    Ok(json::ok(&Items { items: items.collect() }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatisticsItem<'a> {
    element_id: &'a str,
    active: u64,
    canceled: u64,
    incidents: u64,
    completed: u64,
}

pub(super) async fn element_statistics(call: Call) -> Handled {
    Ok(shown_statistics(&call.gateway.queries.instance_statistics(call.key()?).await?))
}

pub(super) fn shown_statistics(statistics: &[ElementStatistics]) -> axum::response::Response {
    let items = statistics.iter().map(|counts| StatisticsItem {
        element_id: &counts.element_id,
        active: counts.active,
        canceled: counts.canceled,
        incidents: counts.incidents,
        completed: counts.completed,
    });
    json::ok(&Items { items: items.collect() })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallItem<'a> {
    process_instance_key: KeyText,
    process_definition_key: KeyText,
    process_definition_name: &'a str,
}

pub(super) async fn call_hierarchy(call: Call) -> Handled {
    let key: ProcessInstanceKey = call.key()?;
    let Some(calls) = call.gateway.queries.call_hierarchy(key).await? else {
        return Err(Problem::not_found("Process Instance", key.0));
    };
    let items = calls.iter().map(|entry| CallItem {
        process_instance_key: entry.instance.into(),
        process_definition_key: entry.definition.into(),
        process_definition_name: entry.process_name.as_ref().unwrap_or(&entry.process_id),
    });
    Ok(json::ok(&items.collect::<Vec<_>>()))
}
