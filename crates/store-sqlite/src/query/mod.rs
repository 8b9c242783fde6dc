//! Get and search: the shared translator's statements, run on search connections.

mod row;
mod run;
mod statistics;
mod tree;
mod work;

use crate::SqliteStore;
use async_trait::async_trait;
pub(crate) use row::ResultRow;
use run::{search, single};
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId};
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Query, Result};
use tidemill_store_sql::SearchTable;

impl SqliteStore {
    async fn search<F: SearchTable>(&self, query: &Search<F>) -> Result<Results<F::View>>
    where
        F::View: Send + 'static,
    {
        let query = query.clone();
        // The total has less time than the page, so the search must be able to shorten its own patience.
        self.searches.read_in_parts(move |connection, patience| search(connection, &query, patience)).await
    }

    async fn single<F: SearchTable>(&self, key: i64) -> Result<Option<F::View>>
    where
        F::View: Send + 'static,
    {
        self.searches.read(move |connection| single::<F>(connection, key)).await
    }
}

tidemill_store::implement_searches!(SqliteStore);

#[async_trait]
impl Query for SqliteStore {
    async fn visible_variables(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>> {
        self.searches.read(move |connection| tree::visible_variables(connection, scope)).await
    }

    async fn flows_taken(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>> {
        self.searches.read(move |connection| tree::flows_taken(connection, instance)).await
    }

    async fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Result<Option<Vec<CallHierarchyEntry>>> {
        self.searches.read(move |connection| tree::call_hierarchy(connection, instance)).await
    }

    async fn instance_statistics(&self, instance: ProcessInstanceKey) -> Result<Vec<ElementStatistics>> {
        self.searches.read(move |connection| statistics::of_instance(connection, instance)).await
    }

    async fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>> {
        let filter = filter.clone();
        self.searches.read(move |connection| statistics::of_definition(connection, definition, &filter)).await
    }

    async fn process_statistics(&self) -> Result<Vec<ProcessStatistics>> {
        self.searches.read(statistics::of_processes).await
    }

    async fn version_statistics(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
    ) -> Result<Vec<VersionStatistics>> {
        let (tenant, process_id) = (tenant.cloned(), process_id.to_owned());
        self.searches
            .read(move |connection| statistics::of_versions(connection, tenant.as_ref(), &process_id))
            .await
    }

    async fn error_statistics(&self) -> Result<Vec<ErrorStatistics>> {
        self.searches.read(statistics::of_errors).await
    }
}
