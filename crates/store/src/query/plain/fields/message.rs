//! Message subscriptions and correlations.

use crate::query::plain::{FieldValue, Related, Shown};
use crate::query::{CorrelationField, MessageSubscriptionField};
use crate::view::{CorrelationView, MessageSubscriptionView};

impl Shown for MessageSubscriptionField {
    type View = MessageSubscriptionView;

    fn value<'v>(self, view: &'v MessageSubscriptionView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::Key => view.key.0.into(),
            Self::BusinessId => view.business_id.as_ref().into(),
            Self::DefinitionKey => view.definition.0.into(),
            Self::ProcessId => (&view.process_id).into(),
            Self::ProcessName => view.process_name.as_ref().into(),
            Self::Version => view.version.into(),
            Self::ProcessInstance => view.instance.map(|key| key.0).into(),
            Self::ElementId => (&view.element_id).into(),
            Self::ElementInstance => view.element_instance.map(|key| key.0).into(),
            Self::State => (&view.state).into(),
            Self::Type => (&view.kind).into(),
            Self::LastUpdatedDate => view.updated_at.into(),
            Self::MessageName => (&view.message_name).into(),
            Self::CorrelationKey => view.correlation_key.as_ref().into(),
            Self::TenantId => (&view.tenant.0).into(),
        }
    }
}

impl Shown for CorrelationField {
    type View = CorrelationView;

    fn value<'v>(self, view: &'v CorrelationView, _: &dyn Related) -> FieldValue<'v> {
        match self {
            Self::SubscriptionKey => view.subscription.0.into(),
            Self::MessageKey => view.message.0.into(),
            Self::BusinessId => view.business_id.as_ref().into(),
            Self::CorrelationKey => (&view.correlation_key).into(),
            Self::CorrelationTime => view.correlated_at.into(),
            Self::ElementId => (&view.element_id).into(),
            Self::ElementInstance => view.element_instance.map(|key| key.0).into(),
            Self::MessageName => (&view.message_name).into(),
            Self::PartitionId => i64::from(view.partition.0).into(),
            Self::DefinitionKey => view.origin.definition.0.into(),
            Self::ProcessId => (&view.origin.process_id).into(),
            Self::ProcessInstance => view.origin.instance.0.into(),
            Self::TenantId => (&view.origin.tenant.0).into(),
        }
    }

    fn tie_break(view: &CorrelationView) -> Option<i64> {
        Some(view.message.0)
    }
}
