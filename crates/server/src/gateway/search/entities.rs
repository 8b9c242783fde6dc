//! Filters of each entity beyond the plain fields of a store.

use super::filter::{Conditions, Searchable, tests};
use serde_json::Value as Json;
use tidemill_store::query::{
    Condition, CorrelationField, ElementInstanceField, FieldKind, IncidentField, JobField,
    MessageSubscriptionField, ProcessDefinitionField, ProcessInstanceField, ResourceField, Test,
    UserTaskField, VariableField, VariableScope,
};

impl Searchable for ProcessDefinitionField {}
impl Searchable for VariableField {}
impl Searchable for IncidentField {}
impl Searchable for CorrelationField {}
impl Searchable for ResourceField {}

impl Searchable for ProcessInstanceField {
    fn special(name: &str, given: &Json, conditions: &mut Conditions<'_, Self>) -> bool {
        match name {
            "variables" => variables(VariableScope::Anywhere, given, conditions),
            // Batch operations do not exist, so no instance belongs to one.
            "batchOperationId" | "batchOperationKey" => conditions.null(FieldKind::Text, name, given),
            "elementId" | "elementInstanceState" | "hasElementInstanceIncident" => element(name, conditions),
            "errorMessage" | "incidentErrorHashCode" => incident(name, conditions),
            "hasRetriesLeft" => {
                let test = Test::eq(given.as_bool().unwrap_or_default());
                conditions.add(Condition::HasJob(vec![(JobField::HasFailedWithRetriesLeft, test)]));
            }
            _ => return false,
        }
        true
    }
}

/// The tests of these members must hold for one and the same element, so the first member that is there takes
/// the others along.
fn element(name: &str, conditions: &mut Conditions<'_, ProcessInstanceField>) {
    let members = [
        ("elementId", ElementInstanceField::ElementId, FieldKind::Text),
        ("elementInstanceState", ElementInstanceField::State, FieldKind::Text),
        ("hasElementInstanceIncident", ElementInstanceField::HasIncident, FieldKind::Bool),
    ];
    if let Some(tests) = together(name, &members, conditions) {
        conditions.add(Condition::HasElement(tests));
    }
}

fn incident(name: &str, conditions: &mut Conditions<'_, ProcessInstanceField>) {
    let members = [
        ("errorMessage", IncidentField::ErrorMessage, FieldKind::Text),
        ("incidentErrorHashCode", IncidentField::ErrorHash, FieldKind::Int),
    ];
    if let Some(mut tests) = together(name, &members, conditions) {
        tests.push((IncidentField::State, Test::eq("ACTIVE")));
        conditions.add(Condition::HasIncident(tests));
    }
}

fn together<F: Copy>(
    name: &str,
    members: &[(&str, F, FieldKind)],
    conditions: &mut Conditions<'_, ProcessInstanceField>,
) -> Option<Vec<(F, Test)>> {
    let is_given = |member: &str| conditions.members.get(member).is_some_and(|given| !given.is_null());
    let first = members.iter().find(|(member, ..)| is_given(member));
    if first.is_none_or(|(member, ..)| *member != name) {
        return None;
    }
    let mut all = Vec::new();
    for (member, field, kind) in members {
        all.extend(conditions.tests(member, *kind).into_iter().map(|test| (*field, test)));
    }
    Some(all)
}

fn variables<F: Searchable>(scope: VariableScope, given: &Json, conditions: &mut Conditions<'_, F>) {
    for variable in given.as_array().into_iter().flatten() {
        let name = variable["name"].as_str().filter(|name| !name.is_empty());
        if name.is_none() {
            conditions.findings.add("Variable name must not be null");
        }
        let given = &variable["value"];
        if given.is_null() || given.as_object().is_some_and(|tests| tests.values().all(Json::is_null)) {
            conditions.findings.add("Variable value must not be null");
        }
        let Some(name) = name else { continue };
        let value = tests("value", FieldKind::Text, &variable["value"], conditions.findings);
        conditions.add(Condition::HasVariable { scope, name: name.into(), value });
    }
}

impl Searchable for ElementInstanceField {
    fn special(name: &str, given: &Json, conditions: &mut Conditions<'_, Self>) -> bool {
        modelled(name, &["elementName"], given, conditions)
    }
}

impl Searchable for JobField {
    fn special(name: &str, given: &Json, conditions: &mut Conditions<'_, Self>) -> bool {
        match name {
            "listenerEventType" => conditions.text("UNSPECIFIED", name, given),
            "deniedReason" => conditions.null(FieldKind::Text, name, given),
            "isDenied" => conditions.null(FieldKind::Bool, name, given),
            _ => return false,
        }
        true
    }
}

impl Searchable for UserTaskField {
    fn special(name: &str, given: &Json, conditions: &mut Conditions<'_, Self>) -> bool {
        match name {
            "processInstanceVariables" => variables(VariableScope::Instance, given, conditions),
            "localVariables" => variables(VariableScope::Local, given, conditions),
            _ => return false,
        }
        true
    }
}

impl Searchable for MessageSubscriptionField {
    fn special(name: &str, given: &Json, conditions: &mut Conditions<'_, Self>) -> bool {
        modelled(name, &["toolName", "inboundConnectorType"], given, conditions)
    }
}

/// Members that stand in the definitions, not in the rows: the search resolves them to ids of elements afterwards
/// (`gateway/modelled`). Only the rules for tests are looked at here.
fn modelled<F: Searchable>(
    name: &str,
    members: &[&str],
    given: &Json,
    conditions: &mut Conditions<'_, F>,
) -> bool {
    let is_known = members.contains(&name);
    if is_known {
        tests(name, FieldKind::Text, given, conditions.findings);
    }
    is_known
}
