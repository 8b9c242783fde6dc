//! Waiting for messages, and messages that arrived.

use super::OriginView;
use tidemill_model::{ElementInstanceKey, MessageKey, PartitionId, SubscriptionKey, Text, Timestamp};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageSubscriptionView {
    pub key: SubscriptionKey,
    pub origin: OriginView,
    pub process_name: Option<Text>,
    pub version: i32,
    pub element_instance: ElementInstanceKey,
    pub element_id: Text,
    pub message_name: Text,
    pub correlation_key: Text,
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
