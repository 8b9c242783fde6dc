//! Deployed things as the engine wants them: all versions at once.

use super::rows::append;
use crate::error::Outcome;
use rusqlite::Connection;
use tidemill_model::entity::{Form, ProcessDefinition, ProcessXml, Resource, StartSubscription, Timer};
use tidemill_model::{DefinitionKey, ResourceKey, TenantId};
use tidemill_store::Loaded;

/// The engine gets all versions, deleted ones included: it decides which is the latest, and a deployment must not reuse a number.
pub(super) fn process(connection: &Connection, tenant: &TenantId, process_id: &str) -> Outcome<Loaded> {
    let names = [process_id, tenant.as_str()];
    let mut loaded = Loaded::default();
    append::<ProcessDefinition>(
        connection,
        "SELECT data FROM process_definitions WHERE process_id = ?1 AND tenant = ?2 ORDER BY version",
        names,
        &mut loaded.entities,
    )?;
    append::<StartSubscription>(
        connection,
        "SELECT data FROM start_subscriptions WHERE process_id = ?1 AND tenant = ?2 ORDER BY key",
        names,
        &mut loaded.entities,
    )?;
    append::<Timer>(
        connection,
        // Timers of start events hang on the definition. A new version cancels them, so they are loaded with it.
        "SELECT t.data FROM process_definitions d JOIN timers t ON t.owner_key = d.key \
         WHERE d.process_id = ?1 AND d.tenant = ?2 ORDER BY t.due_at, t.key",
        names,
        &mut loaded.entities,
    )?;
    Ok(loaded)
}

pub(super) fn definition(connection: &Connection, key: DefinitionKey) -> Outcome<Loaded> {
    let mut loaded = Loaded::default();
    let sql = "SELECT data FROM process_definitions WHERE key = ?1";
    append::<ProcessDefinition>(connection, sql, [key.0], &mut loaded.entities)?;
    // The file lies apart, so that searches over definitions need not read past it.
    let sql = "SELECT definition_key, xml FROM process_files WHERE definition_key = ?1";
    append::<ProcessXml>(connection, sql, [key.0], &mut loaded.entities)?;
    Ok(loaded)
}

/// Deleted versions come too, for the same reason.
pub(super) fn form(connection: &Connection, tenant: &TenantId, form_id: &str) -> Outcome<Loaded> {
    let mut loaded = Loaded::default();
    let sql = "SELECT data FROM forms WHERE form_id = ?1 AND tenant = ?2 ORDER BY version";
    append::<Form>(connection, sql, [form_id, tenant.as_str()], &mut loaded.entities)?;
    Ok(loaded)
}

pub(super) fn resource(connection: &Connection, tenant: &TenantId, resource_id: &str) -> Outcome<Loaded> {
    let mut loaded = Loaded::default();
    let sql = "SELECT data FROM resources WHERE resource_id = ?1 AND tenant = ?2 ORDER BY version";
    append::<Resource>(connection, sql, [resource_id, tenant.as_str()], &mut loaded.entities)?;
    Ok(loaded)
}

/// Keys are unique over the three tables, so at most one row is found.
pub(super) fn by_key(connection: &Connection, key: ResourceKey) -> Outcome<Loaded> {
    let mut loaded = Loaded::default();
    let of = |table: &str| format!("SELECT data FROM {table} WHERE key = ?1");
    append::<ProcessDefinition>(connection, &of("process_definitions"), [key.0], &mut loaded.entities)?;
    append::<Form>(connection, &of("forms"), [key.0], &mut loaded.entities)?;
    append::<Resource>(connection, &of("resources"), [key.0], &mut loaded.entities)?;
    Ok(loaded)
}
