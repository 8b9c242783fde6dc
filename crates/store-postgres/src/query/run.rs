//! Runs the statements of a search and reads its page.

use super::row::{ResultRow, parameter};
use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::dialect::Postgres;
use tidemill_store::Result;
use tidemill_store::query::{Results, Search};
use tidemill_store_sql::{Columns, SearchTable, Statement, count_query, page_query, single_query};
use tokio_postgres::Row;

impl PostgresStore {
    pub(super) async fn search<F: SearchTable>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        let rows = match page_query(&Postgres, search)? {
            None => Vec::new(),
            Some(query) => {
                let rows = self.rows_of(&query.statement).await?;
                query.in_order(rows.iter().map(|row| query.read(&ResultRow(row))).collect::<Result<_>>()?)
            }
        };
        let total = match search.page.total_from(rows.len()) {
            Some(total) => total,
            None => self.count(count_query(&Postgres, &search.filter)).await?,
        };
        Ok(Results::new(rows, total))
    }

    pub(super) async fn single<F: SearchTable>(&self, key: i64) -> Result<Option<F::View>> {
        let rows = self.rows_of(&single_query::<F>(&Postgres, key)).await?;
        rows.first().map(|row| F::view(&mut Columns::of(&ResultRow(row)))).transpose()
    }

    async fn count(&self, statement: Option<Statement<'_>>) -> Result<u64> {
        let Some(statement) = statement else { return Ok(0) };
        let rows = self.rows_of(&statement).await?;
        rows.first().map_or(Ok(0), |row| Columns::of(&ResultRow(row)).count())
    }

    pub(super) async fn rows_of(&self, statement: &Statement<'_>) -> Result<Vec<Row>> {
        let params: Vec<Param<'_>> = statement.parameters.iter().map(parameter).collect();
        self.searches.read_one(Call::once(statement.text.as_str(), params)).await
    }
}
