//! Process definitions: look at them, download them, count what they do.

use super::call::{Call, Handled};
use super::findings::Findings;
use super::json::{self, KeyText};
use super::listing;
use super::problem::Problem;
use super::process_instances::shown_statistics;
use super::search;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::Value as Json;
use tidemill_model::{DefinitionKey, TenantId, Text};
use tidemill_store::query::{Condition, Field, FieldKind, ProcessDefinitionField, Search, Test, Value};
use tidemill_store::view::ProcessDefinitionView;

pub(super) async fn search(call: Call) -> Handled {
    let tree = call.tree()?;
    let search: Search<ProcessDefinitionField> = search::translate(&tree)?;
    check_latest_only(&search, &tree["page"])?;
    let found = call.gateway.queries.process_definitions(&search).await?;
    Ok(search::shown(found, |item, items| items.push(&shown(item))))
}

/// A search for latest versions can be paged forward and sorted by what names a process.
fn check_latest_only(search: &Search<ProcessDefinitionField>, page: &Json) -> Result<(), Problem> {
    let latest = Condition::Is(ProcessDefinitionField::IsLatestVersion, Test::eq(true));
    if !search.filter.all.contains(&latest) {
        return Ok(());
    }
    let mut findings = Findings::default();
    if let Some(member) = ["before", "from"].into_iter().find(|member| !page[member].is_null()) {
        findings.add(format!(
            "When using isLatestVersion filter, pagination is limited to forward pagination using 'after' and 'limit'. \
             The field '{member}' is not supported"
        ));
    }
    for sort in &search.sort {
        if !matches!(sort.field, ProcessDefinitionField::ProcessId | ProcessDefinitionField::TenantId) {
            findings.add(format!(
                "When using isLatestVersion filter, sorting is limited to 'processDefinitionId' and 'tenantId' fields \
                 only. The field '{}' is not supported",
                sort.field.name()
            ));
        }
    }
    findings.finish()
}

pub(super) async fn get(call: Call) -> Handled {
    let key: DefinitionKey = call.key()?;
    let Some(definition) = call.gateway.definitions.definition(key).await? else {
        return Err(not_found(key));
    };
    Ok(json::ok(&DefinitionItem {
        name: definition.name.as_ref(),
        resource_name: &definition.resource_name,
        version: definition.version,
        version_tag: definition.version_tag.as_ref(),
        process_definition_id: &definition.process_id,
        tenant_id: definition.tenant.as_str(),
        process_definition_key: key.into(),
        has_start_form: definition.has_start_form,
        state: definition.state.name(),
    }))
}

pub(super) fn not_found(key: DefinitionKey) -> Problem {
    Problem::not_found("Process Definition", key.0)
}

/// For what only the file of a definition knows.
pub(super) fn unreadable(key: DefinitionKey) -> Problem {
    Problem::internal(format!(
        "Expected to read process definition '{key}', but this version of Tidemill cannot. The log tells why; start the \
         version that deployed it, or a newer one"
    ))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DefinitionItem<'a> {
    name: Option<&'a Text>,
    resource_name: &'a str,
    version: i32,
    version_tag: Option<&'a Text>,
    process_definition_id: &'a str,
    tenant_id: &'a str,
    process_definition_key: KeyText,
    has_start_form: bool,
    state: &'a str,
}

fn shown(definition: &ProcessDefinitionView) -> DefinitionItem<'_> {
    DefinitionItem {
        name: definition.name.as_ref(),
        resource_name: &definition.resource_name,
        version: definition.version,
        version_tag: definition.version_tag.as_ref(),
        process_definition_id: &definition.process_id,
        tenant_id: definition.tenant.as_str(),
        process_definition_key: definition.key.into(),
        has_start_form: definition.has_start_form,
        state: definition.state.name(),
    }
}

pub(super) async fn xml(call: Call) -> Handled {
    let key: DefinitionKey = call.key()?;
    let Some(xml) = call.gateway.definitions.definition_xml(key).await? else { return Err(not_found(key)) };
    let media_type = HeaderValue::from_static("text/xml");
    Ok(([(header::CONTENT_TYPE, media_type)], xml.as_bytes().to_vec()).into_response())
}

