//! Deployed things without their content.

use crate::query::plain::FieldValue;
use crate::query::searchable;
use tidemill_model::entity::{DefinitionState, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, DeploymentKey, ResourceKey, TenantId, Text};

searchable! {
    ProcessDefinitionView, ProcessDefinitionField by Key {
        key: DefinitionKey => Key "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        name: Option<Text> => Name "name",
        resource_name: Text => ResourceName "resourceName",
        version: i32 => Version "version",
        version_tag: Option<Text> => VersionTag "versionTag",
        tenant: TenantId => TenantId "tenantId",
        has_start_form: bool => HasStartForm "hasStartForm",
        state: DefinitionState => State "state",
    }
    computed {
        IsLatestVersion: Bool "isLatestVersion" = |view, related| FieldValue::Bool(related.is_latest(view)),
    }
}

searchable! {
    ResourceView, ResourceField by Key {
        key: ResourceKey => Key "resourceKey",
        resource_name: Text => ResourceName "resourceName",
        resource_id: Text => ResourceId "resourceId",
        version: i32 => Version "version",
        version_tag: Option<Text> => VersionTag "versionTag",
        deployment: DeploymentKey => DeploymentKey "deploymentKey",
        tenant: TenantId => TenantId "tenantId",
    }
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
            state: definition.state,
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
