//! Finding deployed things.

use crate::SqliteStore;
use crate::error::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, FormKey, ResourceKey, TenantId};
use tidemill_store::{Definitions, Lookup, Result, unpack};

/// What the three tables of versions differ in.
struct Versions {
    table: &'static str,
    id: &'static str,
    is_active: &'static str,
}

const PROCESSES: Versions =
    Versions { table: "process_definitions", id: "process_id", is_active: "state = 'ACTIVE'" };
const FORMS: Versions = Versions { table: "forms", id: "form_id", is_active: "is_deleted = 0" };
const RESOURCES: Versions = Versions { table: "resources", id: "resource_id", is_active: "is_deleted = 0" };

#[async_trait]
impl Definitions for SqliteStore {
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        self.loads.read(move |connection| by_key(connection, &PROCESSES, key.0)).await
    }

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

    async fn find_definition(
        &self,
        tenant: &TenantId,
        process_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<ProcessDefinition>>> {
        self.find(PROCESSES, tenant, process_id, lookup).await
    }

    async fn latest_definitions(&self) -> Result<Vec<Arc<ProcessDefinition>>> {
        self.loads
            .read(|connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT data, max(version) FROM process_definitions WHERE state = 'ACTIVE' \
                     GROUP BY process_id, tenant ORDER BY process_id, tenant",
                )?;
                let mut rows = statement.query([])?;
                let mut definitions = Vec::new();
                while let Some(row) = rows.next()? {
                    definitions.push(Arc::new(unpack(&row.get::<_, Vec<u8>>(0)?)?));
                }
                Ok(definitions)
            })
            .await
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        self.loads.read(move |connection| by_key(connection, &FORMS, key.0)).await
    }

    async fn find_form(
        &self,
        tenant: &TenantId,
        form_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Form>>> {
        self.find(FORMS, tenant, form_id, lookup).await
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        self.loads.read(move |connection| by_key(connection, &RESOURCES, key.0)).await
    }

    async fn find_resource(
        &self,
        tenant: &TenantId,
        resource_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Resource>>> {
        self.find(RESOURCES, tenant, resource_id, lookup).await
    }

    async fn definitions_version(&self) -> Result<u64> {
        self.loads
            .read(|connection| {
                let sql = "SELECT value FROM settings WHERE name = 'definitions_version'";
                Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
            })
            .await
    }
}

impl SqliteStore {
    async fn find<T: DeserializeOwned + Send + Sync + 'static>(
        &self,
        versions: Versions,
        tenant: &TenantId,
        id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<T>>> {
        let (tenant, id, lookup) = (tenant.0.to_string(), id.to_owned(), lookup.clone());
        self.loads
            .read(move |connection| {
                let Versions { table, id: id_column, is_active } = versions;
                let (condition, value): (String, Box<dyn ToSql>) = match lookup {
                    Lookup::Latest => (format!("{is_active} AND ?3 IS NULL"), Box::new(None::<i64>)),
                    Lookup::Newest => ("?3 IS NULL".into(), Box::new(None::<i64>)),
                    Lookup::Version(version) => ("version = ?3".into(), Box::new(version)),
                    Lookup::VersionTag(tag) => {
                        (format!("{is_active} AND version_tag = ?3"), Box::new(tag.to_string()))
                    }
                    Lookup::Deployment(key) => {
                        (format!("{is_active} AND deployment_key = ?3"), Box::new(key.0))
                    }
                };
                let mut statement = connection.prepare_cached(&format!(
                    "SELECT data FROM {table} WHERE {id_column} = ?1 AND tenant = ?2 AND {condition} \
                     ORDER BY version DESC LIMIT 1"
                ))?;
                let data: Option<Vec<u8>> =
                    statement.query_row(params![id, tenant, value], |row| row.get(0)).optional()?;
                Ok(data.map(|data| unpack(&data)).transpose()?.map(Arc::new))
            })
            .await
    }
}

fn by_key<T: DeserializeOwned>(
    connection: &Connection,
    versions: &Versions,
    key: i64,
) -> Outcome<Option<Arc<T>>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT data FROM {} WHERE key = ?1", versions.table))?;
    let data: Option<Vec<u8>> = statement.query_row([key], |row| row.get(0)).optional()?;
    Ok(data.map(|data| unpack(&data)).transpose()?.map(Arc::new))
}
