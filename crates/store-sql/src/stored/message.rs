//! Messages, signals and those who wait for them, as rows.

use crate::stored::table::stored;
use crate::table::{search_table, side_of_state};
use crate::{Column, Side};
use tidemill_model::entity::{
    BoxSubscription, Message, MessageCorrelation, MessageStartLock, MessageSubscription, SignalSubscription,
};
use tidemill_store::pack;
use tidemill_store::query::Test;
use tidemill_store::view::{
    CorrelationField, CorrelationView, MessageSubscriptionField, MessageSubscriptionView,
};

stored! { Message, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "tenant" = &row.tenant,
        "name" = &row.name,
        "correlation_key" = &row.correlation_key,
    }
    live {
        "data" = pack(row),
    }
}

stored! { BoxSubscription, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "tenant" = &row.tenant,
        "name" = &row.message_name,
        "correlation_key" = &row.correlation_key,
    }
    live {
        "data" = pack(row),
    }
}

// The key is what the lock protects, so there can be no two locks on the same.
stored! { MessageStartLock, |row|
    key {
        "correlation_key" = &row.correlation_key,
        "process_id" = &row.process_id,
        "tenant" = &row.tenant,
    }
    live {
        "data" = pack(row),
    }
}

stored! { MessageSubscription, |row|
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
        "element_id" = &row.target_id,
        "message_name" = &row.message_name,
        "correlation_key" = &row.correlation_key,
        "business_id" = row.business_id.as_ref(),
        "state" = row.state.name(),
        "updated_at" = row.updated_at,
    }
    live {
        "data" = pack(row),
    }
}

// Written once, straight into history.
stored! { MessageCorrelation, |row|
    key {
        "subscription_key" = row.subscription.0,
        "message_key" = row.message.0,
    }
    changing {
        "instance_key" = row.origin.instance.0,
        "root_key" = row.origin.root.0,
        "definition_key" = row.origin.definition.0,
        "tenant" = &row.origin.tenant,
        "element_instance" = row.element_instance.map(|element| element.0),
        "element_id" = &row.element_id,
        "message_name" = &row.message_name,
        "correlation_key" = &row.correlation_key,
        "business_id" = row.business_id.as_ref(),
        "correlated_at" = row.correlated_at,
    }
}

stored! { SignalSubscription, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
        "element_instance" = row.element_instance.0,
        "tenant" = &row.origin.tenant,
        "signal_name" = &row.signal_name,
    }
    live {
        "data" = pack(row),
    }
}

/// Start events have no history: a new version replaces them.
const KIND: Column = Column::Sides {
    live: "CASE WHEN {t}.instance_key IS NULL THEN 'START_EVENT' ELSE 'PROCESS_EVENT' END",
    history: "'PROCESS_EVENT'",
};

/// Keys carry their partition above bit 51.
const MESSAGE_PARTITION: Column =
    Column::Sides { live: "({t}.message_key >> 51)", history: "({t}.message_key >> 51)" };

search_table! {
    MessageSubscriptionField: MessageSubscriptionView of MessageSubscription {
        key, kind = KIND, instance, root, element_instance, correlation_key, definition,
        process_id = Column::Definition("process_id"),
        process_name = Column::Definition("name"),
        version = Column::Definition("version"),
        tenant, element_id, message_name, business_id, state, updated_at,
    }
    also {
        // Clients see both in one list, although the engine keeps them apart.
        /// A view over the subscriptions of instances and those of start events.
        const LIVE: Option<&'static str> = Some("message_subscriptions_shown");

        fn side_of(self, test: &Test) -> Option<Side> {
            match self {
                Self::State => side_of_state(test, &["CREATED"], &["DELETED"]),
                _ => None,
            }
        }
    }
}

search_table! {
    CorrelationField: CorrelationView of MessageCorrelation {
        subscription, message = Column::Own("message_key"), partition = MESSAGE_PARTITION,
        instance, root, definition, process_id = Column::Definition("process_id"), tenant,
        element_instance, element_id, message_name, correlation_key, business_id, correlated_at,
    }
    also {
        const KEY: &'static str = "subscription_key";
        // One subscription may take several messages, so its key alone does not name a row.
        const TIE_BREAK: Option<&'static str> = Some("message_key");
    }
}
