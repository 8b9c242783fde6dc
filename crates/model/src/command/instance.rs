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
    /// Refused while another root instance of the process has the same business id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unique: bool,
}

impl CreateInstance {
    /// The correlation key of the start lock that keeps a business id unique. No text of a client begins like this by
    /// chance, and one that does shares nothing but the lock's place.
    pub fn uniqueness_key(&self) -> Option<Text> {
        let id = self.business_id.as_ref().filter(|id| self.is_unique && !id.is_empty())?;
        Some(format!("\u{1}business id\u{1}{id}").into())
    }
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
