//! Reads for operators. The file knows no days and no sizes of tables: rows are counted.

use crate::SqliteStore;
use crate::error::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    Amount, BatchId, DAY_MS, Inspect, LAG_COUNT_MAX, Lag, LogRange, LoggedBatch, PoolUse, Purpose, Result,
};

/// Tables with the column that tells the age of a row.
/// The other tables of history belong to these instances and are purged with them, so they are not counted apart.
const DATED: [(Purpose, &str, &str); 2] =
    [(Purpose::History, "process_instances_history", "ended_at"), (Purpose::Log, "batches", "at")];

#[async_trait]
impl Inspect for SqliteStore {
    fn pools(&self) -> Vec<PoolUse> {
        vec![self.writer.usage(), self.loads.usage(), self.searches.usage()]
    }

    async fn log(&self, partition: PartitionId, range: &LogRange, limit: usize) -> Result<Vec<LoggedBatch>> {
        let range = range.clone();
        let order = if range.is_newest_first { "DESC" } else { "ASC" };
        self.searches
            .read(move |connection| {
                let mut statement = connection.prepare_cached(&format!(
                    // By the id of the batch and not by its time: several batches can have one millisecond, and a cursor must tell them apart.
                    "SELECT batch_id, at, log FROM batches WHERE partition_id = ?1 AND batch_id BETWEEN ?2 AND ?3 \
                     AND at >= ?4 AND at < ?5 ORDER BY batch_id {order} LIMIT ?6"
                ))?;
                // The times narrow the range further; the ids alone decide where a page begins.
                let (from, to) = (range.ids.0.0, range.ids.1.0);
                let bounds =
                    params![partition.0, from, to, range.at.start.0, range.at.end.0, limit as i64];
                let batches = statement.query_map(bounds, |row| {
                    Ok(LoggedBatch {
                        partition,
                        id: BatchId(row.get(0)?),
                        at: Timestamp(row.get(1)?),
                        log: row.get(2)?,
                    })
                })?;
                Ok(batches.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn lag(&self, partition: PartitionId, now: Timestamp) -> Result<Lag> {
        self.loads.read(move |connection| lag(connection, partition, now)).await
    }

    async fn amounts(&self) -> Result<Vec<Amount>> {
        self.searches
            .read(|connection| {
                let mut amounts = Vec::new();
                for (purpose, table, column) in DATED {
                    amounts.extend(days(connection, purpose, table, column)?);
                }
                amounts.sort_by_key(|amount| amount.day);
                Ok(amounts)
            })
            .await
    }
}

fn lag(connection: &Connection, partition: PartitionId, now: Timestamp) -> Outcome<Lag> {
    let limit = LAG_COUNT_MAX as i64;
    let counted = |sql: &str, parameters: &[&dyn rusqlite::ToSql]| -> Outcome<(u64, Option<Timestamp>)> {
        let row = connection.prepare_cached(sql)?.query_row(parameters, |row| {
            Ok((row.get::<_, u64>(0)?, row.get::<_, Option<i64>>(1)?.map(Timestamp)))
        });
        Ok(row?)
    };
    // Counted up to a limit: a long queue is told as long, and counting all of it would slow down what works it off.
    let waiting = "SELECT count(*), min(received_at) FROM \
        (SELECT received_at FROM inbox WHERE partition_id = ?1 ORDER BY position LIMIT ?2)";
    let due = "SELECT count(*), min(due_at) FROM \
        (SELECT due_at FROM timers WHERE partition_id = ?1 AND due_at <= ?2 ORDER BY due_at, key LIMIT ?3)";
    let (waiting, oldest_received_at) = counted(waiting, params![partition.0, limit])?;
    let (timers_due, oldest_due_at) = counted(due, params![partition.0, now.0, limit])?;
    let last = "SELECT batch_id, at FROM batches WHERE partition_id = ?1 ORDER BY batch_id DESC LIMIT 1";
    let last_batch = connection
        .prepare_cached(last)?
        .query_row([partition.0], |row| Ok((BatchId(row.get(0)?), Timestamp(row.get(1)?))))
        .optional()?;
    Ok(Lag { waiting, oldest_received_at, timers_due, oldest_due_at, last_batch })
}

/// Reads whole tables, which is why `admin` asks for it and no beat does.
fn days(connection: &Connection, purpose: Purpose, table: &str, column: &str) -> Outcome<Vec<Amount>> {
    let sql = format!("SELECT {column} / {DAY_MS}, count(*) FROM {table} GROUP BY 1 ORDER BY 1");
    let mut statement = connection.prepare_cached(&sql)?;
    let amounts = statement.query_map([], |row| {
        Ok(Amount {
            purpose,
            name: table.to_owned(),
            day: Some(row.get(0)?),
            rows: Some(row.get(1)?),
            // SQLite could tell the bytes of a table only by walking through all of its pages.
            bytes: None,
        })
    })?;
    Ok(amounts.collect::<rusqlite::Result<_>>()?)
}