pub(super) async fn element_statistics(call: Call) -> Handled {
    let key = call.key()?;
    let tree = call.tree()?;
    let search = search::translate(&tree)?;
    let mut statistics = call.gateway.queries.definition_statistics(key, &search.filter).await?;
    // A filter by element chooses instances, and of their elements those that it names.
    let mut findings = Findings::default();
    let named = search::tests("elementId", FieldKind::Text, &tree["filter"]["elementId"], &mut findings);
    findings.finish()?;
    statistics.retain(|counts| search::passes(Some(&counts.element_id.as_str().into()), &named));
    Ok(shown_statistics(&statistics))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProcessItem {
    process_definition_id: Text,
    tenant_id: TenantId,
    latest_process_definition_name: Option<Text>,
    has_multiple_versions: bool,
    active_instances_without_incident_count: u64,
    active_instances_with_incident_count: u64,
}

pub(super) async fn instance_statistics(call: Call) -> Handled {
    let tree = call.tree()?;
    let mut processes = call.gateway.queries.process_statistics().await?;
    let bounds = listing::arrange(&tree, &mut processes, |process, field| match field {
        "activeInstancesWithIncidentCount" => Value::Int(process.active_with_incident as i64),
        "activeInstancesWithoutIncidentCount" => Value::Int(process.active_without_incident as i64),
        _ => Value::Text(process.process_id.clone()),
    })?;
    let items = processes.into_iter().map(|process| ProcessItem {
        process_definition_id: process.process_id,
        tenant_id: process.tenant,
        latest_process_definition_name: process.latest_name,
        has_multiple_versions: process.has_multiple_versions,
        active_instances_without_incident_count: process.active_without_incident,
        active_instances_with_incident_count: process.active_with_incident,
    });
    Ok(search::shown_list(items.collect(), bounds, |item, items| items.push(item)))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VersionItem {
    process_definition_id: Text,
    process_definition_key: KeyText,
    process_definition_name: Option<Text>,
    tenant_id: TenantId,
    process_definition_version: i32,
    active_instances_with_incident_count: u64,
    active_instances_without_incident_count: u64,
}

pub(super) async fn version_statistics(call: Call) -> Handled {
    let tree = call.tree()?;
    let (process_id, tenant) = version_filter(&tree["filter"])?;
    let mut versions = call.gateway.queries.version_statistics(tenant.as_ref(), process_id).await?;
    let bounds = listing::arrange(&tree, &mut versions, |version, field| match field {
        "processDefinitionKey" => Value::Int(version.definition.0),
        "processDefinitionName" => Value::Text(version.name.clone().unwrap_or_default()),
        "processDefinitionVersion" => Value::Int(version.version.into()),
        "activeInstancesWithIncidentCount" => Value::Int(version.active_with_incident as i64),
        "activeInstancesWithoutIncidentCount" => Value::Int(version.active_without_incident as i64),
        _ => Value::Text(version.process_id.clone()),
    })?;
    let items = versions.into_iter().map(|version| VersionItem {
        process_definition_id: version.process_id,
        process_definition_key: version.definition.into(),
        process_definition_name: version.name,
        tenant_id: version.tenant,
        process_definition_version: version.version,
        active_instances_with_incident_count: version.active_with_incident,
        active_instances_without_incident_count: version.active_without_incident,
    });
    Ok(search::shown_list(items.collect(), bounds, |item, items| items.push(item)))
}

fn version_filter(filter: &Json) -> Result<(&str, Option<TenantId>), Problem> {
    if filter.is_null() {
        return Err(Problem::invalid_argument("No filter provided."));
    }
    match filter["processDefinitionId"].as_str() {
        Some(id) => Ok((id, filter["tenantId"].as_str().map(|tenant| TenantId(tenant.into())))),
        None => Err(Problem::invalid_argument("No filter.processDefinitionId provided.")),
    }
}
