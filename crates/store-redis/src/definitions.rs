//! Finding deployed things.

use crate::catalog::version_in;
use crate::entry::read;
use crate::row::unpacked;
use crate::store::RedisStore;
use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, Entity, FormKey, ResourceKey, TenantId};
use tidemill_store::rows::find_form;
use tidemill_store::{Definitions, Lookup, Result};

#[async_trait]
impl Definitions for RedisStore {
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        Ok(self.catalog().await?.rows.process_definitions.get(&key).cloned())
    }

    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>> {
        let file = self.file(key).await?;
        Ok(file
            .and_then(|file| if let Entity::ProcessXml(file) = file { Some(file.xml.clone()) } else { None }))
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        Ok(self.catalog().await?.rows.forms.get(&key).cloned())
    }

    async fn find_form(
        &self,
        tenant: &TenantId,
        form_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Form>>> {
        Ok(find_form(&self.catalog().await?.rows.forms, tenant, form_id, lookup))
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        Ok(self.catalog().await?.rows.resources.get(&key).cloned())
    }

    async fn definitions_version(&self) -> Result<u64> {
        version_in(self.read(redis::cmd("GET").arg(self.space.catalog().version())).await?)
    }
}

impl RedisStore {
    /// Files are read one by one, because only a few readers want them.
    pub(crate) async fn file(&self, key: DefinitionKey) -> Result<Option<Entity>> {
        let files = self.space.catalog().named("files");
        let bytes: Option<Vec<u8>> = read(self.read(redis::cmd("HGET").arg(&files).arg(key.0)).await?)?;
        bytes.map(|bytes| unpacked(&files, &bytes)).transpose()
    }
}
