//! Element instances, shown with the names that their definitions give them.

mod by_name;
mod names;

use super::Gateway;
use super::call::{Call, Handled};
use super::json::{self, Date, KeyText, optional_key};
use super::problem::Problem;
use super::search;
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::{DefinitionKey, ElementInstanceKey, Text};
use tidemill_store::view::ElementInstanceView;

pub(super) async fn get(call: Call) -> Handled {
    let key: ElementInstanceKey = call.key()?;
    let Some(element) = call.gateway.queries.element_instance(key).await? else {
        return Err(Problem::not_found("Element Instance", key.0));
    };
    let processes = processes(&call.gateway, std::slice::from_ref(&element)).await?;
    Ok(json::ok(&shown(&element, &processes)))
}

pub(super) async fn search(call: Call) -> Handled {
    let tree = call.tree()?;
    let mut search = search::translate(&tree)?;
    names::resolve(&call.gateway, &tree["filter"], &mut search.filter).await?;
    let found = match by_name::is_wanted(&tree) {
        true => by_name::page(&call.gateway, &tree, search).await?,
        false => call.gateway.queries.element_instances(&search).await?,
    };
    let processes = processes(&call.gateway, &found.items).await?;
    Ok(search::shown(found, move |element, items| items.push(&shown(element, &processes))))
}

type Processes = HashMap<DefinitionKey, Option<Arc<Process>>>;

async fn processes(gateway: &Gateway, elements: &[ElementInstanceView]) -> Result<Processes, Problem> {
    let mut processes = Processes::new();
    for element in elements {
        let definition = element.definition;
        if let Entry::Vacant(place) = processes.entry(definition) {
            place.insert(gateway.process(definition).await?);
        }
    }
    Ok(processes)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ElementItem<'a> {
    process_definition_id: &'a str,
    start_date: Date,
    end_date: Option<Date>,
    element_id: &'a str,
    element_name: &'a str,
    r#type: &'a str,
    state: &'a str,
    has_incident: bool,
    tenant_id: &'a str,
    element_instance_key: KeyText,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    process_definition_key: KeyText,
    incident_key: Option<KeyText>,
}

/// The name that the model gives the element, its id where there is none.
fn label<'a>(element: &'a ElementInstanceView, processes: &'a Processes) -> &'a Text {
    let process = processes.get(&element.definition).and_then(Option::as_ref);
    let known = process.and_then(|process| process.element_by_id(&element.element_id));
    known.map_or(&element.element_id, |known| known.label())
}

fn shown<'a>(element: &'a ElementInstanceView, processes: &'a Processes) -> ElementItem<'a> {
    ElementItem {
        process_definition_id: &element.process_id,
        start_date: Date(element.started_at),
        end_date: element.ended_at.map(Date),
        element_id: &element.element_id,
        element_name: label(element, processes),
        r#type: element.kind.name(),
        state: element.state.name(),
        has_incident: element.has_incident,
        tenant_id: element.tenant.as_str(),
        element_instance_key: element.key.into(),
        process_instance_key: element.instance.into(),
        root_process_instance_key: element.root.into(),
        process_definition_key: element.definition.into(),
        incident_key: optional_key(element.incident),
    }
}
