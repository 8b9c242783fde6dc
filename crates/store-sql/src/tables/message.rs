//! Message subscriptions and correlations.

use super::origin;
use crate::row::Columns;
use crate::table::side_of_state;
use crate::{Column, SearchTable, Side};
use tidemill_model::PartitionId;
use tidemill_store::Result;
use tidemill_store::query::{CorrelationField, MessageSubscriptionField, Test};
use tidemill_store::view::{CorrelationView, MessageSubscriptionView};

/// Start events have no history: a new version replaces them.
const KIND: Column = Column::Sides {
    live: "CASE WHEN {t}.instance_key IS NULL THEN 'START_EVENT' ELSE 'PROCESS_EVENT' END",
    history: "'PROCESS_EVENT'",
};

/// Keys carry their partition above bit 51.
const MESSAGE_PARTITION: Column =
    Column::Sides { live: "({t}.message_key >> 51)", history: "({t}.message_key >> 51)" };

/// The live side is a view over the subscriptions of instances and those of start events.
impl SearchTable for MessageSubscriptionField {
    type View = MessageSubscriptionView;

    const LIVE: Option<&'static str> = Some("message_subscriptions_shown");
    const HISTORY: Option<&'static str> = Some("message_subscriptions_history");
    const HAS_DEFINITION: bool = true;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        KIND,
        Column::Own("instance_key"),
        Column::Own("root_key"),
        Column::Own("element_instance"),
        Column::Own("correlation_key"),
        Column::Own("definition_key"),
        Column::Definition("process_id"),
        Column::Definition("name"),
        Column::Definition("version"),
        Column::Own("tenant"),
        Column::Own("element_id"),
        Column::Own("message_name"),
        Column::Own("business_id"),
        Column::Own("state"),
        Column::Own("updated_at"),
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::BusinessId => Column::Own("business_id"),
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::ProcessName => Column::Definition("name"),
            Self::Version => Column::Definition("version"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::ElementId => Column::Own("element_id"),
            Self::ElementInstance => Column::Own("element_instance"),
            Self::State => Column::Own("state"),
            Self::Type => KIND,
            Self::LastUpdatedDate => Column::Own("updated_at"),
            Self::MessageName => Column::Own("message_name"),
            Self::CorrelationKey => Column::Own("correlation_key"),
            Self::TenantId => Column::Own("tenant"),
        }
    }

    fn side_of(self, test: &Test) -> Option<Side> {
        match self {
            Self::State => side_of_state(test, &["CREATED"], &["DELETED"]),
            _ => None,
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<MessageSubscriptionView> {
        Ok(MessageSubscriptionView {
            key: columns.key()?,
            kind: columns.text()?,
            instance: columns.maybe_key()?,
            root: columns.maybe_key()?,
            element_instance: columns.maybe_key()?,
            correlation_key: columns.maybe_text()?,
            definition: columns.key()?,
            process_id: columns.maybe_text()?.unwrap_or_default(),
            process_name: columns.maybe_text()?,
            version: columns.maybe_int()?.unwrap_or_default() as i32,
            tenant: columns.tenant()?,
            element_id: columns.text()?,
            message_name: columns.text()?,
            business_id: columns.maybe_text()?,
            state: columns.text()?,
            updated_at: columns.time()?,
        })
    }
}

impl SearchTable for CorrelationField {
    type View = CorrelationView;

    const LIVE: Option<&'static str> = None;
    const HISTORY: Option<&'static str> = Some("message_correlations_history");
    const HAS_DEFINITION: bool = true;
    const KEY: &'static str = "subscription_key";
    const TIE_BREAK: Option<&'static str> = Some("message_key");
    const VIEW: &'static [Column] = &[
        Column::Own("subscription_key"),
        Column::Own("message_key"),
        MESSAGE_PARTITION,
        Column::Own("instance_key"),
        Column::Own("root_key"),
        Column::Own("definition_key"),
        Column::Definition("process_id"),
        Column::Own("tenant"),
        Column::Own("element_instance"),
        Column::Own("element_id"),
        Column::Own("message_name"),
        Column::Own("correlation_key"),
        Column::Own("business_id"),
        Column::Own("correlated_at"),
    ];

    fn column(self) -> Column {
        match self {
            Self::SubscriptionKey => Column::Own("subscription_key"),
            Self::MessageKey => Column::Own("message_key"),
            Self::BusinessId => Column::Own("business_id"),
            Self::CorrelationKey => Column::Own("correlation_key"),
            Self::CorrelationTime => Column::Own("correlated_at"),
            Self::ElementId => Column::Own("element_id"),
            Self::ElementInstance => Column::Own("element_instance"),
            Self::MessageName => Column::Own("message_name"),
            Self::PartitionId => MESSAGE_PARTITION,
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::TenantId => Column::Own("tenant"),
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<CorrelationView> {
        Ok(CorrelationView {
            subscription: columns.key()?,
            message: columns.key()?,
            partition: PartitionId(columns.int()? as u16),
            origin: origin(columns)?,
            element_instance: columns.maybe_key()?,
            element_id: columns.text()?,
            message_name: columns.text()?,
            correlation_key: columns.text()?,
            business_id: columns.maybe_text()?,
            correlated_at: columns.time()?,
        })
    }
}
