//! Work as it is shown: jobs and user tasks.

use super::Row;
use crate::query::searchable;
use tidemill_model::entity::{Job, JobEvent, JobKind, Lease, UserTask, UserTaskState};
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, FormKey, JobKey, ProcessInstanceKey, RawJson, TenantId, Text,
    Timestamp, UserTaskKey,
};

searchable! {
    JobView, JobField by Key {
        key: JobKey => Key "jobKey",
        instance: ProcessInstanceKey => ProcessInstance "processInstanceKey",
        root: ProcessInstanceKey,
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        tenant: TenantId => TenantId "tenantId",
        element_instance: ElementInstanceKey => ElementInstance "elementInstanceKey",
        element_id: Text => ElementId "elementId",
        kind: JobKind => Kind "kind",
        job_type: Text => Type "type",
        /// The last thing that happened.
        state: JobEvent => State "state",
        retries: i32 => Retries "retries",
        priority: i32 => Priority "priority",
        headers: Option<RawJson>,
        /// Of the lease that holds it, or held it last.
        worker: Option<Text> => Worker "worker",
        deadline: Option<Timestamp> => Deadline "deadline",
        error_code: Option<Text> => ErrorCode "errorCode",
        error_message: Option<Text> => ErrorMessage "errorMessage",
        has_failed_with_retries_left: bool => HasFailedWithRetriesLeft "hasFailedWithRetriesLeft",
        business_id: Option<Text> => BusinessId "businessId",
        created_at: Timestamp => CreationTime "creationTime",
        updated_at: Timestamp => LastUpdateTime "lastUpdateTime",
        ended_at: Option<Timestamp> => EndTime "endTime",
    }
}

searchable! {
    UserTaskView, UserTaskField by Key {
        key: UserTaskKey => Key "userTaskKey",
        instance: ProcessInstanceKey => ProcessInstance "processInstanceKey",
        root: ProcessInstanceKey,
        definition: DefinitionKey => DefinitionKey "processDefinitionKey",
        process_id: Text => ProcessId "processDefinitionId",
        tenant: TenantId => TenantId "tenantId",
        process_name: Option<Text>,
        version: i32,
        element_instance: ElementInstanceKey => ElementInstance "elementInstanceKey",
        element_id: Text => ElementId "elementId",
        name: Option<Text> => Name "name",
        state: UserTaskState => State "state",
        assignee: Option<Text> => Assignee "assignee",
        candidate_users: Vec<Text> => CandidateUser "candidateUser",
        candidate_groups: Vec<Text> => CandidateGroup "candidateGroup",
        due_at: Option<Timestamp> => DueDate "dueDate",
        follow_up_at: Option<Timestamp> => FollowUpDate "followUpDate",
        priority: i32 => Priority "priority",
        form: Option<FormKey>,
        external_form_reference: Option<Text>,
        headers: Option<RawJson>,
        business_id: Option<Text> => BusinessId "businessId",
        tags: Vec<Text> => Tags "tags",
        created_at: Timestamp => CreationDate "creationDate",
        ended_at: Option<Timestamp> => CompletionDate "completionDate",
    }
    also {
        fn instance(view: &UserTaskView) -> Option<ProcessInstanceKey> {
            Some(view.instance)
        }

        fn element(view: &UserTaskView) -> Option<ElementInstanceKey> {
            Some(view.element_instance)
        }
    }
}

impl JobView {
    /// With the lease that holds a live job, wherever that is stored.
    pub fn of(row: &Row<'_, Job>, lease: Option<&Lease>) -> JobView {
        let entity = row.entity;
        let last = entity.last_held.as_ref();
        JobView {
            key: entity.key,
            instance: entity.origin.instance,
            root: entity.origin.root,
            definition: entity.origin.definition,
            process_id: row.process_id(),
            tenant: entity.origin.tenant.clone(),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            kind: entity.kind,
            job_type: entity.job_type.clone(),
            state: entity.last_event,
            retries: entity.retries,
            priority: entity.priority,
            headers: entity.headers.clone(),
            // A job that nobody holds still shows who had it last: operators look for that when it fails.
            worker: lease.map(|lease| lease.worker.clone()).or(last.map(|last| last.worker.clone())),
            deadline: lease.map(|lease| lease.deadline).or(last.map(|last| last.deadline)),
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
            instance: entity.origin.instance,
            root: entity.origin.root,
            definition: entity.origin.definition,
            process_id: row.process_id(),
            tenant: entity.origin.tenant.clone(),
            process_name: row.process_name(),
            version: row.version(),
            element_instance: entity.element_instance,
            element_id: entity.element_id.clone(),
            name: entity.name.clone(),
            state: entity.state,
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
