//! What searches give back: one struct per entity with everything that an API answer needs. States and kinds
//! are the names of the API, because nothing is done with them but to show them.

mod definition;
mod element;
mod instance;
mod message;
mod row;
mod statistics;
mod task;

pub use definition::{ProcessDefinitionView, ResourceView};
pub use element::{ElementInstanceView, IncidentView, VariableView};
pub use instance::{CallHierarchyEntry, FlowsTaken, ProcessInstanceView, state_name};
pub use message::{CorrelationView, MessageSubscriptionView};
pub use row::Row;
pub use statistics::{ElementStatistics, ErrorStatistics, ProcessStatistics, VersionStatistics, error_hash};
pub use task::{JobView, UserTaskView};

use tidemill_model::{DefinitionKey, ProcessInstanceKey, TenantId, Text};

/// The instance that something belongs to, with the facts of its definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OriginView {
    pub instance: ProcessInstanceKey,
    pub root: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub tenant: TenantId,
}
