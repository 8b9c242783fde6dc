//! Get and search: in plain Rust over the views of all rows.

mod related;
mod statistics;
mod tree;
mod views;

use crate::MemoryStore;
use async_trait::async_trait;
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId};
use tidemill_store::query::plain::find;
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Query, Result};
use views::{Viewed, Views};

impl MemoryStore {
    async fn search<F: Viewed>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        let found = || {
            let state = self.state();
            let views = Views(&state);
            find(F::views(&views), search, &views)
        };
        if F::IS_PACED { self.paced("process_instances", found).await } else { found() }
    }

    async fn single<F: Viewed>(&self, key: i64) -> Result<Option<F::View>> {
        let found = || {
            let state = self.state();
            Ok(F::view(&Views(&state), key))
        };
        if F::IS_PACED { self.paced("process_instance", found).await } else { found() }
    }
}

tidemill_store::implement_searches!(MemoryStore);

#[async_trait]
impl Query for MemoryStore {
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
