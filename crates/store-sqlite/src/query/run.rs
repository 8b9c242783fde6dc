//! Runs the statements of a search and reads its page.

use super::row::{Parameter, ResultRow};
use crate::dialect::Sqlite;
use crate::error::Outcome;
use rusqlite::{Connection, params_from_iter};
use tidemill_store::query::{Cursor, PageStart, Results, Search, TOTAL_MAX};
use tidemill_store::sql::{
    Columns, PageQuery, SearchTable, Statement, count_query, page_query, single_query,
};

pub(super) fn search<F: SearchTable>(
    connection: &Connection,
    search: &Search<F>,
) -> Outcome<Results<F::View>> {
    let mut rows = match page_query(&Sqlite, search)? {
        None => Vec::new(),
        Some(query) => page_rows(connection, &query)?,
    };
    let total = match search.page.start {
        // A page that is not full from the start shows everything there is.
        PageStart::Offset(offset) if !rows.is_empty() && rows.len() < search.page.limit as usize => {
            u64::from(offset) + rows.len() as u64
        }
        _ => count(connection, count_query(&Sqlite, &search.filter))?,
    };
    let start_cursor = rows.first_mut().map(|(_, cursor)| cursor.clone());
    let end_cursor = rows.last_mut().map(|(_, cursor)| std::mem::take(cursor));
    Ok(Results {
        items: rows.into_iter().map(|(view, _)| view).collect(),
        total: total.min(TOTAL_MAX),
        has_more_total: total > TOTAL_MAX,
        start_cursor,
        end_cursor,
    })
}

pub(super) fn single<F: SearchTable>(connection: &Connection, key: i64) -> Outcome<Option<F::View>> {
    let mut found = None;
    for_each_row(connection, &single_query::<F>(&Sqlite, key), |row| {
        found = Some(F::view(&mut Columns::of(row))?);
        Ok(())
    })?;
    Ok(found)
}

/// Views with their cursors, in the order of the sort.
fn page_rows<F: SearchTable>(
    connection: &Connection,
    query: &PageQuery<'_, F>,
) -> Outcome<Vec<(F::View, String)>> {
    let mut found = Vec::new();
    for_each_row(connection, &query.statement, |row| {
        let values = (0..query.sort_value_count)
            .map(|n| row.cursor_value(query.sort_values_from + n))
            .collect::<tidemill_store::Result<Vec<_>>>()?;
        let cursor = Cursor { values }.encode(&query.order);
        found.push((F::view(&mut Columns::of(row))?, cursor));
        Ok(())
    })?;
    if query.is_backward {
        found.reverse();
    }
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
    let mut rows = prepared.query(params_from_iter(statement.parameters.iter().map(Parameter)))?;
    while let Some(row) = rows.next()? {
        visit(&ResultRow(row))?;
    }
    Ok(())
}
