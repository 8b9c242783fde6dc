//! Deployed things without their content.

use tidemill_model::{DefinitionKey, DeploymentKey, ResourceKey, TenantId, Text};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessDefinitionView {
    pub key: DefinitionKey,
    pub process_id: Text,
    pub name: Option<Text>,
    pub resource_name: Text,
    pub version: i32,
    pub version_tag: Option<Text>,
    pub tenant: TenantId,
    pub has_start_form: bool,
    pub state: Text,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceView {
    pub key: ResourceKey,
    pub resource_name: Text,
    pub resource_id: Text,
    pub version: i32,
    pub version_tag: Option<Text>,
    pub deployment: DeploymentKey,
    pub tenant: TenantId,
}
