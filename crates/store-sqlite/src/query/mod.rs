//! Get and search: the shared translator's statements, run on search connections.

mod row;
mod run;
mod statistics;
mod tree;

use crate::SqliteStore;
use async_trait::async_trait;
pub(crate) use row::ResultRow;
use run::{search, single};
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, IncidentKey, JobKey, ProcessInstanceKey, TenantId, UserTaskKey,
    VariableKey,
};
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
        self.searches.read(move |connection| search(connection, &query)).await
    }

    async fn single<F: SearchTable>(&self, key: i64) -> Result<Option<F::View>>
    where
        F::View: Send + 'static,
    {
        self.searches.read(move |connection| single::<F>(connection, key)).await
    }
}

#[async_trait]
impl Query for SqliteStore {
    async fn process_definitions(
        &self,
        search: &Search<ProcessDefinitionField>,
    ) -> Result<Results<ProcessDefinitionView>> {
        self.search(search).await
    }

    async fn process_instances(
        &self,
        search: &Search<ProcessInstanceField>,
    ) -> Result<Results<ProcessInstanceView>> {
        self.search(search).await
    }

    async fn process_instance(&self, key: ProcessInstanceKey) -> Result<Option<ProcessInstanceView>> {
        self.single::<ProcessInstanceField>(key.0).await
    }

    async fn element_instances(
        &self,
        search: &Search<ElementInstanceField>,
    ) -> Result<Results<ElementInstanceView>> {
        self.search(search).await
    }

    async fn element_instance(&self, key: ElementInstanceKey) -> Result<Option<ElementInstanceView>> {
        self.single::<ElementInstanceField>(key.0).await
    }

    async fn jobs(&self, search: &Search<JobField>) -> Result<Results<JobView>> {
        self.search(search).await
    }

    async fn job(&self, key: JobKey) -> Result<Option<JobView>> {
        self.single::<JobField>(key.0).await
    }

    async fn user_tasks(&self, search: &Search<UserTaskField>) -> Result<Results<UserTaskView>> {
        self.search(search).await
    }

    async fn user_task(&self, key: UserTaskKey) -> Result<Option<UserTaskView>> {
        self.single::<UserTaskField>(key.0).await
    }

    async fn variables(&self, search: &Search<VariableField>) -> Result<Results<VariableView>> {
        self.search(search).await
    }

    async fn variable(&self, key: VariableKey) -> Result<Option<VariableView>> {
        self.single::<VariableField>(key.0).await
    }

    async fn message_subscriptions(
        &self,
        search: &Search<MessageSubscriptionField>,
    ) -> Result<Results<MessageSubscriptionView>> {
        self.search(search).await
    }

    async fn message_correlations(
        &self,
        search: &Search<CorrelationField>,
    ) -> Result<Results<CorrelationView>> {
        self.search(search).await
    }

    async fn incidents(&self, search: &Search<IncidentField>) -> Result<Results<IncidentView>> {
        self.search(search).await
    }

    async fn incident(&self, key: IncidentKey) -> Result<Option<IncidentView>> {
        self.single::<IncidentField>(key.0).await
    }

    async fn resources(&self, search: &Search<ResourceField>) -> Result<Results<ResourceView>> {
        self.search(search).await
    }

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
