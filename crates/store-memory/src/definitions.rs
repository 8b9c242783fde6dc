//! Finding deployed things.

use crate::MemoryStore;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, FormKey, ResourceKey, TenantId};
use tidemill_store::{Definitions, Lookup, Result};

#[async_trait]
impl Definitions for MemoryStore {
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        Ok(self.state().live.process_definitions.get(&key).cloned())
    }

    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>> {
        Ok(self.state().live.process_files.get(&key).map(|file| file.xml.clone()))
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        Ok(self.state().live.forms.get(&key).cloned())
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
        Ok(self.state().live.resources.get(&key).cloned())
    }

    async fn definitions_version(&self) -> Result<u64> {
        self.paced("definitions_version", || Ok(self.state().definitions_version)).await
    }
}

/// The common part of processes, forms and resources.
pub(crate) trait Version {
    fn id(&self) -> (&str, &TenantId);
    fn version(&self) -> i32;
}

macro_rules! versions {
    ($($entity:ident: $id:ident;)+) => {$(
        impl Version for $entity {
            fn id(&self) -> (&str, &TenantId) {
                (&self.$id, &self.tenant)
            }

            fn version(&self) -> i32 {
                self.version
            }
        }
    )+};
}

versions! {
    ProcessDefinition: process_id;
    Form: form_id;
    Resource: resource_id;
}

fn find(
    forms: &BTreeMap<FormKey, Arc<Form>>,
    tenant: &TenantId,
    id: &str,
    lookup: &Lookup,
) -> Option<Arc<Form>> {
    let is_meant = |row: &Form| match lookup {
        Lookup::Latest => true,
        Lookup::VersionTag(tag) => row.version_tag.as_ref() == Some(tag),
        Lookup::Deployment(key) => row.deployment == *key,
    };
    let is_named = |row: &Form| row.form_id == id && row.tenant == *tenant && !row.is_deleted;
    forms.values().filter(|row| is_named(row) && is_meant(row)).max_by_key(|row| row.version).cloned()
}

/// All versions, deleted ones included, in their order.
pub(crate) fn all_versions<K, T: Version>(
    table: &BTreeMap<K, Arc<T>>,
    tenant: &TenantId,
    id: &str,
) -> Vec<Arc<T>> {
    let mut versions: Vec<_> = table.values().filter(|row| row.id() == (id, tenant)).cloned().collect();
    versions.sort_by_key(|row| row.version());
    versions
}
