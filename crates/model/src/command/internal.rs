//! Commands that the engine sends itself: across aggregates, across partitions, across time.

use crate::entity::{BoxSubscription, Timer, Trigger};
use crate::{
    ElementIndex, ElementInstanceKey, FlowIndex, JobKey, MessageKey, PartitionId, ProcessInstanceKey,
    SignalKey, SubscriptionKey, TenantId, Text, Timestamp, Variables,
};
use serde::{Deserialize, Serialize};

/// Work of an instance that one command did not get to: budget spent, or too many children at once.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Continue {
    pub instance: ProcessInstanceKey,
    pub steps: Vec<Step>,
    /// Elements activated since something last waited; ends in an incident when it grows too large.
    pub elements_passed: u32,
}

/// The rest of a deleted instance that its last commit did not get to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct DeleteRemains {
    pub instance: ProcessInstanceKey,
}

/// One move of one element. Steps run in the order in which they were made.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub enum Step {
    /// A token arrives over a flow, or an element begins for another reason.
    Activate {
        scope: ElementInstanceKey,
        element: ElementIndex,
        flow: Option<FlowIndex>,
        trigger: Option<Trigger>,
    },
    /// An activation goes on: after an incident, or where it was split.
    Resume {
        element: ElementInstanceKey,
    },
    Complete {
        element: ElementInstanceKey,
    },
    Terminate {
        element: ElementInstanceKey,
    },
    /// The next children of a scope that is being terminated.
    TerminateChildren {
        scope: ElementInstanceKey,
        after: Option<ElementInstanceKey>,
    },
    /// The next inner instances of a multi-instance body.
    SpawnChildren {
        body: ElementInstanceKey,
    },
    /// Everything inside a terminating element or instance has ended: now it ends itself.
    FinishTermination {
        element: ElementInstanceKey,
    },
}

/// A timer that is due, as it was when the schedule took it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct TriggerTimer {
    pub timer: Timer,
    /// It was put aside when it should have fired, so it is stored nowhere else any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_put_aside: bool,
}

/// Jobs whose leases have run out at this time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ExpireLeases {
    pub jobs: Vec<JobKey>,
    pub at: Timestamp,
}

/// Instance to box: I wait for this.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct OpenBoxSubscription {
    pub subscription: BoxSubscription,
}

/// Instance to box: I no longer wait.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CloseBoxSubscription {
    pub subscription: SubscriptionKey,
    pub tenant: TenantId,
    pub message_name: Text,
    pub correlation_key: Text,
}

/// Box to instance: this message is for you.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CorrelateSubscription {
    pub instance: ProcessInstanceKey,
    pub subscription: SubscriptionKey,
    pub tenant: TenantId,
    pub message: MessageKey,
    pub message_name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub variables: Variables,
}

/// Instance to box: taken, or not wanted any more.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct AnswerCorrelation {
    pub subscription: SubscriptionKey,
    pub tenant: TenantId,
    pub message: MessageKey,
    pub message_name: Text,
    pub correlation_key: Text,
    pub business_id: Option<Text>,
    pub accepted: bool,
    pub instance: ProcessInstanceKey,
    /// The message itself comes back with a refusal, so that a box that did not buffer it can offer it on.
    pub variables: Variables,
}

/// Names a waiting caller on the partition where its request came in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub struct ReplyToken {
    pub partition: PartitionId,
    pub number: u64,
}

/// Instance to box: I was started by a message and have ended.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ReleaseStartLock {
    pub tenant: TenantId,
    pub process_id: Text,
    pub correlation_key: Text,
    pub instance: ProcessInstanceKey,
}

/// A signal on its way over the subscriptions of one partition, so many per command.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct DeliverSignal {
    pub partition: PartitionId,
    pub signal: SignalKey,
    pub tenant: TenantId,
    pub name: Text,
    pub variables: Variables,
    /// The last subscription that has had it.
    pub after: Option<SubscriptionKey>,
    /// Subscriptions opened after the signal reached this partition do not get it.
    pub until: Option<SubscriptionKey>,
}
