//! Counts over instances, elements and incidents.

use super::row::ResultRow;
use super::run::for_each_row;
use crate::dialect::Sqlite;
use crate::error::Outcome;
use rusqlite::{Connection, Params};
use std::collections::BTreeMap;
use tidemill_model::{DefinitionKey, ProcessInstanceKey, TenantId, Text};
use tidemill_store::query::{Filter, ProcessInstanceField, Test};
use tidemill_store::sql::{Columns, SearchTable, Side, Statement, where_clause};
use tidemill_store::view::{ElementStatistics, ErrorStatistics, ProcessStatistics, VersionStatistics};

const INSTANCE_COUNTS: &str = "coalesce(sum(i.has_incident = 0), 0), coalesce(sum(i.has_incident), 0)";

pub(super) fn of_instance(
    connection: &Connection,
    instance: ProcessInstanceKey,
) -> Outcome<Vec<ElementStatistics>> {
    let mut statement = Statement::new(&Sqlite);
    for (n, table) in ["element_instances", "element_instances_history"].iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        statement
            .push(&format!("SELECT element_id, state, has_incident, 1 FROM {table} WHERE instance_key = "));
        statement.push_parameter(instance.0);
    }
    element_counts(connection, &statement)
}

/// Without a filter, history has been counted already; with one, the elements of the instances that pass are
/// looked at.
pub(super) fn of_definition(
    connection: &Connection,
    definition: DefinitionKey,
    filter: &Filter<ProcessInstanceField>,
) -> Outcome<Vec<ElementStatistics>> {
    let mut statement = Statement::new(&Sqlite);
    let push_elements = |statement: &mut Statement<'_>, table: &str| {
        statement
            .push(&format!("SELECT element_id, state, has_incident, 1 FROM {table} WHERE definition_key = "));
        statement.push_parameter(definition.0);
    };
    push_elements(&mut statement, "element_instances");
    if filter.all.is_empty() {
        statement.push(
            " UNION ALL SELECT element_id, state, 0, count FROM element_counts WHERE definition_key = ",
        );
        statement.push_parameter(definition.0);
    } else {
        push_instances(&mut statement, definition, filter);
        statement.push(" UNION ALL ");
        push_elements(&mut statement, "element_instances_history");
        push_instances(&mut statement, definition, filter);
    }
    element_counts(connection, &statement)
}

fn push_instances(
    statement: &mut Statement<'_>,
    definition: DefinitionKey,
    filter: &Filter<ProcessInstanceField>,
) {
    let of_definition = filter.clone().is(ProcessInstanceField::DefinitionKey, Test::eq(definition.key()));
    statement.push(" AND instance_key IN (");
    for (n, side) in [Side::Live, Side::History].into_iter().enumerate() {
        statement.push(if n == 0 { "SELECT t.key FROM " } else { " UNION ALL SELECT t.key FROM " });
        statement.push(ProcessInstanceField::table(side).expect("instances live and end"));
        statement.push(" t");
        where_clause(statement, &of_definition, side);
    }
    statement.push(")");
}

/// Over rows `(element_id, state, has_incident, count)`. Added up here, because SQLite would sort them all first.
fn element_counts(connection: &Connection, statement: &Statement<'_>) -> Outcome<Vec<ElementStatistics>> {
    let mut counts: BTreeMap<Text, ElementStatistics> = BTreeMap::new();
    for_each_row(connection, statement, |row| {
        let mut columns = Columns::of(row);
        let (element, state, has_incident) = (columns.text()?, columns.text()?, columns.boolean()?);
        let count = columns.count()?;
        if count == 0 {
            return Ok(());
        }
        let counted = counts.entry(element).or_insert_with_key(|element| ElementStatistics {
            element_id: element.clone(),
            active: 0,
            completed: 0,
            canceled: 0,
            incidents: 0,
        });
        match (state.as_str(), has_incident) {
            ("COMPLETED", _) => counted.completed += count,
            ("TERMINATED", _) => counted.canceled += count,
            (_, false) => counted.active += count,
            (_, true) => counted.incidents += count,
        }
        Ok(())
    })?;
    Ok(counts.into_values().collect())
}

pub(super) fn of_processes(connection: &Connection) -> Outcome<Vec<ProcessStatistics>> {
    let sql = format!(
        "SELECT d.process_id, d.tenant, \
         (SELECT n.name FROM process_definitions n WHERE n.process_id = d.process_id AND n.tenant = d.tenant \
         AND n.state <> 'DELETED' ORDER BY n.version DESC LIMIT 1), \
         count(DISTINCT d.key) > 1, {INSTANCE_COUNTS} \
         FROM process_definitions d LEFT JOIN process_instances i ON i.definition_key = d.key \
         WHERE d.state <> 'DELETED' GROUP BY d.process_id, d.tenant ORDER BY d.process_id, d.tenant"
    );
    collect(connection, &sql, [], |columns| {
        Ok(ProcessStatistics {
            process_id: columns.text()?,
            tenant: columns.tenant()?,
            latest_name: columns.maybe_text()?,
            has_multiple_versions: columns.boolean()?,
            active_without_incident: columns.count()?,
            active_with_incident: columns.count()?,
        })
    })
}

pub(super) fn of_versions(
    connection: &Connection,
    tenant: Option<&TenantId>,
    process_id: &str,
) -> Outcome<Vec<VersionStatistics>> {
    let sql = format!(
        "SELECT d.key, d.process_id, d.name, d.version, d.tenant, {INSTANCE_COUNTS} \
         FROM process_definitions d LEFT JOIN process_instances i ON i.definition_key = d.key \
         WHERE d.state <> 'DELETED' AND d.process_id = ?1 AND (?2 IS NULL OR d.tenant = ?2) \
         GROUP BY d.key ORDER BY d.version, d.tenant"
    );
    collect(connection, &sql, (process_id, tenant.map(TenantId::as_str)), |columns| {
        Ok(VersionStatistics {
            definition: columns.key()?,
            process_id: columns.text()?,
            name: columns.maybe_text()?,
            version: columns.small()?,
            tenant: columns.tenant()?,
            active_without_incident: columns.count()?,
            active_with_incident: columns.count()?,
        })
    })
}

pub(super) fn of_errors(connection: &Connection) -> Outcome<Vec<ErrorStatistics>> {
    let sql = "SELECT message_hash, message, count(DISTINCT instance_key) AS instances FROM incidents \
         GROUP BY message_hash, message ORDER BY instances DESC, message";
    collect(connection, sql, [], |columns| {
        Ok(ErrorStatistics {
            hash: columns.small()?,
            message: columns.text()?.into(),
            active_instances: columns.count()?,
        })
    })
}

fn collect<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl Fn(&mut Columns<'_>) -> tidemill_store::Result<T>,
) -> Outcome<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(&mut Columns::of(&ResultRow(row)))?);
    }
    Ok(found)
}
