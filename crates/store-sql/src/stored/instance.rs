//! Process instances as rows.

use super::table::stored;
use tidemill_model::entity::ProcessInstance;
use tidemill_store::{pack, view::state_name};

stored! { ProcessInstance, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "root_key" = row.root.0,
        "tenant" = &row.tenant,
        "parent_key" = row.parent.map(|parent| parent.instance.0),
        "parent_element" = row.parent.map(|parent| parent.element.0),
        "started_at" = row.started_at,
    }
    changing {
        "definition_key" = row.definition.0,
        "state" = state_name(row.state),
        "has_incident" = row.incidents > 0,
        "business_id" = row.business_id.as_ref(),
        "tags" = &row.tags[..],
        "flows" = pack(&row.flows_taken),
    }
    live {
        "data" = pack(row),
    }
    ended {
        "ended_at" = row.ended_at.unwrap_or(row.started_at),
    }
}
