//! A store in which nothing is found.

use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::*;
use tidemill_store::query::plain::Shown;
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Definitions, Lookup, Result};

pub(crate) struct NoStore;

impl NoStore {
    async fn search<F: Shown>(&self, _: &Search<F>) -> Result<Results<F::View>> {
        Ok(Results {
            items: Vec::new(),
            total: 0,
            has_more_total: false,
            start_cursor: None,
            end_cursor: None,
        })
    }

    async fn single<F: Shown>(&self, _: i64) -> Result<Option<F::View>> {
        Ok(None)
    }
}

tidemill_store::implement_searches!(NoStore);

macro_rules! empty_queries {
    (
        gets { $($get:ident($key:ty) -> $one:ty),+ $(,)? }
        lists { $($list:ident($($of:ty),*) -> $item:ty),+ $(,)? }
    ) => {
        #[async_trait]
        impl Query for NoStore {
            $(async fn $get(&self, _: $key) -> Result<Option<$one>> {
                Ok(None)
            })+

            $(async fn $list(&self, $(_: $of),*) -> Result<Vec<$item>> {
                Ok(Vec::new())
            })+
        }
    };
}

empty_queries! {
    gets {
        flows_taken(ProcessInstanceKey) -> FlowsTaken,
        call_hierarchy(ProcessInstanceKey) -> Vec<CallHierarchyEntry>,
    }
    lists {
        visible_variables(ElementInstanceKey) -> VariableView,
        instance_statistics(ProcessInstanceKey) -> ElementStatistics,
        definition_statistics(DefinitionKey, &Filter<ProcessInstanceField>) -> ElementStatistics,
        process_statistics() -> ProcessStatistics,
        version_statistics(Option<&TenantId>, &str) -> VersionStatistics,
        error_statistics() -> ErrorStatistics,
    }
}

#[async_trait]
impl Definitions for NoStore {
    async fn definition(&self, _: DefinitionKey) -> Result<Option<Arc<ProcessDefinition>>> {
        Ok(None)
    }

    async fn definition_xml(&self, _: DefinitionKey) -> Result<Option<Arc<str>>> {
        Ok(None)
    }

    async fn form(&self, _: FormKey) -> Result<Option<Arc<Form>>> {
        Ok(None)
    }

    async fn find_form(&self, _: &TenantId, _: &str, _: &Lookup) -> Result<Option<Arc<Form>>> {
        Ok(None)
    }

    async fn resource(&self, _: ResourceKey) -> Result<Option<Arc<Resource>>> {
        Ok(None)
    }

    async fn definitions_version(&self) -> Result<u64> {
        Ok(1)
    }
}
