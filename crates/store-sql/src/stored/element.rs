//! Rows for the parts of an instance: elements, variables, incidents, loops.

use crate::stored::table::{stored, unreadable};
use crate::table::{search_table, side_of_end, side_of_state};
use crate::{Column, Side, SqlRow};
use tidemill_model::entity::{
    ElementInstance, Incident, InstanceState, LoopInput, LoopOutput, Origin, Variable,
};
use tidemill_model::{Key, RawJson, TenantId, Text};
use tidemill_store::query::Test;
use tidemill_store::view::{
    ElementInstanceField, ElementInstanceView, IncidentField, IncidentView, VariableField, VariableView,
    error_hash,
};
use tidemill_store::{Result, pack};

stored! { ElementInstance, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
        "root_key" = row.origin.root.0,
        "tenant" = &row.origin.tenant,
        "parent_key" = row.parent.0,
        "started_at" = row.started_at,
    }
    changing {
        "definition_key" = row.origin.definition.0,
        "element_id" = &row.element_id,
        "kind" = row.kind.name(),
        // The engine has finer states; searches and indexes know those of the API.
        "state" = InstanceState::from(row.state).name(),
        "incident_key" = row.incident.map(|incident| incident.0),
        // This follows from other values, but lists filter by it and an index has it.
        "has_incident" = row.incident.is_some() || row.incidents_below > 0,
    }
    live {
        "data" = pack(row),
    }
    ended {
        // The column takes no null, because history is kept and purged by it.
        "ended_at" = row.ended_at.unwrap_or(row.started_at),
    }
}

// Variables are all columns: a blob would hold each value a second time.
stored! { Variable, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
        "root_key" = row.origin.root.0,
        "tenant" = &row.origin.tenant,
        "scope_key" = row.scope.0,
        "name" = &row.name,
    }
    changing {
        "definition_key" = row.origin.definition.0,
        "value" = row.value.as_str(),
    }
    loading {
        const LOADED: &'static [&'static str] =
            &["key", "instance_key", "root_key", "definition_key", "tenant", "scope_key", "name", "value"];

        fn load(row: &dyn SqlRow, first: usize) -> Result<Variable> {
            let key = |n: usize| -> Result<Key> {
                row.int(first + n)?.map(Key).ok_or_else(|| unreadable::<Variable>("a key is missing"))
            };
            let text = |n: usize| -> Result<Text> {
                row.text(first + n)?.map(Text::from).ok_or_else(|| unreadable::<Variable>("a text is missing"))
            };
            let origin = Origin {
                instance: key(1)?.into(),
                root: key(2)?.into(),
                definition: key(3)?.into(),
                tenant: TenantId(text(4)?),
            };
            let (name, value) = (text(6)?, RawJson::new(text(7)?));
            Ok(Variable { key: key(0)?.into(), origin, scope: key(5)?.into(), name, value })
        }

        fn element_column() -> Option<&'static str> {
            Some("scope_key")
        }
    }
}

stored! { Incident, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
        "root_key" = row.origin.root.0,
        "tenant" = &row.origin.tenant,
        "element_instance" = row.element_instance.0,
    }
    changing {
        "definition_key" = row.origin.definition.0,
        "element_id" = &row.element_id,
        "kind" = row.kind.name(),
        "message" = row.message.as_str(),
        // Texts of errors are too long for an index.
        "message_hash" = error_hash(&row.message),
        "job_key" = row.job.map(|job| job.0),
        "state" = row.state.name(),
        "created_at" = row.created_at,
    }
    live {
        "data" = pack(row),
    }
    ended {
        "ended_at" = row.ended_at.unwrap_or(row.created_at),
    }
}

stored! { LoopInput, |row|
    key {
        "body_key" = row.body.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
    }
    live {
        "data" = pack(row),
    }
    loading {
        fn element_column() -> Option<&'static str> {
            Some("body_key")
        }
    }
}

stored! { LoopOutput, |row|
    key {
        "instance_key" = row.origin.instance.0,
        "body_key" = row.body.0,
        "loop_counter" = row.loop_counter,
    }
    live {
        "data" = pack(row),
    }
}

/// Values longer than this are cut in search answers.
/// The number is that of `BRIEF_CHARS_MAX`, which cannot be put into a constant text.
const IS_TRUNCATED: &str = "(length({t}.value) > 8191)";

search_table! {
    ElementInstanceField: ElementInstanceView of ElementInstance {
        key, instance, root, definition, process_id = Column::Definition("process_id"), tenant,
        parent = Column::Own("parent_key"), element_id, kind, state, incident, has_incident,
        started_at, ended_at,
    }
    also {
        fn side_of(self, test: &Test) -> Option<Side> {
            match self {
                Self::State => side_of_state(test, &["ACTIVE"], &["COMPLETED", "TERMINATED"]),
                Self::EndDate => side_of_end(test),
                _ => None,
            }
        }
    }
}

search_table! {
    VariableField: VariableView of Variable {
        key, instance, root, tenant, scope, name, value,
    }
    computed {
        IsTruncated = Column::Sides { live: IS_TRUNCATED, history: IS_TRUNCATED },
    }
    also {
        const LONG: Option<&'static str> = Some("value");
    }
}

search_table! {
    IncidentField: IncidentView of Incident {
        key, instance, root, definition, process_id = Column::Definition("process_id"), tenant,
        element_instance, element_id, kind, message, job, state, created_at, ended_at,
    }
    computed {
        ErrorHash = Column::Own("message_hash"),
    }
    also {
        fn side_of(self, test: &Test) -> Option<Side> {
            match self {
                Self::State => side_of_state(test, &["ACTIVE", "PENDING"], &["RESOLVED"]),
                _ => None,
            }
        }
    }
}
