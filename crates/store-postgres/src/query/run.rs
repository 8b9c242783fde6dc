//! Runs the statements of a search and reads its page.

use super::row::{ResultRow, parameter};
use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::dialect::Postgres;
use tidemill_store::Result;
use tidemill_store::query::{Cursor, PageStart, Results, Search, TOTAL_MAX};
use tidemill_store::sql::{
    Columns, PageQuery, SearchTable, Statement, count_query, page_query, single_query,
};
use tokio_postgres::Row;

impl PostgresStore {
    pub(super) async fn search<F: SearchTable>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        let mut rows = match page_query(&Postgres, search)? {
            None => Vec::new(),
            Some(query) => page_rows(&query, &self.rows_of(&query.statement).await?)?,
        };
        let total = match search.page.start {
            // A page that is not full from the start shows everything there is.
            PageStart::Offset(offset) if !rows.is_empty() && rows.len() < search.page.limit as usize => {
                u64::from(offset) + rows.len() as u64
            }
            _ => self.count(count_query(&Postgres, &search.filter)).await?,
        };
        let start_cursor = rows.first().map(|(_, cursor)| cursor.clone());
        let end_cursor = rows.last_mut().map(|(_, cursor)| std::mem::take(cursor));
        Ok(Results {
            items: rows.into_iter().map(|(view, _)| view).collect(),
            total: total.min(TOTAL_MAX),
            has_more_total: total > TOTAL_MAX,
            start_cursor,
            end_cursor,
        })
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

/// Views with their cursors, in the order of the sort.
fn page_rows<F: SearchTable>(query: &PageQuery<'_, F>, rows: &[Row]) -> Result<Vec<(F::View, String)>> {
    let read = |row: &Row| -> Result<(F::View, String)> {
        let row = ResultRow(row);
        let values = (0..query.sort_value_count)
            .map(|n| row.cursor_value(query.sort_values_from + n))
            .collect::<Result<Vec<_>>>()?;
        let cursor = Cursor { values }.encode(&query.order);
        Ok((F::view(&mut Columns::of(&row))?, cursor))
    };
    let mut found = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
    if query.is_backward {
        found.reverse();
    }
    Ok(found)
}
