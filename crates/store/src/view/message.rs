//! Waiting for messages, and messages that arrived.

use super::Row;
use crate::query::searchable;
use tidemill_model::entity::{
    MessageCorrelation, MessageSubscription, StartSubscription, SubscriptionKind, SubscriptionState,
};
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, MessageKey, PartitionId, ProcessInstanceKey, SubscriptionKey,
    TenantId, Text, Timestamp,
};

searchable! {
    MessageSubscriptionView, MessageSubscriptionField by Key {
        key: SubscriptionKey => Key "messageSubscriptionKey",
        kind: SubscriptionKind => Type "messageSubscriptionType",
        /// None for a start event, as is what follows from it.
        instance: Option<ProcessInstanceKey> => ProcessInstance "processInstanceKey",
        root: Option<ProcessInstanceKey>,
        element_instance: Option<ElementInstanceKey> => ElementInstance "elementInstanceKey",
        correlation_key: Option<Text> => CorrelationKey "correlationKey",
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        process_name: Option<Text> => ProcessName "processDefinitionName",
        version: i32 => Version "processDefinitionVersion",
        tenant: TenantId => TenantId "tenantId",
        element_id: Text => ElementId "elementId",
        message_name: Text => MessageName "messageName",
        business_id: Option<Text> => BusinessId "businessId",
        state: SubscriptionState => State "messageSubscriptionState",
        updated_at: Timestamp => LastUpdatedDate "lastUpdatedDate",
    }
}

searchable! {
    /// One subscription can take several messages, so its key alone does not name a correlation: stores add
    /// the message key behind it.
    CorrelationView, CorrelationField by SubscriptionKey {
        subscription: SubscriptionKey => SubscriptionKey "subscriptionKey",
        message: MessageKey => MessageKey "messageKey",
        /// Where the message was kept.
        partition: PartitionId => PartitionId "partitionId",
        instance: ProcessInstanceKey => ProcessInstance "processInstanceKey",
        root: ProcessInstanceKey,
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        tenant: TenantId => TenantId "tenantId",
        element_instance: Option<ElementInstanceKey> => ElementInstance "elementInstanceKey",
        element_id: Text => ElementId "elementId",
        message_name: Text => MessageName "messageName",
        correlation_key: Text => CorrelationKey "correlationKey",
        business_id: Option<Text> => BusinessId "businessId",
        correlated_at: Timestamp => CorrelationTime "correlationTime",
    }
    also {
        fn tie_break(view: &CorrelationView) -> Option<i64> {
            Some(view.message.0)
        }
    }
}

impl MessageSubscriptionView {
    pub fn of(row: &Row<'_, MessageSubscription>) -> MessageSubscriptionView {
        let entity = row.entity;
        MessageSubscriptionView {
            key: entity.key,
            kind: SubscriptionKind::ProcessEvent,
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
            state: entity.state,
            updated_at: entity.updated_at,
        }
    }

    /// The subscription of a start event that waits for a message.
    pub fn of_start(row: &Row<'_, StartSubscription>) -> MessageSubscriptionView {
        let entity = row.entity;
        MessageSubscriptionView {
            key: entity.key,
            kind: SubscriptionKind::StartEvent,
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
            state: SubscriptionState::Created,
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
            // The key of a message carries the partition of its box.
            partition: entity.message.partition().unwrap_or(PartitionId(0)),
            instance: entity.origin.instance,
            root: entity.origin.root,
            definition: entity.origin.definition,
            process_id: row.process_id(),
            tenant: entity.origin.tenant.clone(),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            message_name: entity.message_name.clone(),
            correlation_key: entity.correlation_key.clone(),
            business_id: entity.business_id.clone(),
            correlated_at: entity.correlated_at,
        }
    }
}
