//! Messages on both sides: the box that buffers them by correlation key, and the instances that wait.

use super::{Origin, is_false};
use crate::command::ReplyToken;
use crate::named::names;
use crate::{
    ElementIndex, ElementInstanceKey, MessageKey, ProcessInstanceKey, SubscriptionKey, TenantId, Text,
    Timestamp, Variables,
};

use serde::{Deserialize, Serialize};

/// A buffered message, in the box of its correlation key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Message {
    pub key: MessageKey,
    pub tenant: TenantId,
    pub name: Text,
    pub correlation_key: Text,
    pub message_id: Option<Text>,
    pub business_id: Option<Text>,
    pub variables: Variables,
    pub expires_at: Timestamp,
    /// Process ids that have had it: each gets a message once, over all its versions.
    pub correlated_to: Vec<Text>,
    /// It is for those who were waiting when it came but had another message on its way, and it is kept only until
    /// they have settled that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waits_for_busy: bool,
    /// Somebody waits for what becomes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<ReplyToken>,
}

/// The instance's side of a subscription: what waits, and for what.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct MessageSubscription {
    pub key: SubscriptionKey,
    pub origin: Origin,
    pub element_instance: ElementInstanceKey,
    /// The catching event, which need not be the waiting element: boundary events wait on their activity.
    pub target: ElementIndex,
    pub target_id: Text,
    pub message_name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub is_interrupting: bool,
    pub state: SubscriptionState,
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum SubscriptionState {
    Created,
    Correlated,
    Deleted,
}

names! {
    SubscriptionState {
        Created = "CREATED",
        Correlated = "CORRELATED",
        Deleted = "DELETED",
    }
}

/// The receiver that waits for a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SubscriptionKind {
    /// An element of a running instance.
    ProcessEvent,
    /// A start event of a definition.
    StartEvent,
}

names! {
    SubscriptionKind {
        ProcessEvent = "PROCESS_EVENT",
        StartEvent = "START_EVENT",
    }
}

/// The box's side of a subscription.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct BoxSubscription {
    pub key: SubscriptionKey,
    pub tenant: TenantId,
    pub message_name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub process_id: Text,
    pub instance: ProcessInstanceKey,
    pub is_interrupting: bool,
    /// The message on its way to the instance, until that accepts or rejects it.
    pub correlating: Option<MessageKey>,
    /// Somebody waits for the outcome of that correlation. Of several subscriptions that the message is on its
    /// way to, one has the reply token and answers.
    #[serde(default)]
    pub reply: Option<ReplyToken>,
}

/// While it exists, messages with this correlation key start no further instance of the process.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct MessageStartLock {
    pub tenant: TenantId,
    pub process_id: Text,
    pub correlation_key: Text,
    /// The instance that holds the lock.
    pub instance: ProcessInstanceKey,
}

/// That a message reached an instance: written once, never changed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct MessageCorrelation {
    /// The subscription that took it; for a start event, the message's own subscription of the definition.
    pub subscription: SubscriptionKey,
    pub message: MessageKey,
    pub origin: Origin,
    /// None for a start event.
    pub element_instance: Option<ElementInstanceKey>,
    pub element_id: Text,
    pub message_name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub correlated_at: Timestamp,
}
