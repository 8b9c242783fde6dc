//! Deployed things: processes, forms and other resources, each version once.

use crate::named::names;
use crate::{DefinitionKey, DeploymentKey, FormKey, ResourceKey, TenantId, Text, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ProcessDefinition {
    pub key: DefinitionKey,
    pub tenant: TenantId,
    pub process_id: Text,
    pub version: i32,
    pub version_tag: Option<Text>,
    pub name: Option<Text>,
    pub resource_name: Text,
    pub checksum: Text,
    pub deployment: DeploymentKey,
    pub deployed_at: Timestamp,
    pub has_start_form: bool,
    pub state: DefinitionState,
}

/// The file of a process definition, apart because only a few readers want it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ProcessXml {
    pub definition: DefinitionKey,
    pub xml: Arc<str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum DefinitionState {
    Active,
    /// Deleted while instances ran: they finish, new ones are refused.
    Draining,
    Deleted,
}

names! {
    DefinitionState {
        Active = "ACTIVE",
        Draining = "DRAINING",
        Deleted = "DELETED",
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Form {
    pub key: FormKey,
    pub tenant: TenantId,
    pub form_id: Text,
    pub version: i32,
    pub version_tag: Option<Text>,
    pub resource_name: Text,
    pub checksum: Text,
    pub deployment: DeploymentKey,
    pub is_deleted: bool,
    pub schema: Arc<str>,
}

/// Any other deployed file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Resource {
    pub key: ResourceKey,
    pub tenant: TenantId,
    pub resource_id: Text,
    pub version: i32,
    pub version_tag: Option<Text>,
    pub resource_name: Text,
    pub checksum: Text,
    pub deployment: DeploymentKey,
    pub is_deleted: bool,
    pub content: Arc<[u8]>,
}
