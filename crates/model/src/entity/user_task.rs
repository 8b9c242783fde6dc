//! Native user tasks.

use super::Origin;
use crate::named::names;
use crate::{ElementIndex, ElementInstanceKey, FormKey, RawJson, Text, Timestamp, UserTaskKey};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct UserTask {
    pub key: UserTaskKey,
    pub origin: Origin,
    pub element_instance: ElementInstanceKey,
    pub element: ElementIndex,
    pub element_id: Text,
    pub name: Option<Text>,
    pub state: UserTaskState,
    pub assignee: Option<Text>,
    pub candidate_users: Vec<Text>,
    pub candidate_groups: Vec<Text>,
    pub due_at: Option<Timestamp>,
    pub follow_up_at: Option<Timestamp>,
    /// 0 to 100.
    pub priority: i32,
    pub form: Option<FormKey>,
    pub external_form_reference: Option<Text>,
    /// Custom headers as one JSON object; none where there are no headers.
    pub headers: Option<RawJson>,
    pub business_id: Option<Text>,
    pub tags: Vec<Text>,
    /// The word a client gave for the last change: `complete`, `assign`, ...
    pub action: Option<Text>,
    pub created_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub enum UserTaskState {
    Creating,
    Created,
    Assigning,
    Updating,
    Completing,
    Completed,
    Canceling,
    Canceled,
    Failed,
}

names! {
    UserTaskState {
        Creating = "CREATING",
        Created = "CREATED",
        Assigning = "ASSIGNING",
        Updating = "UPDATING",
        Completing = "COMPLETING",
        Completed = "COMPLETED",
        Canceling = "CANCELING",
        Canceled = "CANCELED",
        Failed = "FAILED",
    }
}
