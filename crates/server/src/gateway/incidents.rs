//! Incidents: resolve them, look at them.

use super::super::broker::CommandError;
use super::call::{Call, Handled, done};
use super::json::{self, Date, KeyText, optional_key};
use super::listing;
use super::problem::Problem;
use super::process_instances::check_reference;
use super::search;
use serde::Serialize;
use tidemill_model::command::{ResolveIncident, UpdateJob};
use tidemill_model::{Command, ElementInstanceKey, IncidentKey, ProcessInstanceKey};
use tidemill_store::query::{Condition, Filter, IncidentField, Page, PageStart, Search, Test, Value};
use tidemill_store::view::IncidentView;

pub(super) async fn resolve(call: Call) -> Handled {
    let incident = call.key()?;
    check_reference(&call)?;
    call.submit(Command::ResolveIncident(ResolveIncident { incident }), done).await
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Resolution {
    batch_operation_key: KeyText,
    batch_operation_type: &'static str,
}

/// Every incident of the instance and of those it called, as an operator would: failed jobs get one more try first. Camunda
/// does this as a batch operation, one after the other too; incidents that come up meanwhile are left alone.
pub(super) async fn resolve_of_instance(call: Call) -> Handled {
    let key: ProcessInstanceKey = call.key()?;
    if call.gateway.queries.process_instance(key).await?.is_none() {
        return Err(Problem::not_found("Process Instance", key.0));
    }
    let filter = Filter::default().is(IncidentField::State, Test::eq("ACTIVE"));
    let filter = filter.and(Condition::WithinInstance(key));
    let mut incidents = Vec::new();
    let mut page = Page { limit: 1000, start: PageStart::Offset(0) };
    loop {
        let found = call.gateway.queries.incidents(&Search::of(filter.clone()).page(page.clone())).await?;
        let is_last = found.items.len() < page.limit as usize;
        incidents.extend(found.items.into_iter().map(|incident| (incident.key, incident.job)));
        match found.end_cursor {
            Some(cursor) if !is_last => page.start = PageStart::After(cursor),
            _ => break,
        }
    }
    for (incident, job) in incidents {
        if let Some(job) = job {
            let (timeout_ms, priority, lease) = (None, None, None);
            let update = UpdateJob { job, retries: Some(1), timeout_ms, priority, lease };
            one_of_many(&call, Command::UpdateJob(update)).await?;
        }
        one_of_many(&call, Command::ResolveIncident(ResolveIncident { incident })).await?;
    }
    Ok(json::ok(&Resolution { batch_operation_key: key.into(), batch_operation_type: "RESOLVE_INCIDENT" }))
}

/// Resolves one of several incidents. A rejection is ignored: somebody else may have resolved this one meanwhile, and the others
/// must be resolved all the same.
async fn one_of_many(call: &Call, command: Command) -> Result<(), Problem> {
    let (options, intent) = (call.options_of_part(), command.intent());
    match call.gateway.broker.execute(command, options?).await {
        Ok(_) | Err(CommandError::Rejected(_)) => Ok(()),
        Err(error) => Err(Problem::command(intent, error)),
    }
}

pub(super) async fn get(call: Call) -> Handled {
    let key: IncidentKey = call.key()?;
    match call.gateway.queries.incident(key).await? {
        Some(incident) => Ok(json::ok(&shown(&incident))),
        None => Err(Problem::not_found("Incident", key.0)),
    }
}

pub(super) async fn search(call: Call) -> Handled {
    let search = search::requested(&call)?;
    found(&call, &search).await
}

/// Of the instance and of those it called.
pub(super) async fn of_instance(call: Call) -> Handled {
    let key: ProcessInstanceKey = call.key()?;
    let mut search: Search<IncidentField> = search::requested(&call)?;
    if call.gateway.queries.process_instance(key).await?.is_none() {
        return Err(Problem::not_found("Process Instance", key.0));
    }
    search.filter = search.filter.and(Condition::WithinInstance(key));
    found(&call, &search).await
}

/// Of the element and of everything inside or called from it.
pub(super) async fn of_element(call: Call) -> Handled {
    let key: ElementInstanceKey = call.key()?;
    let mut search: Search<IncidentField> = search::requested(&call)?;
    if call.gateway.queries.element_instance(key).await?.is_none() {
        return Err(Problem::not_found("Element Instance", key.0));
    }
    search.filter = search.filter.and(Condition::WithinElement(key));
    found(&call, &search).await
}

async fn found(call: &Call, search: &Search<IncidentField>) -> Handled {
    let found = call.gateway.queries.incidents(search).await?;
    Ok(search::shown(found, |item, items| items.push(&shown(item))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IncidentItem<'a> {
    process_definition_id: &'a str,
    error_type: &'a str,
    error_message: &'a str,
    element_id: &'a str,
    creation_time: Date,
    state: &'a str,
    tenant_id: &'a str,
    incident_key: KeyText,
    process_definition_key: KeyText,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    element_instance_key: KeyText,
    job_key: Option<KeyText>,
}

fn shown(incident: &IncidentView) -> IncidentItem<'_> {
    IncidentItem {
        process_definition_id: &incident.process_id,
        error_type: incident.kind.name(),
        error_message: &incident.message,
        element_id: &incident.element_id,
        creation_time: Date(incident.created_at),
        state: incident.state.name(),
        tenant_id: incident.tenant.as_str(),
        incident_key: incident.key.into(),
        process_definition_key: incident.definition.into(),
        process_instance_key: incident.instance.into(),
        root_process_instance_key: incident.root.into(),
        element_instance_key: incident.element_instance.into(),
        job_key: optional_key(incident.job),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorItem {
    error_hash_code: i32,
    error_message: String,
    active_instances_with_error_count: u64,
}

pub(super) async fn error_statistics(call: Call) -> Handled {
    let tree = call.tree()?;
    let mut errors = call.gateway.queries.error_statistics().await?;
    let bounds = listing::arrange(&tree, &mut errors, |error, field| match field {
        "errorMessage" => Value::Text(error.message.as_str().into()),
        _ => Value::Int(error.active_instances as i64),
    })?;
    let items = errors.into_iter().map(|error| ErrorItem {
        error_hash_code: error.hash,
        error_message: error.message,
        active_instances_with_error_count: error.active_instances,
    });
    Ok(search::shown_list(items.collect(), bounds, |item, items| items.push(item)))
}
