//! Standing subscriptions of start events: which message or signal starts which process.

use crate::{DefinitionKey, ElementIndex, SubscriptionKey, TenantId, Text, Timestamp};
use serde::{Deserialize, Serialize};

/// Of the latest version of a process only; a new version takes them over.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct StartSubscription {
    pub key: SubscriptionKey,
    pub tenant: TenantId,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub element: ElementIndex,
    pub element_id: Text,
    pub kind: StartEventKind,
    /// Of the message or signal.
    pub name: Text,
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
pub enum StartEventKind {
    Message,
    Signal,
}
