//! Process instances.

use crate::row::Columns;
use crate::table::side_of_state;
use crate::{Column, SearchTable, Side};
use tidemill_store::Result;
use tidemill_store::query::{ProcessInstanceField, Test};
use tidemill_store::view::ProcessInstanceView;

/// With a type, which a union of both sides asks for.
const NO_TIME: &str = "CAST(NULL AS BIGINT)";

pub(super) const ENDED_AT: Column = Column::Sides { live: NO_TIME, history: "{t}.ended_at" };

pub(super) fn side_of_end(test: &Test) -> Option<Side> {
    match test {
        Test::Exists(false) => Some(Side::Live),
        Test::Neq(_) | Test::NotIn(_) => None,
        Test::In(values) if values.is_empty() => None,
        _ => Some(Side::History),
    }
}

impl SearchTable for ProcessInstanceField {
    type View = ProcessInstanceView;

    const LIVE: Option<&'static str> = Some("process_instances");
    const HISTORY: Option<&'static str> = Some("process_instances_history");
    const HAS_DEFINITION: bool = true;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("root_key"),
        Column::Own("definition_key"),
        Column::Definition("process_id"),
        Column::Definition("name"),
        Column::Definition("version"),
        Column::Definition("version_tag"),
        Column::Own("tenant"),
        Column::Own("parent_key"),
        Column::Own("parent_element"),
        Column::Own("state"),
        Column::Own("has_incident"),
        Column::Own("started_at"),
        ENDED_AT,
        Column::Own("business_id"),
        Column::Own("tags"),
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::ProcessName => Column::Definition("name"),
            Self::Version => Column::Definition("version"),
            Self::VersionTag => Column::Definition("version_tag"),
            Self::ParentInstance => Column::Own("parent_key"),
            Self::ParentElement => Column::Own("parent_element"),
            Self::Root => Column::Own("root_key"),
            Self::StartDate => Column::Own("started_at"),
            Self::EndDate => ENDED_AT,
            Self::SuspendedDate => Column::Sides { live: NO_TIME, history: NO_TIME },
            Self::State => Column::Own("state"),
            Self::HasIncident => Column::Own("has_incident"),
            Self::TenantId => Column::Own("tenant"),
            Self::BusinessId => Column::Own("business_id"),
            Self::Tags => Column::Own("tags"),
        }
    }

    fn side_of(self, test: &Test) -> Option<Side> {
        match self {
            Self::State => side_of_state(test, &["ACTIVE", "SUSPENDED"], &["COMPLETED", "TERMINATED"]),
            Self::EndDate => side_of_end(test),
            _ => None,
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<ProcessInstanceView> {
        Ok(ProcessInstanceView {
            key: columns.key()?,
            root: columns.key()?,
            definition: columns.key()?,
            process_id: columns.maybe_text()?.unwrap_or_default(),
            process_name: columns.maybe_text()?,
            version: columns.maybe_int()?.unwrap_or_default() as i32,
            version_tag: columns.maybe_text()?,
            tenant: columns.tenant()?,
            parent_instance: columns.maybe_key()?,
            parent_element: columns.maybe_key()?,
            state: columns.text()?,
            has_incident: columns.boolean()?,
            started_at: columns.time()?,
            ended_at: columns.maybe_time()?,
            business_id: columns.maybe_text()?,
            tags: columns.texts()?,
        })
    }
}
