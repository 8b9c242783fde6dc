//! Entities, which the engine knows and a store keeps: one struct per row, changed as a whole.

mod definition;
mod element_instance;
mod incident;
mod job;
mod loop_items;
mod message;
mod process_instance;
mod signal;
mod start;
mod timer;
mod user_task;
mod variable;

pub use definition::{DefinitionState, Form, ProcessDefinition, ProcessXml, Resource};
pub use element_instance::{ElementInstance, LoopProgress};
pub use incident::{Incident, IncidentKind, IncidentState};
pub use job::{Job, JobEvent, JobKind, JobLease, JobState, LastHeld, Lease};
pub use loop_items::{LoopInput, LoopOutput};
pub use message::{
    BoxSubscription, Message, MessageCorrelation, MessageStartLock, MessageSubscription, SubscriptionKind,
    SubscriptionState,
};
pub use process_instance::{FlowSet, ParentCall, ProcessInstance};
pub use signal::SignalSubscription;
pub use start::{StartEventKind, StartSubscription};
pub use timer::{Timer, TimerPurpose};
pub use user_task::{UserTask, UserTaskState};
pub use variable::Variable;

use crate::named::names;
use crate::{DefinitionKey, ElementIndex, FlowIndex, ProcessInstanceKey, TenantId, Variables};
use serde::{Deserialize, Serialize};

/// The instance that an entity belongs to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Origin {
    pub instance: ProcessInstanceKey,
    /// The outermost instance of the call tree; the instance itself where nobody called it.
    pub root: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
}

/// Where an element or process instance stands in its life.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum Lifecycle {
    Activating,
    Activated,
    Completing,
    Completed,
    Terminating,
    Terminated,
}

impl Lifecycle {
    pub fn has_ended(self) -> bool {
        matches!(self, Lifecycle::Completed | Lifecycle::Terminated)
    }

    /// Still able to start something new or to catch an event.
    pub fn is_open(self) -> bool {
        matches!(self, Lifecycle::Activating | Lifecycle::Activated)
    }
}

/// The state of an element or process instance as the API shows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InstanceState {
    Active,
    Completed,
    Terminated,
}

names! {
    InstanceState {
        Active = "ACTIVE",
        Completed = "COMPLETED",
        Terminated = "TERMINATED",
    }
}

impl From<Lifecycle> for InstanceState {
    fn from(state: Lifecycle) -> InstanceState {
        match state {
            Lifecycle::Completed => InstanceState::Completed,
            Lifecycle::Terminated => InstanceState::Terminated,
            Lifecycle::Activating | Lifecycle::Activated | Lifecycle::Completing | Lifecycle::Terminating => {
                InstanceState::Active
            }
        }
    }
}

/// The state of the elements inside a scope.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct Scope {
    /// Element instances alive directly in this scope.
    pub children: u32,
    /// Sequence flows taken whose target is not active yet, those waiting at a join included.
    pub flows: u32,
    /// Tokens that wait at joining gateways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingToken>,
    /// The interruption that is followed once everything in this scope has terminated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interruption: Option<Box<Interruption>>,
    /// An interrupting event subprocess has been triggered: nothing else may start here any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interrupted: bool,
}

impl Scope {
    /// Nothing is alive and no token travels.
    pub fn is_empty(&self) -> bool {
        self.children == 0 && self.flows == 0
    }
}

/// Tokens that came over one flow to a gateway that still waits for others.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct WaitingToken {
    pub gateway: ElementIndex,
    pub flow: FlowIndex,
    pub count: u32,
}

/// Why the elements of a scope are being terminated while the scope itself goes on.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum Interruption {
    /// An interrupting event subprocess takes over.
    EventSubProcess(Trigger),
    /// A terminate end event was reached: the scope completes.
    TerminateEnd,
}

/// An event that was caught, on its way to the element that handles it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Trigger {
    /// The catching event: a boundary event, the start event of an event subprocess, a catch event.
    pub target: ElementIndex,
    /// The variables that the event brings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Variables>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(value: &bool) -> bool {
    !*value
}
