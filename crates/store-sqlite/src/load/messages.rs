//! Message boxes, start events and signals.

use super::lists::cut;
use super::rows::append;
use crate::error::Outcome;
use rusqlite::{Connection, params};
use tidemill_model::entity::{
    BoxSubscription, Message, MessageStartLock, SignalSubscription, StartEventKind, StartSubscription, Timer,
};
use tidemill_model::{BoxName, PartitionId, SubscriptionKey, TenantId};
use tidemill_store::Loaded;
use tidemill_store_sql::start_kind_name;

/// A correlation key leads to one partition, so its rows need not be asked for theirs.
pub(super) fn message_box(connection: &Connection, name: &BoxName) -> Outcome<Loaded> {
    let BoxName { tenant, message_name, correlation_key } = name;
    let names = params![correlation_key.as_str(), message_name.as_str(), tenant.as_str()];
    let mut loaded = Loaded::default();
    append::<Message>(
        connection,
        "SELECT data FROM messages WHERE correlation_key = ?1 AND name = ?2 AND tenant = ?3 ORDER BY key",
        names,
        &mut loaded.entities,
    )?;
    append::<Timer>(
        connection,
        // The timers of the messages come with them: the engine cancels one when its message is used up.
        "SELECT t.data FROM messages m JOIN timers t ON t.owner_key = m.key \
         WHERE m.correlation_key = ?1 AND m.name = ?2 AND m.tenant = ?3",
        names,
        &mut loaded.entities,
    )?;
    append::<BoxSubscription>(
        connection,
        "SELECT data FROM box_subscriptions WHERE correlation_key = ?1 AND name = ?2 AND tenant = ?3 ORDER BY key",
        names,
        &mut loaded.entities,
    )?;
    // Locks are kept by process and correlation key: which message has started the instance plays no part.
    append::<MessageStartLock>(
        connection,
        "SELECT data FROM start_locks WHERE correlation_key = ?1 AND tenant = ?2",
        params![correlation_key.as_str(), tenant.as_str()],
        &mut loaded.entities,
    )?;
    Ok(loaded)
}

/// The partition does not matter here: one of them deploys a definition, and all of them start its instances.
pub(super) fn starts(
    connection: &Connection,
    tenant: &TenantId,
    kind: StartEventKind,
    name: &str,
) -> Outcome<Loaded> {
    let mut loaded = Loaded::default();
    append::<StartSubscription>(
        connection,
        "SELECT data FROM start_subscriptions WHERE name = ?1 AND tenant = ?2 AND kind = ?3 ORDER BY key",
        params![name, tenant.as_str(), start_kind_name(kind)],
        &mut loaded.entities,
    )?;
    Ok(loaded)
}

/// A signal may have any number of subscriptions, so they come in pages.
pub(super) fn signals(
    connection: &Connection,
    partition: PartitionId,
    tenant: &TenantId,
    name: &str,
    after: Option<SubscriptionKey>,
    limit: u32,
) -> Outcome<Loaded> {
    let mut entities = Vec::new();
    append::<SignalSubscription>(
        connection,
        // `key >> 51` is the partition, and an index is made over that expression: a signal goes to each partition by itself.
        "SELECT data FROM signal_subscriptions WHERE key >> 51 = ?1 AND signal_name = ?2 AND tenant = ?3 \
         AND key > ?4 ORDER BY key LIMIT ?5",
        params![partition.0, name, tenant.as_str(), after.map_or(0, |after| after.0), i64::from(limit) + 1],
        &mut entities,
    )?;
    Ok(cut(entities, limit))
}
