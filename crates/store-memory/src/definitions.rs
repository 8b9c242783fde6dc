//! Finding deployed things.

use crate::MemoryStore;
use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, FormKey, ResourceKey, TenantId};
use tidemill_store::rows::find_form;
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
        Ok(find_form(&self.state().live.forms, tenant, form_id, lookup))
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        Ok(self.state().live.resources.get(&key).cloned())
    }

    async fn definitions_version(&self) -> Result<u64> {
        self.paced("definitions_version", || Ok(self.state().definitions_version)).await
    }
}
