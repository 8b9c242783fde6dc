//! Messages and signals from outside.

use crate::{TenantId, Text, Variables};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct PublishMessage {
    pub tenant: TenantId,
    pub name: Text,
    pub correlation_key: Text,
    pub message_id: Option<Text>,
    pub business_id: Option<Text>,
    pub time_to_live_ms: i64,
    pub variables: Variables,
}

/// Reaches one instance now or is refused; never buffered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CorrelateMessage {
    pub tenant: TenantId,
    pub name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub variables: Variables,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct BroadcastSignal {
    pub tenant: TenantId,
    pub name: Text,
    pub variables: Variables,
}
