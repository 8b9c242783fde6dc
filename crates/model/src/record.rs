//! Records of what happened, in order: for tests, traces and exporters. They are not stored.

use crate::entity::{IncidentKind, JobEvent, UserTaskState};
use crate::{ElementKind, Key, ProcessInstanceKey, RawJson, Rejection, Text, Timestamp};
use std::fmt;

#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub key: Key,
    pub instance: Option<ProcessInstanceKey>,
    pub event: Event,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    Element { id: Text, kind: ElementKind, intent: ElementIntent },
    FlowTaken { id: Text },
    VariableCreated { scope: Key, name: Text, value: RawJson },
    VariableUpdated { scope: Key, name: Text, value: RawJson },
    Job { job_type: Text, element_id: Text, event: JobEvent },
    JobActivated { job_type: Text, worker: Text },
    UserTask { element_id: Text, state: UserTaskState },
    IncidentCreated { element_id: Text, kind: IncidentKind, message: String },
    IncidentResolved { element_id: Text, kind: IncidentKind },
    TimerCreated { target_id: Text, due_at: Timestamp, repetitions: Option<i32> },
    TimerTriggered { target_id: Text },
    TimerCanceled { target_id: Text },
    MessagePublished { name: Text, correlation_key: Text },
    MessageExpired { name: Text, correlation_key: Text },
    SubscriptionCreated { name: Text, correlation_key: Text },
    SubscriptionCorrelated { name: Text, correlation_key: Text },
    SubscriptionDeleted { name: Text, correlation_key: Text },
    SignalBroadcast { name: Text },
    SignalSubscriptionCreated { name: Text },
    SignalSubscriptionDeleted { name: Text },
    ErrorThrown { code: Text, caught_by: Option<Text> },
    EscalationThrown { code: Text, caught_by: Option<Text> },
    Deployed { resource_id: Text, version: i32 },
    ResourceDeleted { resource_id: Text, version: i32 },
    Rejected { intent: &'static str, rejection: Rejection },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementIntent {
    Activating,
    Activated,
    Completing,
    Completed,
    Terminating,
    Terminated,
}

/// One compact line, the way a failed test prints the log.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} ", self.key.counter())?;
        match &self.event {
            Event::Element { id, kind, intent } => write!(f, "{:<26} {intent:?} {id}", kind.name()),
            Event::FlowTaken { id } => write!(f, "{:<26} Taken {id}", "SEQUENCE_FLOW"),
            Event::VariableCreated { scope, name, value } => {
                write!(f, "{:<26} Created {name} = {value} in {}", "VARIABLE", scope.counter())
            }
            Event::VariableUpdated { scope, name, value } => {
                write!(f, "{:<26} Updated {name} = {value} in {}", "VARIABLE", scope.counter())
            }
            Event::Job { job_type, element_id, event } => {
                write!(f, "{:<26} {event:?} {job_type} of {element_id}", "JOB")
            }
            other => write!(f, "{other:?}"),
        }
    }
}
