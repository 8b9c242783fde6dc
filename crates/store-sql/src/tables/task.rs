//! Jobs and user tasks.

use super::instance::{ENDED_AT, side_of_end};
use super::origin;
use crate::row::Columns;
use crate::table::side_of_state;
use crate::{Column, Dialect, SearchTable, Side};
use tidemill_model::RawJson;
use tidemill_store::Result;
use tidemill_store::query::{JobField, Test, UserTaskField};
use tidemill_store::view::{JobView, UserTaskView};

/// The newer of the job's own lease and the one that stands in a lease row; what is not above the floor is over.
const WORKER: Column = Column::Sides {
    live: "CASE WHEN l.lease_key > {t}.lease_floor THEN l.worker ELSE {t}.worker END",
    history: "{t}.worker",
};
const DEADLINE: Column = Column::Sides {
    live: "CASE WHEN l.lease_key > {t}.lease_floor THEN l.deadline ELSE {t}.deadline END",
    history: "{t}.deadline",
};

impl SearchTable for JobField {
    type View = JobView;

    const LIVE: Option<&'static str> = Some("jobs");
    const HISTORY: Option<&'static str> = Some("jobs_history");
    const HAS_DEFINITION: bool = true;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("instance_key"),
        Column::Own("root_key"),
        Column::Own("definition_key"),
        Column::Definition("process_id"),
        Column::Own("tenant"),
        Column::Own("element_instance"),
        Column::Own("element_id"),
        Column::Own("kind"),
        Column::Own("job_type"),
        Column::Own("state"),
        Column::Own("retries"),
        Column::Own("priority"),
        Column::Own("headers"),
        WORKER,
        DEADLINE,
        Column::Own("error_code"),
        Column::Own("error_message"),
        Column::Own("has_failed_with_retries_left"),
        Column::Own("business_id"),
        Column::Own("created_at"),
        Column::Own("updated_at"),
        ENDED_AT,
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::Type => Column::Own("job_type"),
            Self::Kind => Column::Own("kind"),
            Self::Worker => WORKER,
            Self::Deadline => DEADLINE,
            Self::State => Column::Own("state"),
            Self::Retries => Column::Own("retries"),
            Self::Priority => Column::Own("priority"),
            Self::ErrorCode => Column::Own("error_code"),
            Self::ErrorMessage => Column::Own("error_message"),
            Self::HasFailedWithRetriesLeft => Column::Own("has_failed_with_retries_left"),
            Self::ElementId => Column::Own("element_id"),
            Self::ElementInstance => Column::Own("element_instance"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::CreationTime => Column::Own("created_at"),
            Self::LastUpdateTime => Column::Own("updated_at"),
            Self::EndTime => ENDED_AT,
            Self::TenantId => Column::Own("tenant"),
            Self::BusinessId => Column::Own("business_id"),
        }
    }

    fn live_join(dialect: &dyn Dialect) -> String {
        format!(" LEFT JOIN {} l ON l.job_key = t.key", dialect.job_leases())
    }

    fn is_joined(self) -> bool {
        matches!(self, Self::Worker | Self::Deadline)
    }

    fn side_of(self, test: &Test) -> Option<Side> {
        match self {
            Self::State => {
                side_of_state(test, &["CREATED", "FAILED", "TIMED_OUT"], &["COMPLETED", "CANCELED"])
            }
            Self::EndTime => side_of_end(test),
            _ => None,
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<JobView> {
        Ok(JobView {
            key: columns.key()?,
            origin: origin(columns)?,
            element_instance: columns.key()?,
            element_id: columns.text()?,
            kind: columns.text()?,
            job_type: columns.text()?,
            state: columns.text()?,
            retries: columns.small()?,
            priority: columns.small()?,
            headers: columns.maybe_text()?.map(RawJson::new),
            worker: columns.maybe_text()?,
            deadline: columns.maybe_time()?,
            error_code: columns.maybe_text()?,
            error_message: columns.maybe_text()?,
            has_failed_with_retries_left: columns.boolean()?,
            business_id: columns.maybe_text()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            ended_at: columns.maybe_time()?,
        })
    }
}

impl SearchTable for UserTaskField {
    type View = UserTaskView;

    const LIVE: Option<&'static str> = Some("user_tasks");
    const HISTORY: Option<&'static str> = Some("user_tasks_history");
    const HAS_DEFINITION: bool = true;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("instance_key"),
        Column::Own("root_key"),
        Column::Own("definition_key"),
        Column::Definition("process_id"),
        Column::Own("tenant"),
        Column::Definition("name"),
        Column::Definition("version"),
        Column::Own("element_instance"),
        Column::Own("element_id"),
        Column::Own("name"),
        Column::Own("state"),
        Column::Own("assignee"),
        Column::Own("candidate_users"),
        Column::Own("candidate_groups"),
        Column::Own("due_at"),
        Column::Own("follow_up_at"),
        Column::Own("priority"),
        Column::Own("form_key"),
        Column::Own("external_form_reference"),
        Column::Own("headers"),
        Column::Own("business_id"),
        Column::Own("tags"),
        Column::Own("created_at"),
        ENDED_AT,
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::State => Column::Own("state"),
            Self::Assignee => Column::Own("assignee"),
            Self::BusinessId => Column::Own("business_id"),
            Self::Priority => Column::Own("priority"),
            Self::ElementId => Column::Own("element_id"),
            Self::Name => Column::Own("name"),
            Self::CandidateGroup => Column::Own("candidate_groups"),
            Self::CandidateUser => Column::Own("candidate_users"),
            Self::TenantId => Column::Own("tenant"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::CreationDate => Column::Own("created_at"),
            Self::CompletionDate => ENDED_AT,
            Self::FollowUpDate => Column::Own("follow_up_at"),
            Self::DueDate => Column::Own("due_at"),
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::ElementInstance => Column::Own("element_instance"),
            Self::Tags => Column::Own("tags"),
        }
    }

    fn side_of(self, test: &Test) -> Option<Side> {
        const LIVE: &[&str] =
            &["CREATING", "CREATED", "ASSIGNING", "UPDATING", "COMPLETING", "CANCELING", "FAILED"];
        match self {
            Self::State => side_of_state(test, LIVE, &["COMPLETED", "CANCELED"]),
            Self::CompletionDate => side_of_end(test),
            _ => None,
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<UserTaskView> {
        Ok(UserTaskView {
            key: columns.key()?,
            origin: origin(columns)?,
            process_name: columns.maybe_text()?,
            version: columns.maybe_int()?.unwrap_or_default() as i32,
            element_instance: columns.key()?,
            element_id: columns.text()?,
            name: columns.maybe_text()?,
            state: columns.text()?,
            assignee: columns.maybe_text()?,
            candidate_users: columns.texts()?,
            candidate_groups: columns.texts()?,
            due_at: columns.maybe_time()?,
            follow_up_at: columns.maybe_time()?,
            priority: columns.small()?,
            form: columns.maybe_key()?,
            external_form_reference: columns.maybe_text()?,
            headers: columns.maybe_text()?.map(RawJson::new),
            business_id: columns.maybe_text()?,
            tags: columns.texts()?,
            created_at: columns.time()?,
            ended_at: columns.maybe_time()?,
        })
    }
}
