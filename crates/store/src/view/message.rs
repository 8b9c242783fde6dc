//! Waiting for messages, and messages that arrived.

use super::{OriginView, Row};
use tidemill_model::entity::{MessageCorrelation, MessageSubscription, StartSubscription, SubscriptionState};
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

impl MessageSubscriptionView {
    pub fn of(row: &Row<'_, MessageSubscription>) -> MessageSubscriptionView {
        let entity = row.entity;
        MessageSubscriptionView {
            key: entity.key,
            kind: "PROCESS_EVENT".into(),
            instance: Some(entity.origin.instance),
            root: Some(entity.origin.root),
            element_instance: Some(entity.element_instance),
            correlation_key: Some(entity.correlation_key.clone()),
            definition: entity.origin.definition,
            process_id: row.process_id(),
            process_name: row.process_name(),
            version: row.version(),
            tenant: entity.origin.tenant.clone(),
            element_id: entity.target_id.clone(),
            message_name: entity.message_name.clone(),
            business_id: entity.business_id.clone(),
            state: entity.state.name().into(),
            updated_at: entity.updated_at,
        }
    }

    /// The subscription of a start event that waits for a message.
    pub fn of_start(row: &Row<'_, StartSubscription>) -> MessageSubscriptionView {
        let entity = row.entity;
        MessageSubscriptionView {
            key: entity.key,
            kind: "START_EVENT".into(),
            instance: None,
            root: None,
            element_instance: None,
            correlation_key: None,
            definition: entity.definition,
            process_id: row.process_id(),
            process_name: row.process_name(),
            version: row.version(),
            tenant: entity.tenant.clone(),
            element_id: entity.element_id.clone(),
            message_name: entity.name.clone(),
            business_id: None,
            state: SubscriptionState::Created.name().into(),
            updated_at: entity.updated_at,
        }
    }
}

impl CorrelationView {
    pub fn of(row: &Row<'_, MessageCorrelation>) -> CorrelationView {
        let entity = row.entity;
        CorrelationView {
            subscription: entity.subscription,
            message: entity.message,
            partition: entity.message.partition().unwrap_or(PartitionId(0)),
            origin: row.origin(&entity.origin),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            message_name: entity.message_name.clone(),
            correlation_key: entity.correlation_key.clone(),
            business_id: entity.business_id.clone(),
            correlated_at: entity.correlated_at,
        }
    }
}
