//! Process instances as they are shown.

use tidemill_model::entity::FlowSet;
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
