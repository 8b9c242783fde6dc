//! Process instances as they are shown.

use super::Row;
use crate::query::plain::FieldValue;
use crate::query::searchable;
use tidemill_model::entity::{FlowSet, InstanceState, ProcessInstance};
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId, Text, Timestamp};

searchable! {
    ProcessInstanceView, ProcessInstanceField by Key {
        key: ProcessInstanceKey => Key "processInstanceKey",
        root: ProcessInstanceKey => Root "rootProcessInstanceKey",
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        process_name: Option<Text> => ProcessName "processDefinitionName",
        version: i32 => Version "processDefinitionVersion",
        version_tag: Option<Text> => VersionTag "processDefinitionVersionTag",
        tenant: TenantId => TenantId "tenantId",
        parent_instance: Option<ProcessInstanceKey> => ParentInstance "parentProcessInstanceKey",
        parent_element: Option<ElementInstanceKey> => ParentElement "parentElementInstanceKey",
        state: InstanceState => State "state",
        has_incident: bool => HasIncident "hasIncident",
        started_at: Timestamp => StartDate "startDate",
        ended_at: Option<Timestamp> => EndDate "endDate",
        business_id: Option<Text> => BusinessId "businessId",
        tags: Vec<Text> => Tags "tags",
    }
    computed {
        // Instances are never suspended.
        SuspendedDate: Time "suspendedDate" = |view, related| FieldValue::Null,
    }
    also {
        fn instance(view: &ProcessInstanceView) -> Option<ProcessInstanceKey> {
            Some(view.key)
        }
    }
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
            state: entity.state.into(),
            has_incident: entity.incidents > 0,
            started_at: entity.started_at,
            ended_at: row.ended_at(entity.ended_at, entity.started_at),
            business_id: entity.business_id.clone(),
            tags: entity.tags.clone(),
        }
    }
}
