//! Signal subscriptions of running elements.

use super::Origin;
use crate::{ElementIndex, ElementInstanceKey, SubscriptionKey, Text};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct SignalSubscription {
    pub key: SubscriptionKey,
    pub origin: Origin,
    pub element_instance: ElementInstanceKey,
    pub target: ElementIndex,
    pub signal_name: Text,
    pub is_interrupting: bool,
}
