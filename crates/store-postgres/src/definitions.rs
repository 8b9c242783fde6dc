//! Finding deployed things.

use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::error::unreadable;
use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, FormKey, ResourceKey, TenantId};
use tidemill_store::{Definitions, Lookup, Packed, Result, unpack};
use tokio_postgres::Row;

#[async_trait]
impl Definitions for PostgresStore {
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        self.by_key("process_definitions", key.0).await
    }

    /// Apart from the definition: files are large, and the engine needs them once for each version.
    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>> {
        let sql =
            "SELECT xml FROM process_files WHERE partition_id = ($1 >> 51)::smallint AND definition_key = $1";
        let rows = self.loads.read_one(Call::new(sql, [key.0.into()])).await?;
        Ok(rows.first().map(|row| Arc::from(row.get::<_, &str>(0))))
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        self.by_key("forms", key.0).await
    }

    async fn find_form(
        &self,
        tenant: &TenantId,
        form_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Form>>> {
        // A statement of its own for each way to look up: Postgres keeps one plan for a prepared statement, and a condition that is sometimes
        // left out would spoil it.
        let mut params: Vec<Param<'_>> = vec![form_id.into(), tenant.as_str().into()];
        let condition = match lookup {
            Lookup::Latest => "",
            Lookup::VersionTag(tag) => {
                params.push(tag.as_str().into());
                " AND version_tag = $3"
            }
            Lookup::Deployment(key) => {
                params.push(key.0.into());
                " AND deployment_key = $3"
            }
        };
        let sql = format!(
            "SELECT data FROM forms WHERE form_id = $1 AND tenant = $2 AND NOT is_deleted{condition} \
             ORDER BY version DESC LIMIT 1"
        );
        let rows = self.loads.read_one(Call::new(sql, params)).await?;
        rows.first().map(read).transpose()
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        self.by_key("resources", key.0).await
    }

    /// A number that every deployment raises: nodes compare it on each beat instead of reading all definitions.
    async fn definitions_version(&self) -> Result<u64> {
        let sql = "SELECT value FROM settings WHERE name = 'definitions_version'";
        let rows = self.loads.read_one(Call::new(sql, [])).await?;
        Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0)).unsigned_abs())
    }
}

impl PostgresStore {
    async fn by_key<T: Packed>(&self, table: &str, key: i64) -> Result<Option<Arc<T>>> {
        let sql = format!("SELECT data FROM {table} WHERE partition_id = ($1 >> 51)::smallint AND key = $1");
        let rows = self.loads.read_one(Call::new(sql, [key.into()])).await?;
        rows.first().map(read).transpose()
    }
}

fn read<T: Packed>(row: &Row) -> Result<Arc<T>> {
    unpack(row.get(0)).map(Arc::new).map_err(unreadable)
}
