//! What an instance consists of: elements, variables, incidents.

use super::instance::{ENDED_AT, side_of_end};
use super::origin;
use crate::row::Columns;
use crate::table::side_of_state;
use crate::{Column, SearchTable, Side};
use tidemill_model::RawJson;
use tidemill_store::Result;
use tidemill_store::query::{ElementInstanceField, IncidentField, Test, VariableField};
use tidemill_store::view::{ElementInstanceView, IncidentView, VariableView};

/// Values longer than this are cut in search answers.
const IS_TRUNCATED: &str = "(length({t}.value) > 8191)";

impl SearchTable for ElementInstanceField {
    type View = ElementInstanceView;

    const LIVE: Option<&'static str> = Some("element_instances");
    const HISTORY: Option<&'static str> = Some("element_instances_history");
    const HAS_DEFINITION: bool = true;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("instance_key"),
        Column::Own("root_key"),
        Column::Own("definition_key"),
        Column::Definition("process_id"),
        Column::Own("tenant"),
        Column::Own("parent_key"),
        Column::Own("element_id"),
        Column::Own("kind"),
        Column::Own("state"),
        Column::Own("incident_key"),
        Column::Own("has_incident"),
        Column::Own("started_at"),
        ENDED_AT,
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::StartDate => Column::Own("started_at"),
            Self::EndDate => ENDED_AT,
            Self::ElementId => Column::Own("element_id"),
            Self::Type => Column::Own("kind"),
            Self::State => Column::Own("state"),
            Self::HasIncident => Column::Own("has_incident"),
            Self::IncidentKey => Column::Own("incident_key"),
            Self::TenantId => Column::Own("tenant"),
            Self::Scope => Column::Own("parent_key"),
        }
    }

    fn side_of(self, test: &Test) -> Option<Side> {
        match self {
            Self::State => side_of_state(test, &["ACTIVE"], &["COMPLETED", "TERMINATED"]),
            Self::EndDate => side_of_end(test),
            _ => None,
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<ElementInstanceView> {
        Ok(ElementInstanceView {
            key: columns.key()?,
            origin: origin(columns)?,
            parent: columns.key()?,
            element_id: columns.text()?,
            kind: columns.text()?,
            state: columns.text()?,
            incident: columns.maybe_key()?,
            has_incident: columns.boolean()?,
            started_at: columns.time()?,
            ended_at: columns.maybe_time()?,
        })
    }
}

impl SearchTable for VariableField {
    type View = VariableView;

    const LIVE: Option<&'static str> = Some("variables");
    const HISTORY: Option<&'static str> = Some("variables_history");
    const HAS_DEFINITION: bool = false;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("instance_key"),
        Column::Own("root_key"),
        Column::Own("tenant"),
        Column::Own("scope_key"),
        Column::Own("name"),
        Column::Own("value"),
    ];

    const LONG: Option<&'static str> = Some("value");

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::Name => Column::Own("name"),
            Self::Value => Column::Own("value"),
            Self::TenantId => Column::Own("tenant"),
            Self::Scope => Column::Own("scope_key"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::IsTruncated => Column::Sides { live: IS_TRUNCATED, history: IS_TRUNCATED },
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<VariableView> {
        Ok(VariableView {
            key: columns.key()?,
            instance: columns.key()?,
            root: columns.key()?,
            tenant: columns.tenant()?,
            scope: columns.key()?,
            name: columns.text()?,
            value: RawJson::new(columns.text()?),
        })
    }
}

impl SearchTable for IncidentField {
    type View = IncidentView;

    const LIVE: Option<&'static str> = Some("incidents");
    const HISTORY: Option<&'static str> = Some("incidents_history");
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
        Column::Own("message"),
        Column::Own("job_key"),
        Column::Own("state"),
        Column::Own("created_at"),
        ENDED_AT,
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::DefinitionKey => Column::Own("definition_key"),
            Self::ProcessId => Column::Definition("process_id"),
            Self::ProcessInstance => Column::Own("instance_key"),
            Self::ErrorType => Column::Own("kind"),
            Self::ErrorMessage => Column::Own("message"),
            Self::ErrorHash => Column::Own("message_hash"),
            Self::ElementId => Column::Own("element_id"),
            Self::ElementInstance => Column::Own("element_instance"),
            Self::CreationTime => Column::Own("created_at"),
            Self::State => Column::Own("state"),
            Self::JobKey => Column::Own("job_key"),
            Self::TenantId => Column::Own("tenant"),
        }
    }

    fn side_of(self, test: &Test) -> Option<Side> {
        match self {
            Self::State => side_of_state(test, &["ACTIVE", "PENDING"], &["RESOLVED"]),
            _ => None,
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<IncidentView> {
        Ok(IncidentView {
            key: columns.key()?,
            origin: origin(columns)?,
            element_instance: columns.key()?,
            element_id: columns.text()?,
            kind: columns.text()?,
            message: columns.text()?.into(),
            job: columns.maybe_key()?,
            state: columns.text()?,
            created_at: columns.time()?,
            ended_at: columns.maybe_time()?,
        })
    }
}
