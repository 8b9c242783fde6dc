//! A store in which nothing is found.

use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::{Form, ProcessDefinition, Resource};
use tidemill_model::*;
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Definitions, Lookup, Result};

pub(crate) struct NoStore;

fn nothing<V>() -> Results<V> {
    Results { items: Vec::new(), total: 0, has_more_total: false, start_cursor: None, end_cursor: None }
}

macro_rules! empty_queries {
    (
        searches { $($search:ident($field:ty) -> $found:ty),+ $(,)? }
        gets { $($get:ident($key:ty) -> $one:ty),+ $(,)? }
        lists { $($list:ident($($of:ty),*) -> $item:ty),+ $(,)? }
    ) => {
        #[async_trait]
        impl Query for NoStore {
            $(async fn $search(&self, _: &Search<$field>) -> Result<Results<$found>> {
                Ok(nothing())
            })+

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
    searches {
        process_definitions(ProcessDefinitionField) -> ProcessDefinitionView,
        process_instances(ProcessInstanceField) -> ProcessInstanceView,
        element_instances(ElementInstanceField) -> ElementInstanceView,
        jobs(JobField) -> JobView,
        user_tasks(UserTaskField) -> UserTaskView,
        variables(VariableField) -> VariableView,
        message_subscriptions(MessageSubscriptionField) -> MessageSubscriptionView,
        message_correlations(CorrelationField) -> CorrelationView,
        incidents(IncidentField) -> IncidentView,
        resources(ResourceField) -> ResourceView,
    }
    gets {
        process_instance(ProcessInstanceKey) -> ProcessInstanceView,
        element_instance(ElementInstanceKey) -> ElementInstanceView,
        job(JobKey) -> JobView,
        user_task(UserTaskKey) -> UserTaskView,
        variable(VariableKey) -> VariableView,
        incident(IncidentKey) -> IncidentView,
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
