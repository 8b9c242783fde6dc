//! Walks up through scopes and callers.

use super::row::ResultRow;
use crate::error::Outcome;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey, Text};
use tidemill_store::query::VariableField;
use tidemill_store::view::{CallHierarchyEntry, FlowsTaken, VariableView};
use tidemill_store_sql::{Columns, SearchTable};

/// Call trees and scopes are never this deep; a damaged file must not make a read endless.
const DEPTH_MAX: usize = 10_000;

pub(super) fn visible_variables(
    connection: &Connection,
    scope: ElementInstanceKey,
) -> Outcome<Vec<VariableView>> {
    // From the inside out, and the first of a name stays: an inner variable hides those around it.
    let mut visible: BTreeMap<Text, VariableView> = BTreeMap::new();
    let (instance, scopes) = scopes_around(connection, scope)?;
    for scope in scopes {
        let mut statement = connection.prepare_cached(
            // Both tables: a running instance has scopes that have ended, and their variables moved to history with them. The instance
            // is named although the scope would do, because history is indexed by instance.
            "SELECT key, instance_key, root_key, tenant, scope_key, name, value FROM variables \
             WHERE instance_key = ?1 AND scope_key = ?2 UNION ALL \
             SELECT key, instance_key, root_key, tenant, scope_key, name, value FROM variables_history \
             WHERE instance_key = ?1 AND scope_key = ?2",
        )?;
        let mut rows = statement.query([instance, scope])?;
        while let Some(row) = rows.next()? {
            let variable = VariableField::view(&mut Columns::of(&ResultRow(row)))?;
            visible.entry(variable.name.clone()).or_insert(variable);
        }
    }
    Ok(visible.into_values().collect())
}

/// The instance, and the scopes from the innermost to its own.
fn scopes_around(connection: &Connection, scope: ElementInstanceKey) -> Outcome<(i64, Vec<i64>)> {
    let mut statement = connection.prepare_cached(
        "SELECT parent_key FROM element_instances WHERE key = ?1 \
         UNION ALL SELECT parent_key FROM element_instances_history WHERE key = ?1",
    )?;
    let mut scopes = vec![scope.0];
    while scopes.len() < DEPTH_MAX {
        let last = scopes[scopes.len() - 1];
        match statement.query_row([last], |row| row.get(0)).optional()? {
            Some(parent) => scopes.push(parent),
            None => break,
        }
    }
    // The outermost scope has the key of its instance, so the walk finds both.
    Ok((scopes[scopes.len() - 1], scopes))
}

pub(super) fn flows_taken(
    connection: &Connection,
    instance: ProcessInstanceKey,
) -> Outcome<Option<FlowsTaken>> {
    let mut statement = connection.prepare_cached(
        "SELECT t.key, t.root_key, t.definition_key, d.process_id, t.tenant, t.flows FROM \
         (SELECT key, root_key, definition_key, tenant, flows FROM process_instances WHERE key = ?1 UNION ALL \
         SELECT key, root_key, definition_key, tenant, flows FROM process_instances_history WHERE key = ?1) t \
         LEFT JOIN process_definitions d ON d.key = t.definition_key",
    )?;
    let mut rows = statement.query([instance.0])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let row = ResultRow(row);
    let mut columns = Columns::of(&row);
    Ok(Some(FlowsTaken {
        instance: columns.key()?,
        root: columns.key()?,
        definition: columns.key()?,
        process_id: columns.maybe_text()?.unwrap_or_default(),
        tenant: columns.tenant()?,
        flows: columns.flows()?,
    }))
}

pub(super) fn call_hierarchy(
    connection: &Connection,
    instance: ProcessInstanceKey,
) -> Outcome<Option<Vec<CallHierarchyEntry>>> {
    let mut statement = connection.prepare_cached(
        "SELECT t.key, t.definition_key, d.process_id, d.name, t.tenant, t.parent_key FROM \
         (SELECT key, definition_key, tenant, parent_key FROM process_instances WHERE key = ?1 UNION ALL \
         SELECT key, definition_key, tenant, parent_key FROM process_instances_history WHERE key = ?1) t \
         LEFT JOIN process_definitions d ON d.key = t.definition_key",
    )?;
    let mut hierarchy = Vec::new();
    let mut next = Some(instance.0);
    while let Some(key) = next.take()
        && hierarchy.len() < DEPTH_MAX
    {
        let mut rows = statement.query(params![key])?;
        let Some(row) = rows.next()? else { break };
        let row = ResultRow(row);
        let mut columns = Columns::of(&row);
        hierarchy.push(CallHierarchyEntry {
            instance: columns.key()?,
            definition: columns.key()?,
            process_id: columns.maybe_text()?.unwrap_or_default(),
            process_name: columns.maybe_text()?,
            tenant: columns.tenant()?,
        });
        next = columns.maybe_int()?;
    }
    // The walk goes up from the instance; clients are shown the root first.
    hierarchy.reverse();
    Ok(match hierarchy.len() {
        0 => None,
        // An instance that nobody has called has no hierarchy. None, in contrast, says that there is no such instance.
        1 => Some(Vec::new()),
        _ => Some(hierarchy),
    })
}
