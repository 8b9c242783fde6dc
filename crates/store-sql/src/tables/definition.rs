//! Definitions and resources: one table each, nothing ends.

use crate::row::Columns;
use crate::{Column, SearchTable};
use tidemill_store::Result;
use tidemill_store::query::{ProcessDefinitionField, ResourceField};
use tidemill_store::view::{ProcessDefinitionView, ResourceView};

const IS_LATEST: &str = "({t}.state = 'ACTIVE' AND NOT EXISTS (SELECT 1 FROM process_definitions n \
    WHERE n.tenant = {t}.tenant AND n.process_id = {t}.process_id AND n.version > {t}.version \
    AND n.state = 'ACTIVE'))";

impl SearchTable for ProcessDefinitionField {
    type View = ProcessDefinitionView;

    const LIVE: Option<&'static str> = Some("process_definitions");
    const HISTORY: Option<&'static str> = None;
    const HAS_DEFINITION: bool = false;
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("process_id"),
        Column::Own("name"),
        Column::Own("resource_name"),
        Column::Own("version"),
        Column::Own("version_tag"),
        Column::Own("tenant"),
        Column::Own("has_start_form"),
        Column::Own("state"),
    ];

    fn column(self) -> Column {
        match self {
            Self::Key => Column::Own("key"),
            Self::ProcessId => Column::Own("process_id"),
            Self::Name => Column::Own("name"),
            Self::ResourceName => Column::Own("resource_name"),
            Self::Version => Column::Own("version"),
            Self::VersionTag => Column::Own("version_tag"),
            Self::TenantId => Column::Own("tenant"),
            Self::HasStartForm => Column::Own("has_start_form"),
            Self::State => Column::Own("state"),
            Self::IsLatestVersion => Column::Sides { live: IS_LATEST, history: IS_LATEST },
        }
    }

    fn view(columns: &mut Columns<'_>) -> Result<ProcessDefinitionView> {
        Ok(ProcessDefinitionView {
            key: columns.key()?,
            process_id: columns.text()?,
            name: columns.maybe_text()?,
            resource_name: columns.text()?,
            version: columns.small()?,
            version_tag: columns.maybe_text()?,
            tenant: columns.tenant()?,
            has_start_form: columns.boolean()?,
            state: columns.text()?,
        })
    }
}

impl SearchTable for ResourceField {
    type View = ResourceView;

    const LIVE: Option<&'static str> = Some("resources");
    const HISTORY: Option<&'static str> = None;
    const HAS_DEFINITION: bool = false;
    const HIDDEN: Option<&'static str> = Some("NOT t.is_deleted");
    const VIEW: &'static [Column] = &[
        Column::Own("key"),
        Column::Own("resource_name"),
        Column::Own("resource_id"),
        Column::Own("version"),
        Column::Own("version_tag"),
        Column::Own("deployment_key"),
        Column::Own("tenant"),
    ];

    fn column(self) -> Column {
        Column::Own(match self {
            Self::Key => "key",
            Self::ResourceName => "resource_name",
            Self::ResourceId => "resource_id",
            Self::Version => "version",
            Self::VersionTag => "version_tag",
            Self::DeploymentKey => "deployment_key",
            Self::TenantId => "tenant",
        })
    }

    fn view(columns: &mut Columns<'_>) -> Result<ResourceView> {
        Ok(ResourceView {
            key: columns.key()?,
            resource_name: columns.text()?,
            resource_id: columns.text()?,
            version: columns.small()?,
            version_tag: columns.maybe_text()?,
            deployment: columns.key()?,
            tenant: columns.tenant()?,
        })
    }
}
