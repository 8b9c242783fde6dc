//! Finding deployed things.

use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::error::unreadable;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::{DefinitionKey, FormKey, ResourceKey, TenantId};
use tidemill_store::{Definitions, Lookup, Result, unpack};
use tokio_postgres::Row;

/// What the three tables of versions differ in.
struct Versions {
    table: &'static str,
    id: &'static str,
    is_active: &'static str,
}

const PROCESSES: Versions =
    Versions { table: "process_definitions", id: "process_id", is_active: "state = 'ACTIVE'" };
const FORMS: Versions = Versions { table: "forms", id: "form_id", is_active: "NOT is_deleted" };
const RESOURCES: Versions = Versions { table: "resources", id: "resource_id", is_active: "NOT is_deleted" };

const LATEST: &str = "SELECT DISTINCT ON (process_id, tenant) data FROM process_definitions \
    WHERE state = 'ACTIVE' ORDER BY process_id, tenant, version DESC";

#[async_trait]
impl Definitions for PostgresStore {
    async fn definition(&self, key: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        self.by_key(&PROCESSES, key.0).await
    }

    async fn definition_xml(&self, key: DefinitionKey) -> Result<Option<Arc<str>>> {
        let sql =
            "SELECT xml FROM process_files WHERE partition_id = ($1 >> 51)::smallint AND definition_key = $1";
        let rows = self.loads.read_one(Call::new(sql, [key.0.into()])).await?;
        Ok(rows.first().map(|row| Arc::from(row.get::<_, &str>(0))))
    }

    async fn find_definition(
        &self,
        tenant: &TenantId,
        process_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<ProcessDefinition>>> {
        self.find(&PROCESSES, tenant, process_id, lookup).await
    }

    async fn latest_definitions(&self) -> Result<Vec<Arc<ProcessDefinition>>> {
        let rows = self.loads.read_one(Call::new(LATEST, [])).await?;
        rows.iter().map(read).collect()
    }

    async fn form(&self, key: FormKey) -> Result<Option<Arc<Form>>> {
        self.by_key(&FORMS, key.0).await
    }

    async fn find_form(
        &self,
        tenant: &TenantId,
        form_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Form>>> {
        self.find(&FORMS, tenant, form_id, lookup).await
    }

    async fn resource(&self, key: ResourceKey) -> Result<Option<Arc<Resource>>> {
        self.by_key(&RESOURCES, key.0).await
    }

    async fn find_resource(
        &self,
        tenant: &TenantId,
        resource_id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<Resource>>> {
        self.find(&RESOURCES, tenant, resource_id, lookup).await
    }

    async fn definitions_version(&self) -> Result<u64> {
        let sql = "SELECT value FROM settings WHERE name = 'definitions_version'";
        let rows = self.loads.read_one(Call::new(sql, [])).await?;
        Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0)).unsigned_abs())
    }
}

impl PostgresStore {
    async fn by_key<T: DeserializeOwned>(&self, versions: &Versions, key: i64) -> Result<Option<Arc<T>>> {
        let sql = format!(
            "SELECT data FROM {} WHERE partition_id = ($1 >> 51)::smallint AND key = $1",
            versions.table
        );
        let rows = self.loads.read_one(Call::new(sql, [key.into()])).await?;
        rows.first().map(read).transpose()
    }

    async fn find<T: DeserializeOwned>(
        &self,
        versions: &Versions,
        tenant: &TenantId,
        id: &str,
        lookup: &Lookup,
    ) -> Result<Option<Arc<T>>> {
        let Versions { table, id: id_column, is_active } = versions;
        let mut params: Vec<Param<'_>> = vec![id.into(), tenant.as_str().into()];
        let condition = match lookup {
            Lookup::Latest => (*is_active).to_owned(),
            Lookup::Newest => "true".to_owned(),
            Lookup::Version(version) => {
                params.push(i64::from(*version).into());
                "version = $3".to_owned()
            }
            Lookup::VersionTag(tag) => {
                params.push(tag.as_str().into());
                format!("{is_active} AND version_tag = $3")
            }
            Lookup::Deployment(key) => {
                params.push(key.0.into());
                format!("{is_active} AND deployment_key = $3")
            }
        };
        let sql = format!(
            "SELECT data FROM {table} WHERE {id_column} = $1 AND tenant = $2 AND {condition} \
             ORDER BY version DESC LIMIT 1"
        );
        let rows = self.loads.read_one(Call::new(sql, params)).await?;
        rows.first().map(read).transpose()
    }
}

fn read<T: DeserializeOwned>(row: &Row) -> Result<Arc<T>> {
    unpack(row.get(0)).map(Arc::new).map_err(unreadable)
}
