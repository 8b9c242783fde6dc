//! Deployed processes, forms and resources, found in the ways that models and clients name them.

use crate::Result;
use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, DeploymentKey, FormKey, ResourceKey, TenantId, Text};

/// Which version of an id is meant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Lookup {
    /// The highest version that is still active.
    Latest,
    /// The highest active version that carries the tag.
    VersionTag(Text),
    /// The active version that came with this deployment.
    Deployment(DeploymentKey),
}

#[async_trait]
pub trait Definitions: Send + Sync {
    /// Deleted ones are found too, because their instances go on.
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>>;

    /// The BPMN file of a definition.
    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>>;

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>>;

    async fn find_form(&self, tenant: &TenantId, form_id: &str, lookup: &Lookup)
    -> Result<Option<Arc<Form>>>;

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>>;

    /// Moves with every change of a definition, form or resource, on whatever node.
    /// A partition compares it before it runs commands, so that a deployment counts everywhere from the
    /// moment its sender is told of it.
    async fn definitions_version(&self) -> Result<u64>;
}
