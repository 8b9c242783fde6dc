//! Runs the statements of a search and reads its page.

use super::row::{ResultRow, parameter};
use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::dialect::Postgres;
use tidemill_store::query::{COUNT_LIMIT_MS, Results, Search};
use tidemill_store::{Error, Result};
use tidemill_store_sql::{
    Columns, SearchTable, Statement, count_query, page_query, probes, settled, single_query,
};
use tokio_postgres::Row;

impl PostgresStore {
    pub(super) async fn search<F: SearchTable>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        self.searches.within_limit(self.found(search)).await
    }

    async fn found<F: SearchTable>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        self.catch_up_for(search).await?;
        let search = &self.with_keys(search).await?;
        let rows = match page_query(&Postgres, search)? {
            None => Vec::new(),
            Some(query) => {
                let rows = self.rows_of(&query.statement).await?;
                query.in_order(rows.iter().map(|row| query.read(&ResultRow(row))).collect::<Result<_>>()?)
            }
        };
        if let Some(total) = search.page.total_from(rows.len()) {
            return Ok(Results::new(rows, total));
        }
        match self.count(count_query(&Postgres, &search.filter)).await {
            Ok(total) => Ok(Results::new(rows, total)),
            // The page was found within its own limit and is answered without an exact total.
            Err(Error::TooSlow { .. }) => Ok(Results::uncounted(rows, &search.page)),
            Err(error) => Err(error),
        }
    }

    /// With keys in the place of conditions that few rows pass.
    pub(super) async fn with_keys<F: SearchTable>(&self, search: &Search<F>) -> Result<Search<F>> {
        let probes = probes(&Postgres, &search.filter);
        let mut answers = Vec::with_capacity(probes.len());
        for probe in &probes {
            let rows = self.rows_of_probe(&probe.statement.text, &probe.statement).await?;
            let keys = rows.iter().map(|row| Columns::of(&ResultRow(row)).int());
            answers.push(keys.collect::<Result<Vec<i64>>>()?);
        }
        let filter = settled(&Postgres, &search.filter, &mut answers.into_iter());
        Ok(Search { filter, ..search.clone() })
    }

    /// A bitmap would hold every row that passes before the first is given, and of a frequent value only a few are wanted.
    pub(super) async fn rows_of_probe(&self, text: &str, statement: &Statement<'_>) -> Result<Vec<Row>> {
        let params: Vec<Param<'_>> = statement.parameters.iter().map(parameter).collect();
        // LOCAL settings end with the transaction, so the connection is clean when it goes back to the pool.
        let by_index = Call::once("SET LOCAL enable_bitmapscan TO off", []);
        let rows = self.searches.write(&[by_index, Call::once(text, params)]).await?;
        Ok(rows.into_iter().next_back().unwrap_or_default())
    }

    pub(super) async fn single<F: SearchTable>(&self, key: i64) -> Result<Option<F::View>> {
        self.searches.within_limit(self.catch_up_key(key)).await?;
        let rows = self.rows_of(&single_query::<F>(&Postgres, key)).await?;
        rows.first().map(|row| F::view(&mut Columns::of(&ResultRow(row)))).transpose()
    }

    async fn count(&self, statement: Option<Statement<'_>>) -> Result<u64> {
        let Some(statement) = statement else { return Ok(0) };
        let params: Vec<Param<'_>> = statement.parameters.iter().map(parameter).collect();
        let limit = Call::once(format!("SET LOCAL statement_timeout TO {COUNT_LIMIT_MS}"), []);
        let calls = [limit, Call::once(statement.text.as_str(), params)];
        let rows = self.searches.write(&calls).await?.pop().unwrap_or_default();
        rows.first().map_or(Ok(0), |row| Columns::of(&ResultRow(row)).count())
    }

    pub(super) async fn rows_of(&self, statement: &Statement<'_>) -> Result<Vec<Row>> {
        let params: Vec<Param<'_>> = statement.parameters.iter().map(parameter).collect();
        // Searches are not prepared, because they come in more forms than a server should keep.
        let read = self.searches.read_one(Call::once(statement.text.as_str(), params));
        self.searches.within_limit(read).await
    }
}
