//! Messages, signals and those who wait for them, as rows.

use super::table::stored;
use tidemill_model::entity::{
    BoxSubscription, Message, MessageCorrelation, MessageStartLock, MessageSubscription, SignalSubscription,
};
use tidemill_store::pack;

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
