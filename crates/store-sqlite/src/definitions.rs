//! Finding deployed things.

use crate::SqliteStore;
use crate::error::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, FormKey, ResourceKey, TenantId};
use tidemill_store::{Definitions, Lookup, Packed, Result, unpack};

#[async_trait]
impl Definitions for SqliteStore {
    /// This reads on the connections of the engine: a command that waits for its definition must not wait for searches.
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        self.loads.read(move |connection| by_key(connection, "process_definitions", key.0)).await
    }

    /// Apart from the definition: files are large, and the engine needs them once for each version.
    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>> {
        self.loads
            .read(move |connection| {
                let mut statement =
                    connection.prepare_cached("SELECT xml FROM process_files WHERE definition_key = ?1")?;
                let xml: Option<String> = statement.query_row([key.0], |row| row.get(0)).optional()?;
                Ok(xml.map(Arc::from))
            })
            .await
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        self.loads.read(move |connection| by_key(connection, "forms", key.0)).await
    }

    async fn find_form(
        &self,
        tenant: &TenantId,
        form_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Form>>> {
        let (tenant, id, lookup) = (tenant.0.to_string(), form_id.to_owned(), lookup.clone());
        self.loads
            .read(move |connection| {
                // Every variant binds ?3, so that one list of parameters serves all three.
                let (condition, value): (&str, Box<dyn ToSql>) = match lookup {
                    Lookup::Latest => ("?3 IS NULL", Box::new(None::<i64>)),
                    Lookup::VersionTag(tag) => ("version_tag = ?3", Box::new(tag.to_string())),
                    Lookup::Deployment(key) => ("deployment_key = ?3", Box::new(key.0)),
                };
                let mut statement = connection.prepare_cached(&format!(
                    // The unique index by id, tenant and version gives the newest first without sorting.
                    "SELECT data FROM forms WHERE form_id = ?1 AND tenant = ?2 AND is_deleted = 0 AND {condition} \
                     ORDER BY version DESC LIMIT 1"
                ))?;
                let data: Option<Vec<u8>> =
                    statement.query_row(params![id, tenant, value], |row| row.get(0)).optional()?;
                Ok(data.map(|data| unpack(&data)).transpose()?.map(Arc::new))
            })
            .await
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        self.loads.read(move |connection| by_key(connection, "resources", key.0)).await
    }

    /// A number that every deployment raises: nodes compare it on each beat instead of reading all definitions.
    async fn definitions_version(&self) -> Result<u64> {
        self.loads
            .read(|connection| {
                let sql = "SELECT value FROM settings WHERE name = 'definitions_version'";
                Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
            })
            .await
    }
}

fn by_key<T: Packed>(connection: &Connection, table: &str, key: i64) -> Outcome<Option<Arc<T>>> {
    let mut statement = connection.prepare_cached(&format!("SELECT data FROM {table} WHERE key = ?1"))?;
    let data: Option<Vec<u8>> = statement.query_row([key], |row| row.get(0)).optional()?;
    Ok(data.map(|data| unpack(&data)).transpose()?.map(Arc::new))
}
