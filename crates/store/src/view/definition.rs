//! Deployed things without their content.

use tidemill_model::entity::{ProcessDefinition, Resource};
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

impl ProcessDefinitionView {
    pub fn of(definition: &ProcessDefinition) -> ProcessDefinitionView {
        ProcessDefinitionView {
            key: definition.key,
            process_id: definition.process_id.clone(),
            name: definition.name.clone(),
            resource_name: definition.resource_name.clone(),
            version: definition.version,
            version_tag: definition.version_tag.clone(),
            tenant: definition.tenant.clone(),
            has_start_form: definition.has_start_form,
            state: definition.state.name().into(),
        }
    }
}

impl ResourceView {
    pub fn of(resource: &Resource) -> ResourceView {
        ResourceView {
            key: resource.key,
            resource_name: resource.resource_name.clone(),
            resource_id: resource.resource_id.clone(),
            version: resource.version,
            version_tag: resource.version_tag.clone(),
            deployment: resource.deployment,
            tenant: resource.tenant.clone(),
        }
    }
}
