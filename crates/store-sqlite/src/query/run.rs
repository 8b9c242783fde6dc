//! Runs the statements of a search and reads its page.

use super::row::{Parameter, ResultRow};
use crate::dialect::Sqlite;
use crate::error::Outcome;
use crate::patience::Patience;
use rusqlite::{Connection, params_from_iter};
use tidemill_store::query::{COUNT_LIMIT_MS, Results, Search};
use tidemill_store_sql::{
    Columns, SearchTable, Statement, count_query, page_query, probes, settled, single_query,
};

pub(super) fn search<F: SearchTable>(
    connection: &Connection,
    search: &Search<F>,
    patience: &Patience,
) -> Outcome<Results<F::View>> {
    let search = &settle(connection, search)?;
    let mut rows = Vec::new();
    if let Some(query) = page_query(&Sqlite, search)? {
        for_each_row(connection, &query.statement, |row| {
            rows.push(query.read(row)?);
            Ok(())
        })?;
        rows = query.in_order(rows);
    }
    // A page that is not full tells the total by itself, without a count.
    if let Some(total) = search.page.total_from(rows.len()) {
        return Ok(Results::new(rows, total));
    }
    // The total is a courtesy: a count that takes long is given up, and the page is answered all the same.
    let counting = patience.shorten(COUNT_LIMIT_MS);
    match count(connection, count_query(&Sqlite, &search.filter)) {
        Ok(total) => Ok(Results::new(rows, total)),
        Err(_) if counting.was_cut_short() => Ok(Results::uncounted(rows, &search.page)),
        Err(fault) => Err(fault),
    }
}

/// With keys in the place of conditions that few rows pass.
/// A probe reads a few rows at most, and its keys let the statement begin there. SQLite, which keeps no
/// statistics here, would otherwise have to guess which condition is the rare one.
pub(super) fn settle<F: SearchTable>(connection: &Connection, search: &Search<F>) -> Outcome<Search<F>> {
    let mut answers = Vec::new();
    for probe in probes(&Sqlite, &search.filter) {
        let mut keys = Vec::new();
        for_each_row(connection, &probe.statement, |row| {
            keys.push(Columns::of(row).int()?);
            Ok(())
        })?;
        answers.push(keys);
    }
    let filter = settled(&Sqlite, &search.filter, &mut answers.into_iter());
    Ok(Search { filter, ..search.clone() })
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
    // The cache finds statements by their text, and the translator writes searches that differ in values only as equal text.
    let mut prepared = connection.prepare_cached(&statement.text)?;
    let mut rows = prepared.query(params_from_iter(statement.parameters.iter().map(Parameter::from)))?;
    while let Some(row) = rows.next()? {
        visit(&ResultRow(row))?;
    }
    Ok(())
}
