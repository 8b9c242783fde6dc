//! Process instances as they are shown.

use super::Row;
use tidemill_model::entity::{FlowSet, Lifecycle, ProcessInstance};
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId, Text, Timestamp};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessInstanceView {
    pub key: ProcessInstanceKey,
    pub root: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub process_name: Option<Text>,
    pub version: i32,
    pub version_tag: Option<Text>,
    pub tenant: TenantId,
    pub parent_instance: Option<ProcessInstanceKey>,
    pub parent_element: Option<ElementInstanceKey>,
    /// `ACTIVE`, `COMPLETED` or `TERMINATED`.
    pub state: Text,
    pub has_incident: bool,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub business_id: Option<Text>,
    pub tags: Vec<Text>,
}

/// The sequence flows of an instance; their ids stand in the definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowsTaken {
    pub instance: ProcessInstanceKey,
    pub root: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub tenant: TenantId,
    pub flows: FlowSet,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallHierarchyEntry {
    pub instance: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub process_name: Option<Text>,
    pub tenant: TenantId,
}

impl ProcessInstanceView {
    pub fn of(row: &Row<'_, ProcessInstance>) -> ProcessInstanceView {
        let Row { entity, definition, .. } = row;
        ProcessInstanceView {
            key: entity.key,
            root: entity.root,
            definition: entity.definition,
            process_id: row.process_id(),
            process_name: row.process_name(),
            version: row.version(),
            version_tag: definition.and_then(|definition| definition.version_tag.clone()),
            tenant: entity.tenant.clone(),
            parent_instance: entity.parent.map(|parent| parent.instance),
            parent_element: entity.parent.map(|parent| parent.element),
            state: state_name(entity.state).into(),
            has_incident: entity.incidents > 0,
            started_at: entity.started_at,
            ended_at: row.ended_at(entity.ended_at, entity.started_at),
            business_id: entity.business_id.clone(),
            tags: entity.tags.clone(),
        }
    }
}

/// The three states that the API knows of instances and elements.
pub fn state_name(state: Lifecycle) -> &'static str {
    match state {
        Lifecycle::Completed => "COMPLETED",
        Lifecycle::Terminated => "TERMINATED",
        _ => "ACTIVE",
    }
}
