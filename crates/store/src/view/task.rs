//! Work as it is shown: jobs and user tasks.

use super::OriginView;
use tidemill_model::{ElementInstanceKey, FormKey, JobKey, RawJson, Text, Timestamp, UserTaskKey};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobView {
    pub key: JobKey,
    pub origin: OriginView,
    pub element_instance: ElementInstanceKey,
    pub element_id: Text,
    pub kind: Text,
    pub job_type: Text,
    /// The last thing that happened: `CREATED`, `FAILED`, ...
    pub state: Text,
    pub retries: i32,
    pub priority: i32,
    pub headers: Option<RawJson>,
    /// Of the lease that holds it.
    pub worker: Option<Text>,
    pub deadline: Option<Timestamp>,
    pub error_code: Option<Text>,
    pub error_message: Option<Text>,
    pub has_failed_with_retries_left: bool,
    pub business_id: Option<Text>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserTaskView {
    pub key: UserTaskKey,
    pub origin: OriginView,
    pub process_name: Option<Text>,
    pub version: i32,
    pub element_instance: ElementInstanceKey,
    pub element_id: Text,
    pub name: Option<Text>,
    pub state: Text,
    pub assignee: Option<Text>,
    pub candidate_users: Vec<Text>,
    pub candidate_groups: Vec<Text>,
    pub due_at: Option<Timestamp>,
    pub follow_up_at: Option<Timestamp>,
    pub priority: i32,
    pub form: Option<FormKey>,
    pub external_form_reference: Option<Text>,
    pub headers: Option<RawJson>,
    pub business_id: Option<Text>,
    pub tags: Vec<Text>,
    pub created_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}
