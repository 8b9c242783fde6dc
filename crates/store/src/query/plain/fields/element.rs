//! What an instance consists of: elements, variables, incidents.

use crate::query::plain::{FieldValue, Related, Shown};
use crate::query::{BRIEF_CHARS_MAX, ElementInstanceField, IncidentField, VariableField};
use crate::view::{ElementInstanceView, IncidentView, VariableView, error_hash};
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey, RawJson};

impl Shown for ElementInstanceField {
    type View = ElementInstanceView;

    fn value<'v>(self, view: &'v ElementInstanceView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::ProcessInstance => view.origin.instance.0.into(),
            Self::DefinitionKey => view.origin.definition.0.into(),
            Self::ProcessId => (&view.origin.process_id).into(),
            Self::StartDate => view.started_at.into(),
            Self::EndDate => view.ended_at.into(),
            Self::ElementId => (&view.element_id).into(),
            Self::Type => (&view.kind).into(),
            Self::State => (&view.state).into(),
            Self::HasIncident => view.has_incident.into(),
            Self::IncidentKey => view.incident.map(|key| key.0).into(),
            Self::TenantId => (&view.origin.tenant.0).into(),
            Self::Scope => view.parent.0.into(),
        }
    }
}

impl Shown for VariableField {
    type View = VariableView;

    fn value<'v>(self, view: &'v VariableView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::Name => (&view.name).into(),
            Self::Value => FieldValue::Text(view.value.as_str()),
            Self::TenantId => (&view.tenant.0).into(),
            Self::Scope => view.scope.0.into(),
            Self::ProcessInstance => view.instance.0.into(),
            Self::IsTruncated => (view.value.as_str().chars().count() > BRIEF_CHARS_MAX).into(),
        }
    }

    /// One character more tells that there is more.
    fn shorten(view: &mut VariableView) {
        if let Some((end, _)) = view.value.as_str().char_indices().nth(BRIEF_CHARS_MAX + 1) {
            view.value = RawJson::new(&view.value.as_str()[..end]);
        }
    }
}

impl Shown for IncidentField {
    type View = IncidentView;

    fn value<'v>(self, view: &'v IncidentView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::DefinitionKey => view.origin.definition.0.into(),
            Self::ProcessId => (&view.origin.process_id).into(),
            Self::ProcessInstance => view.origin.instance.0.into(),
            Self::ErrorType => (&view.kind).into(),
            Self::ErrorMessage => FieldValue::Text(&view.message),
            Self::ErrorHash => error_hash(&view.message).into(),
            Self::ElementId => (&view.element_id).into(),
            Self::ElementInstance => view.element_instance.0.into(),
            Self::CreationTime => view.created_at.into(),
            Self::State => (&view.state).into(),
            Self::JobKey => view.job.map(|key| key.0).into(),
            Self::TenantId => (&view.origin.tenant.0).into(),
        }
    }

    fn instance(view: &IncidentView) -> Option<ProcessInstanceKey> {
        Some(view.origin.instance)
    }

    fn element(view: &IncidentView) -> Option<ElementInstanceKey> {
        Some(view.element_instance)
    }
}
