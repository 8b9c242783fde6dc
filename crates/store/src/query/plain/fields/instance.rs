//! Process instances.

use crate::query::ProcessInstanceField;
use crate::query::plain::{FieldValue, Related, Shown};
use crate::view::ProcessInstanceView;
use tidemill_model::ProcessInstanceKey;

impl Shown for ProcessInstanceField {
    type View = ProcessInstanceView;

    fn value<'v>(self, view: &'v ProcessInstanceView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::DefinitionKey => view.definition.0.into(),
            Self::ProcessId => (&view.process_id).into(),
            Self::ProcessName => view.process_name.as_ref().into(),
            Self::Version => view.version.into(),
            Self::VersionTag => view.version_tag.as_ref().into(),
            Self::ParentInstance => view.parent_instance.map(|key| key.0).into(),
            Self::ParentElement => view.parent_element.map(|key| key.0).into(),
            Self::Root => view.root.0.into(),
            Self::StartDate => view.started_at.into(),
            Self::EndDate => view.ended_at.into(),
            // Instances are never suspended.
            Self::SuspendedDate => FieldValue::Null,
            Self::State => (&view.state).into(),
            Self::HasIncident => view.has_incident.into(),
            Self::TenantId => (&view.tenant.0).into(),
            Self::BusinessId => view.business_id.as_ref().into(),
            Self::Tags => (&view.tags).into(),
        }
    }

    fn instance(view: &ProcessInstanceView) -> Option<ProcessInstanceKey> {
        Some(view.key)
    }
}
