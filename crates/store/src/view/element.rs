//! What an instance consists of: elements, variables, incidents.

use super::{OriginView, Row, state_name};
use tidemill_model::entity::{ElementInstance, Incident, Variable};
use tidemill_model::{
    ElementInstanceKey, IncidentKey, JobKey, ProcessInstanceKey, RawJson, TenantId, Text, Timestamp,
    VariableKey,
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementInstanceView {
    pub key: ElementInstanceKey,
    pub origin: OriginView,
    /// The scope around it.
    pub parent: ElementInstanceKey,
    pub element_id: Text,
    /// `SERVICE_TASK`, ...
    pub kind: Text,
    /// `ACTIVE`, `COMPLETED` or `TERMINATED`.
    pub state: Text,
    pub incident: Option<IncidentKey>,
    /// Its own incident, or one below a call activity.
    pub has_incident: bool,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableView {
    pub key: VariableKey,
    pub instance: ProcessInstanceKey,
    pub root: ProcessInstanceKey,
    pub tenant: TenantId,
    pub scope: ElementInstanceKey,
    pub name: Text,
    pub value: RawJson,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncidentView {
    pub key: IncidentKey,
    pub origin: OriginView,
    pub element_instance: ElementInstanceKey,
    pub element_id: Text,
    pub kind: Text,
    pub message: String,
    pub job: Option<JobKey>,
    pub state: Text,
    pub created_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl ElementInstanceView {
    pub fn of(row: &Row<'_, ElementInstance>) -> ElementInstanceView {
        let entity = row.entity;
        ElementInstanceView {
            key: entity.key,
            origin: row.origin(&entity.origin),
            parent: entity.parent,
            element_id: entity.element_id.clone(),
            kind: entity.kind.name().into(),
            state: state_name(entity.state).into(),
            incident: entity.incident,
            has_incident: entity.incident.is_some() || entity.called_incidents > 0,
            started_at: entity.started_at,
            ended_at: row.ended_at(entity.ended_at, entity.started_at),
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

impl IncidentView {
    pub fn of(row: &Row<'_, Incident>) -> IncidentView {
        let entity = row.entity;
        IncidentView {
            key: entity.key,
            origin: row.origin(&entity.origin),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            kind: entity.kind.name().into(),
            message: entity.message.clone(),
            job: entity.job,
            state: entity.state.name().into(),
            created_at: entity.created_at,
            ended_at: row.ended_at(entity.ended_at, entity.created_at),
        }
    }
}
