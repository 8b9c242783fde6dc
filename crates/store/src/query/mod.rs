//! Get and search. Reads go to the store in parallel with commits and see every commit that was answered.

mod cursor;
mod field;
mod filter;
mod like;
mod limits;
mod page;
pub mod plain;
mod search;

pub use cursor::{Cursor, CursorValue};
pub use field::{
    CorrelationField, ElementInstanceField, Field, FieldKind, IncidentField, JobField,
    MessageSubscriptionField, ProcessDefinitionField, ProcessInstanceField, ResourceField, UserTaskField,
    VariableField,
};
pub use filter::{Condition, Filter, Test, Value, VariableScope};
pub use like::{PATTERN_CHARS_MAX, Pattern};
pub use limits::{CONDITIONS_MAX, LIST_VALUES_MAX, RELATED_MAX, SORTS_MAX};
pub use page::{Order, Page, PageStart, Results, Sort, TOTAL_MAX};
pub use search::{BRIEF_CHARS_MAX, Search};

use crate::Result;
use crate::view::*;
use async_trait::async_trait;
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, IncidentKey, JobKey, ProcessInstanceKey, TenantId, UserTaskKey,
    VariableKey,
};

#[async_trait]
pub trait Query: Send + Sync {
    async fn process_definitions(
        &self,
        search: &Search<ProcessDefinitionField>,
    ) -> Result<Results<ProcessDefinitionView>>;

    async fn process_instances(
        &self,
        search: &Search<ProcessInstanceField>,
    ) -> Result<Results<ProcessInstanceView>>;

    async fn process_instance(&self, key: ProcessInstanceKey) -> Result<Option<ProcessInstanceView>>;

    async fn element_instances(
        &self,
        search: &Search<ElementInstanceField>,
    ) -> Result<Results<ElementInstanceView>>;

    async fn element_instance(&self, key: ElementInstanceKey) -> Result<Option<ElementInstanceView>>;

    async fn jobs(&self, search: &Search<JobField>) -> Result<Results<JobView>>;

    async fn job(&self, key: JobKey) -> Result<Option<JobView>>;

    async fn user_tasks(&self, search: &Search<UserTaskField>) -> Result<Results<UserTaskView>>;

    async fn user_task(&self, key: UserTaskKey) -> Result<Option<UserTaskView>>;

    async fn variables(&self, search: &Search<VariableField>) -> Result<Results<VariableView>>;

    async fn variable(&self, key: VariableKey) -> Result<Option<VariableView>>;

    async fn message_subscriptions(
        &self,
        search: &Search<MessageSubscriptionField>,
    ) -> Result<Results<MessageSubscriptionView>>;

    async fn message_correlations(
        &self,
        search: &Search<CorrelationField>,
    ) -> Result<Results<CorrelationView>>;

    async fn incidents(&self, search: &Search<IncidentField>) -> Result<Results<IncidentView>>;

    async fn incident(&self, key: IncidentKey) -> Result<Option<IncidentView>>;

    async fn resources(&self, search: &Search<ResourceField>) -> Result<Results<ResourceView>>;

    /// Every variable that an expression in this scope would see, the nearest of a name only. By name.
    async fn visible_variables(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>>;

    /// The sequence flows that an instance has taken.
    async fn flows_taken(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>>;

    /// From the root down to the instance itself; empty for a root, none for an unknown key.
    async fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Result<Option<Vec<CallHierarchyEntry>>>;

    /// Per element of one instance, by element id.
    async fn instance_statistics(&self, instance: ProcessInstanceKey) -> Result<Vec<ElementStatistics>>;

    /// Per element over those instances of a definition that pass the filter, by element id.
    async fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>>;

    /// Per process id, over all its versions, by process id.
    async fn process_statistics(&self) -> Result<Vec<ProcessStatistics>>;

    /// Per version of one process, by version.
    async fn version_statistics(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
    ) -> Result<Vec<VersionStatistics>>;

    /// Active instances per error text, most frequent first.
    async fn error_statistics(&self) -> Result<Vec<ErrorStatistics>>;
}
