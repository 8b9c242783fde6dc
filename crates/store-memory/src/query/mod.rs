//! Get and search: in plain Rust over the views of all rows.

mod related;
mod statistics;
mod tree;
mod views;

use crate::MemoryStore;
use async_trait::async_trait;
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, IncidentKey, JobKey, ProcessInstanceKey, TenantId, UserTaskKey,
    VariableKey,
};
use tidemill_store::query::plain::find;
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Query, Result};
use views::Views;

#[async_trait]
impl Query for MemoryStore {
    async fn process_definitions(
        &self,
        search: &Search<ProcessDefinitionField>,
    ) -> Result<Results<ProcessDefinitionView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.definitions(), search, &views)
    }

    async fn process_instances(
        &self,
        search: &Search<ProcessInstanceField>,
    ) -> Result<Results<ProcessInstanceView>> {
        self.paced("process_instances", || {
            let state = self.state();
            let views = Views(&state);
            find(views.instances(), search, &views)
        })
        .await
    }

    async fn process_instance(&self, key: ProcessInstanceKey) -> Result<Option<ProcessInstanceView>> {
        self.paced("process_instance", || Ok(Views(&self.state()).instances().find(|view| view.key == key)))
            .await
    }

    async fn element_instances(
        &self,
        search: &Search<ElementInstanceField>,
    ) -> Result<Results<ElementInstanceView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.elements(), search, &views)
    }

    async fn element_instance(&self, key: ElementInstanceKey) -> Result<Option<ElementInstanceView>> {
        Ok(Views(&self.state()).elements().find(|view| view.key == key))
    }

    async fn jobs(&self, search: &Search<JobField>) -> Result<Results<JobView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.jobs(), search, &views)
    }

    async fn job(&self, key: JobKey) -> Result<Option<JobView>> {
        Ok(Views(&self.state()).jobs().find(|view| view.key == key))
    }

    async fn user_tasks(&self, search: &Search<UserTaskField>) -> Result<Results<UserTaskView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.user_tasks(), search, &views)
    }

    async fn user_task(&self, key: UserTaskKey) -> Result<Option<UserTaskView>> {
        Ok(Views(&self.state()).user_tasks().find(|view| view.key == key))
    }

    async fn variables(&self, search: &Search<VariableField>) -> Result<Results<VariableView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.variables(), search, &views)
    }

    async fn variable(&self, key: VariableKey) -> Result<Option<VariableView>> {
        Ok(Views(&self.state()).variables().find(|view| view.key == key))
    }

    async fn message_subscriptions(
        &self,
        search: &Search<MessageSubscriptionField>,
    ) -> Result<Results<MessageSubscriptionView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.message_subscriptions(), search, &views)
    }

    async fn message_correlations(
        &self,
        search: &Search<CorrelationField>,
    ) -> Result<Results<CorrelationView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.correlations(), search, &views)
    }

    async fn incidents(&self, search: &Search<IncidentField>) -> Result<Results<IncidentView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.incidents(), search, &views)
    }

    async fn incident(&self, key: IncidentKey) -> Result<Option<IncidentView>> {
        Ok(Views(&self.state()).incidents().find(|view| view.key == key))
    }

    async fn resources(&self, search: &Search<ResourceField>) -> Result<Results<ResourceView>> {
        let state = self.state();
        let views = Views(&state);
        find(views.resources(), search, &views)
    }

    async fn visible_variables(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>> {
        Ok(Views(&self.state()).visible_variables(scope))
    }

    async fn flows_taken(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>> {
        Ok(Views(&self.state()).flows_taken(instance))
    }

    async fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Result<Option<Vec<CallHierarchyEntry>>> {
        Ok(Views(&self.state()).call_hierarchy(instance))
    }

    async fn instance_statistics(&self, instance: ProcessInstanceKey) -> Result<Vec<ElementStatistics>> {
        Ok(Views(&self.state()).instance_statistics(instance))
    }

    async fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>> {
        Ok(Views(&self.state()).definition_statistics(definition, filter))
    }

    async fn process_statistics(&self) -> Result<Vec<ProcessStatistics>> {
        Ok(Views(&self.state()).process_statistics())
    }

    async fn version_statistics(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
    ) -> Result<Vec<VersionStatistics>> {
        Ok(Views(&self.state()).version_statistics(tenant, process_id))
    }

    async fn error_statistics(&self) -> Result<Vec<ErrorStatistics>> {
        Ok(Views(&self.state()).error_statistics())
    }
}
