//! Get and search. Reads go to the store in parallel with commits and see every commit that was answered.

mod cursor;
mod field;
mod filter;
mod like;
mod limits;
mod page;
pub mod plain;
mod search;
mod searches;

pub use cursor::{Cursor, CursorValue};
pub(crate) use field::searchable;
pub use field::{Field, FieldKind};
pub use filter::{Condition, Filter, Test, Value, VariableScope};
pub use like::{PATTERN_CHARS_MAX, Pattern};
pub use limits::{CONDITIONS_MAX, LIST_VALUES_MAX, PAGE_BYTES_MAX, RELATED_MAX, SORTS_MAX};
pub use page::{COUNT_LIMIT_MS, Order, Page, PageStart, Results, Sort, TOTAL_MAX};
pub use search::{BRIEF_CHARS_MAX, Search};
pub use searches::*;

use crate::Result;
use crate::view::*;
use async_trait::async_trait;
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, TenantId};

#[async_trait]
pub trait Query: Searches {
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
