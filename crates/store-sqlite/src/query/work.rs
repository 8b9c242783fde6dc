//! Measures a search: steps of SQLite's machine, and the plans behind them.

use super::row::Parameter;
use super::run::settle;
use crate::SqliteStore;
use crate::dialect::Sqlite;
use crate::error::Outcome;
use rusqlite::{Connection, StatementStatus, params_from_iter};
use tidemill_store::Result;
use tidemill_store::query::Search;
use tidemill_store_sql::{SearchTable, Statement, Work, count_query, page_query, probes};

impl SqliteStore {
    /// Runs the search and tells what it has cost, in steps. For tests: a plan that reads everything takes as many steps
    /// as there are rows.
    pub async fn work_of<F: SearchTable>(&self, search: &Search<F>) -> Result<Work> {
        let search = search.clone();
        self.searches.read(move |connection| work_of(connection, &search)).await
    }
}

fn work_of<F: SearchTable>(connection: &Connection, search: &Search<F>) -> Outcome<Work> {
    let mut work = Work { page: 0, count: 0, plan: String::new() };
    for probe in probes(&Sqlite, &search.filter) {
        work.page += steps(connection, &probe.statement, &mut work.plan)?;
    }
    let search = settle(connection, search)?;
    if let Some(query) = page_query(&Sqlite, &search)? {
        work.page += steps(connection, &query.statement, &mut work.plan)?;
    }
    if let Some(count) = count_query(&Sqlite, &search.filter) {
        work.count = steps(connection, &count, &mut work.plan)?;
    }
    Ok(work)
}

fn steps(connection: &Connection, statement: &Statement<'_>, plan: &mut String) -> Outcome<u64> {
    let parameters = || params_from_iter(statement.parameters.iter().map(Parameter::from));
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.text))?;
    let mut lines = explained.query(parameters())?;
    while let Some(line) = lines.next()? {
        plan.push_str(&line.get::<_, String>(3)?);
        plan.push('\n');
    }
    plan.push_str("--\n");
    // The statement does not come from the cache, because the counter of a kept one goes on from its earlier runs.
    let mut prepared = connection.prepare(&statement.text)?;
    let mut rows = prepared.query(parameters())?;
    while rows.next()?.is_some() {}
    drop(rows);
    Ok(u64::try_from(prepared.get_status(StatementStatus::VmStep)).unwrap_or_default())
}
