//! Process instances as rows.

use crate::stored::table::stored;
use crate::table::{NO_TIME, search_table, side_of_end, side_of_state};
use crate::{Column, Side};
use tidemill_model::entity::{InstanceState, ProcessInstance};
use tidemill_store::pack;
use tidemill_store::query::Test;
use tidemill_store::view::{ProcessInstanceField, ProcessInstanceView};

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
        "state" = InstanceState::from(row.state).name(),
        "has_incident" = row.incidents > 0,
        "business_id" = row.business_id.as_ref(),
        "tags" = &row.tags[..],
        // Apart from `data`, because history has it too: the flows of an ended instance are still shown.
        "flows" = pack(&row.flows_taken),
    }
    live {
        "data" = pack(row),
    }
    ended {
        "ended_at" = row.ended_at.unwrap_or(row.started_at),
    }
}

search_table! {
    ProcessInstanceField: ProcessInstanceView of ProcessInstance {
        key, root, definition,
        process_id = Column::Definition("process_id"),
        process_name = Column::Definition("name"),
        version = Column::Definition("version"),
        version_tag = Column::Definition("version_tag"),
        tenant, parent_instance = Column::Own("parent_key"), parent_element, state, has_incident,
        started_at, ended_at, business_id, tags,
    }
    computed {
        // Tidemill suspends no instances. The field is there because clients of Camunda may filter by it.
        SuspendedDate = Column::Sides { live: NO_TIME, history: NO_TIME },
    }
    also {
        // The index is `process_instances_history_by_definition_and_start`.
        const IS_SORTED_BY_DEFINITION: bool = true;

        fn side_of(self, test: &Test) -> Option<Side> {
            match self {
                Self::State => side_of_state(test, &["ACTIVE", "SUSPENDED"], &["COMPLETED", "TERMINATED"]),
                Self::EndDate => side_of_end(test),
                _ => None,
            }
        }
    }
}
