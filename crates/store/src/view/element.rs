//! What an instance consists of: elements, variables, incidents.

use super::OriginView;
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
