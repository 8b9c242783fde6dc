//! Counts over instances, elements and incidents.

use super::run::for_each_row;
use crate::dialect::Sqlite;
use crate::error::Outcome;
use rusqlite::Connection;
use tidemill_model::{DefinitionKey, ProcessInstanceKey, TenantId};
use tidemill_store::query::{Filter, ProcessInstanceField};
use tidemill_store::view::{ElementStatistics, ErrorStatistics, ProcessStatistics, VersionStatistics};
use tidemill_store_sql::statistics::{self, ElementCounts};
use tidemill_store_sql::{SqlRow, Statement};

pub(super) fn of_instance(
    connection: &Connection,
    instance: ProcessInstanceKey,
) -> Outcome<Vec<ElementStatistics>> {
    element_counts(connection, &statistics::elements_of_instance(&Sqlite, instance))
}

pub(super) fn of_definition(
    connection: &Connection,
    definition: DefinitionKey,
    filter: &Filter<ProcessInstanceField>,
) -> Outcome<Vec<ElementStatistics>> {
    element_counts(connection, &statistics::elements_of_definition(&Sqlite, definition, filter))
}

fn element_counts(connection: &Connection, statement: &Statement<'_>) -> Outcome<Vec<ElementStatistics>> {
    let mut counts = ElementCounts::default();
    for_each_row(connection, statement, |row| Ok(counts.add(row)?))?;
    Ok(counts.into_statistics())
}

pub(super) fn of_processes(connection: &Connection) -> Outcome<Vec<ProcessStatistics>> {
    collect(connection, &statistics::processes(&Sqlite), statistics::read_process)
}

pub(super) fn of_versions(
    connection: &Connection,
    tenant: Option<&TenantId>,
    process_id: &str,
) -> Outcome<Vec<VersionStatistics>> {
    let statement = statistics::versions(&Sqlite, tenant, process_id);
    collect(connection, &statement, statistics::read_version)
}

pub(super) fn of_errors(connection: &Connection) -> Outcome<Vec<ErrorStatistics>> {
    collect(connection, &statistics::errors(&Sqlite), statistics::read_error)
}

fn collect<T>(
    connection: &Connection,
    statement: &Statement<'_>,
    read: fn(&dyn SqlRow) -> tidemill_store::Result<T>,
) -> Outcome<Vec<T>> {
    let mut found = Vec::new();
    for_each_row(connection, statement, |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}
