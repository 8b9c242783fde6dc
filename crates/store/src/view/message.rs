//! Waiting for messages, and messages that arrived.

use super::OriginView;
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, MessageKey, PartitionId, ProcessInstanceKey, SubscriptionKey,
    TenantId, Text, Timestamp,
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageSubscriptionView {
    pub key: SubscriptionKey,
    /// `PROCESS_EVENT`, or `START_EVENT` for a start event of a definition.
    pub kind: Text,
    /// None for a start event, as is what follows from it.
    pub instance: Option<ProcessInstanceKey>,
    pub root: Option<ProcessInstanceKey>,
    pub element_instance: Option<ElementInstanceKey>,
    pub correlation_key: Option<Text>,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub process_name: Option<Text>,
    pub version: i32,
    pub tenant: TenantId,
    pub element_id: Text,
    pub message_name: Text,
    pub business_id: Option<Text>,
    pub state: Text,
    pub updated_at: Timestamp,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorrelationView {
    pub subscription: SubscriptionKey,
    pub message: MessageKey,
    /// Where the message was kept.
    pub partition: PartitionId,
    pub origin: OriginView,
    pub element_instance: Option<ElementInstanceKey>,
    pub element_id: Text,
    pub message_name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub correlated_at: Timestamp,
}
