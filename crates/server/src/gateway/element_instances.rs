//! Element instances, shown with the names that their definitions give them.

use super::call::{Call, Handled};
use super::json::{self, Date, KeyText, optional_key};
use super::modelled::{self, Modelled, Models};
use super::problem::Problem;
use super::search;
use serde::Serialize;
use tidemill_bpmn::Element;
use tidemill_model::{DefinitionKey, ElementInstanceKey, Text};
use tidemill_store::query::{ElementInstanceField as Field, Query, Results, Search, Value};
use tidemill_store::view::ElementInstanceView;

pub(super) async fn get(call: Call) -> Handled {
    let key: ElementInstanceKey = call.key()?;
    let Some(element) = call.gateway.queries.element_instance(key).await? else {
        return Err(Problem::not_found("Element Instance", key.0));
    };
    let models = Models::of::<Field>(&call.gateway, std::slice::from_ref(&element)).await?;
    Ok(json::ok(&shown(&element, &models)))
}

pub(super) async fn search(call: Call) -> Handled {
    let (found, models) = modelled::search::<Field>(&call.gateway, &call.tree()?).await?;
    Ok(search::shown(found, move |element, items| items.push(&shown(element, &models))))
}

/// Comes before every other number, as nulls do.
const NULL: Value = Value::Int(i64::MIN);

impl Modelled for Field {
    const MEMBERS: &'static [&'static str] = &["elementName"];
    const DEFINITION: Field = Field::DefinitionKey;
    const ELEMENT_ID: Field = Field::ElementId;

    fn fact<'e>(element: &'e Element, _: &str) -> Option<&'e str> {
        Some(element.label())
    }

    fn has_rows(_: &Element) -> bool {
        true
    }

    fn definition(view: &ElementInstanceView) -> DefinitionKey {
        view.definition
    }

    fn element_id(view: &ElementInstanceView) -> &str {
        &view.element_id
    }

    fn row_key(view: &ElementInstanceView) -> i64 {
        view.key.0
    }

    fn stored(element: &ElementInstanceView, field: &str) -> Value {
        match field {
            "elementId" => Value::Text(element.element_id.clone()),
            "processDefinitionId" => Value::Text(element.process_id.clone()),
            "tenantId" => Value::Text(element.tenant.0.clone()),
            "type" => Value::Text(element.kind.name().into()),
            "state" => Value::Text(element.state.name().into()),
            "processInstanceKey" => Value::Int(element.instance.0),
            "processDefinitionKey" => Value::Int(element.definition.0),
            "startDate" => Value::Int(element.started_at.0),
            "endDate" => element.ended_at.map_or(NULL, |time| Value::Int(time.0)),
            "incidentKey" => element.incident.map_or(NULL, |key| Value::Int(key.0)),
            _ => Value::Int(element.key.0),
        }
    }

    async fn find(
        queries: &dyn Query,
        search: &Search<Field>,
    ) -> tidemill_store::Result<Results<ElementInstanceView>> {
        queries.element_instances(search).await
    }
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
fn label<'a>(element: &'a ElementInstanceView, models: &'a Models) -> &'a Text {
    models.element::<Field>(element).map_or(&element.element_id, |known| known.label())
}

fn shown<'a>(element: &'a ElementInstanceView, models: &'a Models) -> ElementItem<'a> {
    ElementItem {
        process_definition_id: &element.process_id,
        start_date: Date(element.started_at),
        end_date: element.ended_at.map(Date),
        element_id: &element.element_id,
        element_name: label(element, models),
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
