//! Element instances: every activation of a flow node, and the bodies of multi-instance activities.

use super::{Lifecycle, Origin, Scope, Trigger};
use crate::{
    ElementIndex, ElementInstanceKey, ElementKind, IncidentKey, JobKey, ProcessInstanceKey, Text, Timestamp,
    UserTaskKey, Variables,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ElementInstance {
    pub key: ElementInstanceKey,
    pub origin: Origin,
    pub element: ElementIndex,
    pub element_id: Text,
    /// `MultiInstanceBody` for bodies; their inner instances have the kind of the activity.
    pub kind: ElementKind,
    /// The scope around it: another element instance, or the process instance's own scope.
    pub parent: ElementInstanceKey,
    pub state: Lifecycle,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub scope: Scope,
    /// Counts from 1 in the inner instances of a multi-instance activity; 0 elsewhere.
    #[serde(default)]
    pub loop_counter: u32,
    /// On multi-instance bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<LoopProgress>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_task: Option<UserTaskKey>,
    /// The instance that a call activity has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<ProcessInstanceKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident: Option<IncidentKey>,
    /// Open incidents of the elements inside, and of the called instance and below.
    #[serde(default, rename = "called_incidents")]
    pub incidents_below: u32,
    /// The variables that a job, message, signal or error brought, until completion has used them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Variables>,
    /// The boundary event that follows once this activity has terminated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_by: Option<Box<Trigger>>,
}

/// The progress of a multi-instance body.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct LoopProgress {
    pub total: u32,
    pub created: u32,
    pub completed: u32,
    pub terminated: u32,
    /// The completion condition was true: the rest is being terminated.
    pub is_done: bool,
}

impl LoopProgress {
    pub fn active(&self) -> u32 {
        self.created - self.completed - self.terminated
    }
}
