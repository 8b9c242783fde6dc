//! Deployed things as rows.

use crate::stored::table::{stored, unreadable};
use crate::table::search_table;
use crate::{Column, SqlRow};
use tidemill_model::DefinitionKey;
use tidemill_model::entity::{
    Form, ProcessDefinition, ProcessXml, Resource, StartEventKind, StartSubscription,
};
use tidemill_store::view::{ProcessDefinitionField, ProcessDefinitionView, ResourceField, ResourceView};
use tidemill_store::{Result, pack};

stored! { ProcessDefinition, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "tenant" = &row.tenant,
        "process_id" = &row.process_id,
        "version" = row.version,
    }
    changing {
        "version_tag" = row.version_tag.as_ref(),
        "name" = row.name.as_ref(),
        "resource_name" = &row.resource_name,
        "deployment_key" = row.deployment.0,
        "has_start_form" = row.has_start_form,
        "state" = row.state.name(),
    }
    live {
        "data" = pack(row),
    }
}

// The file has a table of its own, so that lists of definitions do not read past it. It is text, so it needs no packing.
stored! { ProcessXml, |row|
    key {
        "definition_key" = row.definition.0,
    }
    changing {
        "xml" = &*row.xml,
    }
    loading {
        const LOADED: &'static [&'static str] = &["definition_key", "xml"];

        fn load(row: &dyn SqlRow, first: usize) -> Result<ProcessXml> {
            let (definition, xml) = (row.int(first)?, row.text(first + 1)?);
            let missing = || unreadable::<ProcessXml>("the file is missing");
            let definition = DefinitionKey(definition.ok_or_else(missing)?);
            Ok(ProcessXml { definition, xml: xml.ok_or_else(missing)?.into() })
        }
    }
}

stored! { Form, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "tenant" = &row.tenant,
        "form_id" = &row.form_id,
        "version" = row.version,
    }
    changing {
        "version_tag" = row.version_tag.as_ref(),
        "deployment_key" = row.deployment.0,
        "is_deleted" = row.is_deleted,
    }
    live {
        "data" = pack(row),
    }
}

stored! { Resource, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "tenant" = &row.tenant,
        "resource_id" = &row.resource_id,
        "version" = row.version,
    }
    changing {
        "resource_name" = &row.resource_name,
        "version_tag" = row.version_tag.as_ref(),
        "deployment_key" = row.deployment.0,
        "is_deleted" = row.is_deleted,
    }
    live {
        "data" = pack(row),
    }
}

/// As the `kind` column holds it.
pub fn start_kind_name(kind: StartEventKind) -> &'static str {
    match kind {
        StartEventKind::Message => "MESSAGE",
        StartEventKind::Signal => "SIGNAL",
    }
}

stored! { StartSubscription, |row|
    key {
        "key" = row.key.0,
    }
    changing {
        "tenant" = &row.tenant,
        "definition_key" = row.definition.0,
        "process_id" = &row.process_id,
        "element_id" = &row.element_id,
        "kind" = start_kind_name(row.kind),
        "name" = &row.name,
        "updated_at" = row.updated_at,
    }
    live {
        "data" = pack(row),
    }
}

/// This is computed when it is asked for: every deployment would have to take a stored mark from the old version.
const IS_LATEST: &str = "({t}.state = 'ACTIVE' AND NOT EXISTS (SELECT 1 FROM process_definitions n \
    WHERE n.tenant = {t}.tenant AND n.process_id = {t}.process_id AND n.version > {t}.version \
    AND n.state = 'ACTIVE'))";

search_table! {
    ProcessDefinitionField: ProcessDefinitionView of ProcessDefinition {
        key, process_id, name, resource_name, version, version_tag, tenant, has_start_form, state,
    }
    computed {
        IsLatestVersion = Column::Sides { live: IS_LATEST, history: IS_LATEST },
    }
}

search_table! {
    ResourceField: ResourceView of Resource {
        key, resource_name, resource_id, version, version_tag, deployment, tenant,
    }
    also {
        // Deleted resources stay for their version numbers.
        const HIDDEN: Option<&'static str> = Some("NOT t.is_deleted");
    }
}
