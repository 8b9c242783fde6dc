//! Finding deployed things.

use crate::MemoryStore;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{DefinitionState, Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, DeploymentKey, FormKey, ResourceKey, TenantId, Text};
use tidemill_store::{Definitions, Lookup, Result};

#[async_trait]
impl Definitions for MemoryStore {
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        Ok(self.state().live.definitions.get(&key.0).cloned())
    }

    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>> {
        Ok(self.state().live.files.get(&key.0).map(|file| file.xml.clone()))
    }

    async fn find_definition(
        &self,
        tenant: &TenantId,
        process_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<ProcessDefinition>>> {
        Ok(find(&self.state().live.definitions, tenant, process_id, lookup))
    }

    async fn latest_definitions(&self) -> Result<Vec<Arc<ProcessDefinition>>> {
        let mut latest: BTreeMap<(Text, TenantId), Arc<ProcessDefinition>> = BTreeMap::new();
        for definition in self.state().live.definitions.values().filter(|definition| definition.is_active()) {
            let known = latest
                .entry((definition.process_id.clone(), definition.tenant.clone()))
                .or_insert_with(|| definition.clone());
            if known.version < definition.version {
                *known = definition.clone();
            }
        }
        Ok(latest.into_values().collect())
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        Ok(self.state().live.forms.get(&key.0).cloned())
    }

    async fn find_form(
        &self,
        tenant: &TenantId,
        form_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Form>>> {
        Ok(find(&self.state().live.forms, tenant, form_id, lookup))
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        Ok(self.state().live.resources.get(&key.0).cloned())
    }

    async fn find_resource(
        &self,
        tenant: &TenantId,
        resource_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Resource>>> {
        Ok(find(&self.state().live.resources, tenant, resource_id, lookup))
    }

    async fn definitions_version(&self) -> Result<u64> {
        Ok(self.state().definitions_version)
    }
}

/// What the three kinds of deployed things have in common.
pub(crate) trait Version {
    fn id(&self) -> (&str, &TenantId);
    fn version(&self) -> i32;
    fn tag(&self) -> Option<&Text>;
    fn deployment(&self) -> DeploymentKey;
    fn is_active(&self) -> bool;
}

macro_rules! versions {
    ($($entity:ident: $id:ident, |$row:ident| $is_active:expr;)+) => {$(
        impl Version for $entity {
            fn id(&self) -> (&str, &TenantId) {
                (&self.$id, &self.tenant)
            }

            fn version(&self) -> i32 {
                self.version
            }

            fn tag(&self) -> Option<&Text> {
                self.version_tag.as_ref()
            }

            fn deployment(&self) -> DeploymentKey {
                self.deployment
            }

            fn is_active(&self) -> bool {
                let $row = self;
                $is_active
            }
        }
    )+};
}

versions! {
    ProcessDefinition: process_id, |row| row.state == DefinitionState::Active;
    Form: form_id, |row| !row.is_deleted;
    Resource: resource_id, |row| !row.is_deleted;
}

fn find<T: Version>(
    table: &BTreeMap<i64, Arc<T>>,
    tenant: &TenantId,
    id: &str,
    lookup: &Lookup,
) -> Option<Arc<T>> {
    let is_meant = |row: &T| match lookup {
        Lookup::Latest => row.is_active(),
        Lookup::Newest => true,
        Lookup::Version(version) => row.version() == *version,
        Lookup::VersionTag(tag) => row.is_active() && row.tag() == Some(tag),
        Lookup::Deployment(key) => row.is_active() && row.deployment() == *key,
    };
    let versions = table.values().filter(|row| row.id() == (id, tenant) && is_meant(row));
    versions.max_by_key(|row| row.version()).cloned()
}

/// All versions, deleted ones included, in their order.
pub(crate) fn all_versions<T: Version>(
    table: &BTreeMap<i64, Arc<T>>,
    tenant: &TenantId,
    id: &str,
) -> Vec<Arc<T>> {
    let mut versions: Vec<_> = table.values().filter(|row| row.id() == (id, tenant)).cloned().collect();
    versions.sort_by_key(|row| row.version());
    versions
}
