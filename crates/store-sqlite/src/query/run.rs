//! Runs the statements of a search and reads its page.

use super::row::{Parameter, ResultRow};
use crate::dialect::Sqlite;
use crate::error::Outcome;
use rusqlite::{Connection, params_from_iter};
use tidemill_store::query::{Results, Search};
use tidemill_store_sql::{Columns, SearchTable, Statement, count_query, page_query, single_query};

pub(super) fn search<F: SearchTable>(
    connection: &Connection,
    search: &Search<F>,
) -> Outcome<Results<F::View>> {
    let mut rows = Vec::new();
    if let Some(query) = page_query(&Sqlite, search)? {
        for_each_row(connection, &query.statement, |row| {
            rows.push(query.read(row)?);
            Ok(())
        })?;
        rows = query.in_order(rows);
    }
    let total = match search.page.total_from(rows.len()) {
        Some(total) => total,
        None => count(connection, count_query(&Sqlite, &search.filter))?,
    };
    Ok(Results::new(rows, total))
}

pub(super) fn single<F: SearchTable>(connection: &Connection, key: i64) -> Outcome<Option<F::View>> {
    let mut found = None;
    for_each_row(connection, &single_query::<F>(&Sqlite, key), |row| {
        found = Some(F::view(&mut Columns::of(row))?);
        Ok(())
    })?;
    Ok(found)
}

fn count(connection: &Connection, statement: Option<Statement<'_>>) -> Outcome<u64> {
    let mut total = 0;
    if let Some(statement) = statement {
        for_each_row(connection, &statement, |row| {
            total = Columns::of(row).count()?;
            Ok(())
        })?;
    }
    Ok(total)
}

pub(super) fn for_each_row(
    connection: &Connection,
    statement: &Statement<'_>,
    mut visit: impl FnMut(&ResultRow<'_, '_>) -> Outcome<()>,
) -> Outcome<()> {
    let mut prepared = connection.prepare_cached(&statement.text)?;
    let mut rows = prepared.query(params_from_iter(statement.parameters.iter().map(Parameter::from)))?;
    while let Some(row) = rows.next()? {
        visit(&ResultRow(row))?;
    }
    Ok(())
}
