//! Get and search: the shared translator's statements, run on search connections.

mod row;
mod run;
mod tree;
mod work;

use crate::PostgresStore;
use crate::dialect::Postgres;
use async_trait::async_trait;
pub(crate) use row::ResultRow;
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId};
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Query, Result};
use tidemill_store_sql::statistics::{self, ElementCounts};
use tidemill_store_sql::{SqlRow, Statement};

tidemill_store::implement_searches!(PostgresStore);

#[async_trait]
impl Query for PostgresStore {
    async fn visible_variables(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>> {
        self.variables_seen(scope).await
    }

    async fn flows_taken(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>> {
        self.flows(instance).await
    }

    async fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Result<Option<Vec<CallHierarchyEntry>>> {
        self.callers(instance).await
    }

    async fn instance_statistics(&self, instance: ProcessInstanceKey) -> Result<Vec<ElementStatistics>> {
        self.searches.within_limit(self.catch_up_key(instance.0)).await?;
        self.element_counts(statistics::elements_of_instance(&Postgres, instance)).await
    }

    async fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>> {
        self.searches.within_limit(self.catch_up_all()).await?;
        self.element_counts(statistics::elements_of_definition(&Postgres, definition, filter)).await
    }

    async fn process_statistics(&self) -> Result<Vec<ProcessStatistics>> {
        self.collect(statistics::processes(&Postgres), statistics::read_process).await
    }

    async fn version_statistics(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
    ) -> Result<Vec<VersionStatistics>> {
        let statement = statistics::versions(&Postgres, tenant, process_id);
        self.collect(statement, statistics::read_version).await
    }

    async fn error_statistics(&self) -> Result<Vec<ErrorStatistics>> {
        self.collect(statistics::errors(&Postgres), statistics::read_error).await
    }
}

impl PostgresStore {
    async fn element_counts(&self, statement: Statement<'_>) -> Result<Vec<ElementStatistics>> {
        let mut counts = ElementCounts::default();
        for row in self.rows_of(&statement).await? {
            counts.add(&ResultRow(&row))?;
        }
        Ok(counts.into_statistics())
    }

    async fn collect<T>(
        &self,
        statement: Statement<'_>,
        read: fn(&dyn SqlRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.searches.within_limit(self.catch_up_all()).await?;
        self.rows_of(&statement).await?.iter().map(|row| read(&ResultRow(row))).collect()
    }
}
