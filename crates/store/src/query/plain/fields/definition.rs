//! Definitions and resources.

use crate::query::plain::{FieldValue, Related, Shown};
use crate::query::{ProcessDefinitionField, ResourceField};
use crate::view::{ProcessDefinitionView, ResourceView};

impl Shown for ProcessDefinitionField {
    type View = ProcessDefinitionView;

    fn value<'v>(self, view: &'v ProcessDefinitionView, related: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::ProcessId => (&view.process_id).into(),
            Self::Name => view.name.as_ref().into(),
            Self::ResourceName => (&view.resource_name).into(),
            Self::Version => view.version.into(),
            Self::VersionTag => view.version_tag.as_ref().into(),
            Self::TenantId => (&view.tenant.0).into(),
            Self::HasStartForm => view.has_start_form.into(),
            Self::State => (&view.state).into(),
            Self::IsLatestVersion => related.is_latest(view).into(),
        }
    }
}

impl Shown for ResourceField {
    type View = ResourceView;

    fn value<'v>(self, view: &'v ResourceView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::ResourceName => (&view.resource_name).into(),
            Self::ResourceId => (&view.resource_id).into(),
            Self::Version => view.version.into(),
            Self::VersionTag => view.version_tag.as_ref().into(),
            Self::DeploymentKey => view.deployment.0.into(),
            Self::TenantId => (&view.tenant.0).into(),
        }
    }
}
