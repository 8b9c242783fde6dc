//! Jobs and user tasks.

use crate::query::plain::{FieldValue, Related, Shown};
use crate::query::{JobField, UserTaskField};
use crate::view::{JobView, UserTaskView};
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey};

impl Shown for JobField {
    type View = JobView;

    fn value<'v>(self, view: &'v JobView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::Type => (&view.job_type).into(),
            Self::Kind => (&view.kind).into(),
            Self::Worker => view.worker.as_ref().into(),
            Self::Deadline => view.deadline.into(),
            Self::State => (&view.state).into(),
            Self::Retries => view.retries.into(),
            Self::Priority => view.priority.into(),
            Self::ErrorCode => view.error_code.as_ref().into(),
            Self::ErrorMessage => view.error_message.as_ref().into(),
            Self::HasFailedWithRetriesLeft => view.has_failed_with_retries_left.into(),
            Self::ElementId => (&view.element_id).into(),
            Self::ElementInstance => view.element_instance.0.into(),
            Self::ProcessInstance => view.origin.instance.0.into(),
            Self::DefinitionKey => view.origin.definition.0.into(),
            Self::ProcessId => (&view.origin.process_id).into(),
            Self::CreationTime => view.created_at.into(),
            Self::LastUpdateTime => view.updated_at.into(),
            Self::EndTime => view.ended_at.into(),
            Self::TenantId => (&view.origin.tenant.0).into(),
            Self::BusinessId => view.business_id.as_ref().into(),
        }
    }
}

impl Shown for UserTaskField {
    type View = UserTaskView;

    fn value<'v>(self, view: &'v UserTaskView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::State => (&view.state).into(),
            Self::Assignee => view.assignee.as_ref().into(),
            Self::BusinessId => view.business_id.as_ref().into(),
            Self::Priority => view.priority.into(),
            Self::ElementId => (&view.element_id).into(),
            Self::Name => view.name.as_ref().into(),
            Self::CandidateGroup => (&view.candidate_groups).into(),
            Self::CandidateUser => (&view.candidate_users).into(),
            Self::TenantId => (&view.origin.tenant.0).into(),
            Self::ProcessId => (&view.origin.process_id).into(),
            Self::CreationDate => view.created_at.into(),
            Self::CompletionDate => view.ended_at.into(),
            Self::FollowUpDate => view.follow_up_at.into(),
            Self::DueDate => view.due_at.into(),
            Self::DefinitionKey => view.origin.definition.0.into(),
            Self::ProcessInstance => view.origin.instance.0.into(),
            Self::ElementInstance => view.element_instance.0.into(),
            Self::Tags => (&view.tags).into(),
        }
    }

    fn instance(view: &UserTaskView) -> Option<ProcessInstanceKey> {
        Some(view.origin.instance)
    }

    fn element(view: &UserTaskView) -> Option<ElementInstanceKey> {
        Some(view.element_instance)
    }
}
