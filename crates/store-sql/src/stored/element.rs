//! What an instance consists of, as rows: elements, variables, incidents, loops.

use super::table::{stored, unreadable};
use crate::SqlRow;
use tidemill_model::entity::{ElementInstance, Incident, LoopInput, LoopOutput, Origin, Variable};
use tidemill_model::{Key, RawJson, TenantId, Text};
use tidemill_store::view::{error_hash, state_name};
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
        "state" = state_name(row.state),
        "incident_key" = row.incident.map(|incident| incident.0),
        "has_incident" = row.incident.is_some() || row.called_incidents > 0,
    }
    live {
        "data" = pack(row),
    }
    ended {
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

        fn load(row: &impl SqlRow, first: usize) -> Result<Variable> {
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
