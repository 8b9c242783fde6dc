//! Commands on user tasks.

use crate::{Text, Timestamp, UserTaskKey, Variables};
use serde::{Deserialize, Serialize};

/// Assign, claim and unassign.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct AssignUserTask {
    pub task: UserTaskKey,
    /// None takes the task from whoever holds it.
    pub assignee: Option<Text>,
    /// False is a claim: it fails if somebody else holds the task.
    pub allow_override: bool,
    pub action: Option<Text>,
}

impl AssignUserTask {
    pub(super) fn intent(&self) -> &'static str {
        if self.allow_override { "ASSIGN" } else { "CLAIM" }
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct UpdateUserTask {
    pub task: UserTaskKey,
    pub changes: UserTaskChanges,
    pub action: Option<Text>,
}

/// An outer none leaves the attribute as it is; an inner none clears it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct UserTaskChanges {
    pub due_at: Option<Option<Timestamp>>,
    pub follow_up_at: Option<Option<Timestamp>>,
    pub candidate_users: Option<Vec<Text>>,
    pub candidate_groups: Option<Vec<Text>>,
    pub priority: Option<i32>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct CompleteUserTask {
    pub task: UserTaskKey,
    pub variables: Variables,
    pub action: Option<Text>,
}
