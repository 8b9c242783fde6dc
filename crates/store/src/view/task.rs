//! Work as it is shown: jobs and user tasks.

use super::{OriginView, Row};
use tidemill_model::entity::{Job, Lease, UserTask};
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

impl JobView {
    /// With the lease that holds a live job, wherever that is stored.
    pub fn of(row: &Row<'_, Job>, lease: Option<&Lease>) -> JobView {
        let entity = row.entity;
        JobView {
            key: entity.key,
            origin: row.origin(&entity.origin),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            kind: entity.kind.name().into(),
            job_type: entity.job_type.clone(),
            state: entity.last_event.name().into(),
            retries: entity.retries,
            priority: entity.priority,
            headers: entity.headers.clone(),
            worker: lease.map(|lease| lease.worker.clone()),
            deadline: lease.map(|lease| lease.deadline),
            error_code: entity.error_code.clone(),
            error_message: entity.error_message.clone(),
            has_failed_with_retries_left: entity.has_failed_with_retries_left,
            business_id: entity.business_id.clone(),
            created_at: entity.created_at,
            updated_at: entity.updated_at,
            ended_at: row.ended_at(entity.ended_at, entity.updated_at),
        }
    }
}

impl UserTaskView {
    pub fn of(row: &Row<'_, UserTask>) -> UserTaskView {
        let entity = row.entity;
        UserTaskView {
            key: entity.key,
            origin: row.origin(&entity.origin),
            process_name: row.process_name(),
            version: row.version(),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            name: entity.name.clone(),
            state: entity.state.name().into(),
            assignee: entity.assignee.clone(),
            candidate_users: entity.candidate_users.clone(),
            candidate_groups: entity.candidate_groups.clone(),
            due_at: entity.due_at,
            follow_up_at: entity.follow_up_at,
            priority: entity.priority,
            form: entity.form,
            external_form_reference: entity.external_form_reference.clone(),
            headers: entity.headers.clone(),
            business_id: entity.business_id.clone(),
            tags: entity.tags.clone(),
            created_at: entity.created_at,
            ended_at: row.ended_at(entity.ended_at, entity.created_at),
        }
    }
}
