//! Get and search: in plain Rust over the views of all rows.

use crate::MemoryStore;
use crate::state::State;
use async_trait::async_trait;
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId};
use tidemill_store::query::*;
use tidemill_store::rows::{Viewed, Views};
use tidemill_store::view::*;
use tidemill_store::{Query, Result};

impl MemoryStore {
    async fn search<F: Viewed>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        let found = || self.state().views().search(search);
        if is_paced::<F>() { self.paced("process_instances", found).await } else { found() }
    }

    async fn single<F: Viewed>(&self, key: i64) -> Result<Option<F::View>> {
        let found = || Ok(self.state().views().single::<F>(key));
        if is_paced::<F>() { self.paced("process_instance", found).await } else { found() }
    }
}

/// True if a pace can hold up the search. Servers themselves search for process instances only.
fn is_paced<F: Field>() -> bool {
    F::key().name() == ProcessInstanceField::key().name()
}

impl State {
    fn views(&self) -> Views<'_> {
        Views { live: &self.live, history: &self.history }
    }
}

tidemill_store::implement_searches!(MemoryStore);

#[async_trait]
impl Query for MemoryStore {
    async fn visible_variables(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>> {
        Ok(self.state().views().visible_variables(scope))
    }

    async fn flows_taken(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>> {
        Ok(self.state().views().flows_taken(instance))
    }

    async fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Result<Option<Vec<CallHierarchyEntry>>> {
        Ok(self.state().views().call_hierarchy(instance))
    }

    async fn instance_statistics(&self, instance: ProcessInstanceKey) -> Result<Vec<ElementStatistics>> {
        Ok(self.state().views().instance_statistics(instance))
    }

    async fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>> {
        Ok(self.state().views().definition_statistics(definition, filter))
    }

    async fn process_statistics(&self) -> Result<Vec<ProcessStatistics>> {
        Ok(self.state().views().process_statistics())
    }

    async fn version_statistics(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
    ) -> Result<Vec<VersionStatistics>> {
        Ok(self.state().views().version_statistics(tenant, process_id))
    }

    async fn error_statistics(&self) -> Result<Vec<ErrorStatistics>> {
        Ok(self.state().views().error_statistics())
    }
}
