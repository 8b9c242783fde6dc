//! Views of the parts of an instance: elements, variables, incidents.

use super::{Row, error_hash};
use crate::query::plain::FieldValue;
use crate::query::{BRIEF_CHARS_MAX, searchable};
use tidemill_model::entity::{
    ElementInstance, Incident, IncidentKind, IncidentState, InstanceState, Variable,
};
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, ElementKind, IncidentKey, JobKey, ProcessInstanceKey, RawJson,
    TenantId, Text, Timestamp, VariableKey,
};

searchable! {
    ElementInstanceView, ElementInstanceField by Key {
        key: ElementInstanceKey => Key "elementInstanceKey",
        instance: ProcessInstanceKey => ProcessInstance "processInstanceKey",
        root: ProcessInstanceKey,
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        tenant: TenantId => TenantId "tenantId",
        /// The scope around it.
        parent: ElementInstanceKey => Scope "elementInstanceScopeKey",
        element_id: Text => ElementId "elementId",
        kind: ElementKind => Type "type",
        state: InstanceState => State "state",
        incident: Option<IncidentKey> => IncidentKey "incidentKey",
        /// Its own incident, or one below a call activity.
        has_incident: bool => HasIncident "hasIncident",
        started_at: Timestamp => StartDate "startDate",
        ended_at: Option<Timestamp> => EndDate "endDate",
    }
}

impl ElementInstanceView {
    pub fn of(row: &Row<'_, ElementInstance>) -> ElementInstanceView {
        let entity = row.entity;
        ElementInstanceView {
            key: entity.key,
            instance: entity.origin.instance,
            root: entity.origin.root,
            definition: entity.origin.definition,
            process_id: row.process_id(),
            tenant: entity.origin.tenant.clone(),
            parent: entity.parent,
            element_id: entity.element_id.clone(),
            kind: entity.kind,
            state: entity.state.into(),
            incident: entity.incident,
            // The count below is kept by the engine, so that no search has to walk down a tree of calls.
            has_incident: entity.incident.is_some() || entity.incidents_below > 0,
            started_at: entity.started_at,
            ended_at: row.ended_at(entity.ended_at, entity.started_at),
        }
    }
}

searchable! {
    VariableView, VariableField by Key {
        key: VariableKey => Key "variableKey",
        instance: ProcessInstanceKey => ProcessInstance "processInstanceKey",
        root: ProcessInstanceKey,
        tenant: TenantId => TenantId "tenantId",
        scope: ElementInstanceKey => Scope "scopeKey",
        name: Text => Name "name",
        value: RawJson => Value "value",
    }
    computed {
        IsTruncated: Bool "isTruncated" =
            |view, related| FieldValue::Bool(view.value.as_str().chars().count() > BRIEF_CHARS_MAX),
    }
    also {
        /// One character more tells that there is more.
        fn shorten(view: &mut VariableView) {
            if let Some((end, _)) = view.value.as_str().char_indices().nth(BRIEF_CHARS_MAX + 1) {
                view.value = RawJson::new(&view.value.as_str()[..end]);
            }
        }
    }
}

impl VariableView {
    pub fn of(variable: &Variable) -> VariableView {
        VariableView {
            key: variable.key,
            instance: variable.origin.instance,
            root: variable.origin.root,
            tenant: variable.origin.tenant.clone(),
            scope: variable.scope,
            name: variable.name.clone(),
            value: variable.value.clone(),
        }
    }
}

searchable! {
    IncidentView, IncidentField by Key {
        key: IncidentKey => Key "incidentKey",
        instance: ProcessInstanceKey => ProcessInstance "processInstanceKey",
        root: ProcessInstanceKey,
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        tenant: TenantId => TenantId "tenantId",
        element_instance: ElementInstanceKey => ElementInstance "elementInstanceKey",
        element_id: Text => ElementId "elementId",
        kind: IncidentKind => ErrorType "errorType",
        message: String => ErrorMessage "errorMessage",
        job: Option<JobKey> => JobKey "jobKey",
        state: IncidentState => State "state",
        created_at: Timestamp => CreationTime "creationTime",
        ended_at: Option<Timestamp>,
    }
    computed {
        ErrorHash: Int "incidentErrorHashCode" =
            |view, related| FieldValue::Int(i64::from(error_hash(&view.message))),
    }
    also {
        fn instance(view: &IncidentView) -> Option<ProcessInstanceKey> {
            Some(view.instance)
        }

        fn element(view: &IncidentView) -> Option<ElementInstanceKey> {
            Some(view.element_instance)
        }
    }
}

impl IncidentView {
    pub fn of(row: &Row<'_, Incident>) -> IncidentView {
        let entity = row.entity;
        IncidentView {
            key: entity.key,
            instance: entity.origin.instance,
            root: entity.origin.root,
            definition: entity.origin.definition,
            process_id: row.process_id(),
            tenant: entity.origin.tenant.clone(),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            kind: entity.kind,
            message: entity.message.clone(),
            job: entity.job,
            state: entity.state,
            created_at: entity.created_at,
            ended_at: row.ended_at(entity.ended_at, entity.created_at),
        }
    }
}
