//! Measures a search: the rows that the scans of its plans have read.

use super::row::{ResultRow, parameter};
use crate::PostgresStore;
use crate::call::Call;
use crate::dialect::Postgres;
use tidemill_store::Result;
use tidemill_store::query::Search;
use tidemill_store_sql::{SearchTable, SqlRow, Statement, Work, count_query, page_query, probes};
use tokio_postgres::Row;

impl PostgresStore {
    /// Runs the search and tells what it has cost, in rows read. For tests: a plan that reads everything reads as many
    /// rows as there are.
    pub async fn work_of<F: SearchTable>(&self, search: &Search<F>) -> Result<Work> {
        self.catch_up_for(search).await?;
        let mut work = Work { page: 0, count: 0, plan: String::new() };
        for probe in probes(&Postgres, &search.filter) {
            let text = explained(&probe.statement);
            let rows = self.rows_of_probe(&text, &probe.statement).await?;
            work.page += rows_read(&rows, &mut work.plan)?;
        }
        let search = self.with_keys(search).await?;
        if let Some(query) = page_query(&Postgres, &search)? {
            work.page += self.rows_read(&query.statement, &mut work.plan).await?;
        }
        if let Some(count) = count_query(&Postgres, &search.filter) {
            work.count = self.rows_read(&count, &mut work.plan).await?;
        }
        Ok(work)
    }

    async fn rows_read(&self, statement: &Statement<'_>, plan: &mut String) -> Result<u64> {
        let params: Vec<_> = statement.parameters.iter().map(parameter).collect();
        let rows = self.searches.read_one(Call::once(explained(statement), params)).await?;
        rows_read(&rows, plan)
    }
}

fn explained(statement: &Statement<'_>) -> String {
    format!("EXPLAIN (ANALYZE, TIMING OFF) {}", statement.text)
}

fn rows_read(lines: &[Row], plan: &mut String) -> Result<u64> {
    let mut read = Read::default();
    for row in lines {
        let line = ResultRow(row).text(0)?.unwrap_or_default().to_owned();
        read.line(&line);
        plan.push_str(&line);
        plan.push('\n');
    }
    plan.push_str("--\n");
    Ok(read.rows as u64)
}

/// Adds up the lines of a plan: what scans gave and what their filters threw away, as often as they ran.
#[derive(Default)]
struct Read {
    rows: f64,
    loops: f64,
}

impl Read {
    fn line(&mut self, line: &str) {
        let number = |name: &str, text: &str| -> Option<f64> {
            let rest = &text[text.find(name)? + name.len()..];
            rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
        };
        if let Some(actual) = line.find("(actual ").map(|at| &line[at..]) {
            self.loops = number("loops=", actual).unwrap_or(0.0);
            if line.contains("Scan ") && !line.contains("Subquery Scan") && !line.contains("Function Scan") {
                self.rows += number("rows=", actual).unwrap_or(0.0) * self.loops;
            }
        } else if line.contains("(never executed)") {
            self.loops = 0.0;
        } else if line.contains("Rows Removed by Filter") || line.contains("Rows Removed by Index Recheck") {
            self.rows += number(": ", line).unwrap_or(0.0) * self.loops;
        }
    }
}
