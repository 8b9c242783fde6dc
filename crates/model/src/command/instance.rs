//! Starting, stopping and mending process instances.

use crate::{DefinitionKey, ElementInstanceKey, IncidentKey, ProcessInstanceKey, TenantId, Text, Variables};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CreateInstance {
    pub definition: DefinitionRef,
    pub tenant: TenantId,
    pub variables: Variables,
    /// Elements to begin with instead of the none start event.
    pub start: Vec<StartInstruction>,
    /// Ids of elements after whose end the instance is terminated.
    pub terminate_after: Vec<Text>,
    pub tags: Vec<Text>,
    pub business_id: Option<Text>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum DefinitionRef {
    Key(DefinitionKey),
    Latest(Text),
    Version(Text, i32),
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct StartInstruction {
    pub element_id: Text,
}

/// An instance gets a business id once, while it runs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct AssignBusinessId {
    pub instance: ProcessInstanceKey,
    pub business_id: Text,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CancelInstance {
    pub instance: ProcessInstanceKey,
}

/// An ended instance goes, with everything that is left of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct DeleteInstance {
    pub instance: ProcessInstanceKey,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct SetVariables {
    pub scope: ElementInstanceKey,
    pub variables: Variables,
    /// Set in this scope instead of merging from it upwards.
    pub is_local: bool,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ResolveIncident {
    pub incident: IncidentKey,
}
