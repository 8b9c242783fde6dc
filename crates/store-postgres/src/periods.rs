//! Time partitions of history and of the command log: made ahead, a day each, with a default for what lies
//! outside.

use crate::connect::{Connector, Settings};
use crate::schema;
use tidemill_model::entity::{MessageCorrelation, ProcessInstance};
use tidemill_store::{DAY_MS, Result};
use tidemill_store_sql::Tables;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};

pub(crate) const INSTANCES_TABLE: &str = ProcessInstance::HISTORY;

/// Tables that are partitioned by time, with the suffix-free names of their partitions' parents.
pub(crate) fn history_tables() -> impl Iterator<Item = &'static str> {
    tidemill_store_sql::history_tables().into_iter().map(|(table, _)| table)
}

/// Of what belonged to instances.
pub(crate) fn belonging_tables() -> impl Iterator<Item = &'static str> {
    history_tables().filter(|table| *table != INSTANCES_TABLE)
}

pub(crate) const LOG_TABLE: &str = "batches";

/// Written once, never changed: they need vacuuming only to be marked as such.
const STORAGE: &str =
    "WITH (autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.2)";

/// Attaching a day needs a lock on the default partition, which searches hold while they run, and commits wait
/// meanwhile: better to try again later.
const LIMITS: &str = "SET LOCAL lock_timeout TO '200ms'; SET LOCAL statement_timeout TO 0;";

/// Makes the partitions of today and of the days ahead that are missing; false where a table was in use and has to be
/// tried again. Nothing is lost without them: rows lie in the default partition until their day is there.
pub(crate) async fn make_ahead(
    connector: &Connector,
    settings: &Settings,
    schema: &str,
    days_ahead: u32,
) -> Result<bool> {
    let (mut client, _) = connector.open(settings).await?;
    let mut is_done = true;
    for table in history_tables().chain([LOG_TABLE]) {
        // A transaction for each: who holds a lock on one table must not wait for the next.
        match make(&mut client, settings, schema, table, days_ahead).await {
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => is_done = false,
            made => made.map_err(|error| connector.error(&error))?,
        }
    }
    Ok(is_done)
}

async fn make(
    client: &mut Client,
    settings: &Settings,
    schema: &str,
    table: &str,
    days_ahead: u32,
) -> Result<(), Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(&settings.in_transaction).await?;
    schema::lock(&transaction, schema).await?;
    transaction.batch_execute(LIMITS).await?;
    let today = schema::now_ms(&transaction).await? / DAY_MS;
    let sql = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
        WHERE i.inhparent = $1::text::regclass";
    let rows = transaction.query_typed(sql, &[(&table, Type::TEXT)]).await?;
    let known: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let default = format!("{table}_default");
    if !known.contains(&default) {
        let sql = format!("CREATE TABLE {default} PARTITION OF {table} DEFAULT {STORAGE}");
        transaction.batch_execute(&sql).await?;
    }
    for day in today..=today + i64::from(days_ahead) {
        if !known.contains(&name(table, day)) {
            transaction.batch_execute(&attach(table, day)).await?;
        }
    }
    transaction.commit().await
}

/// A clock that was set ahead has put rows of this day into the default partition: they move. The first lock waits for
/// commits, not for searches; without it, one that has already chosen the default partition for its row would fail.
fn attach(table: &str, day: i64) -> String {
    let (partition, column) = (name(table, day), dated_by(table));
    let (from, to) = (day * DAY_MS, (day + 1) * DAY_MS);
    format!(
        "LOCK TABLE ONLY {table} IN SHARE MODE; LOCK TABLE {table}_default IN ACCESS EXCLUSIVE MODE; \
         CREATE TABLE {partition} (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) {STORAGE}; \
         WITH moved AS (DELETE FROM {table}_default WHERE {column} >= {from} AND {column} < {to} RETURNING *) \
         INSERT INTO {partition} SELECT * FROM moved; \
         ALTER TABLE {table} ATTACH PARTITION {partition} FOR VALUES FROM ({from}) TO ({to});"
    )
}

/// The column that tells the day of a row.
fn dated_by(table: &str) -> &'static str {
    match table {
        LOG_TABLE => "at",
        MessageCorrelation::HISTORY => "correlated_at",
        _ => "ended_at",
    }
}

/// Of the partition for a day, counted from 1970.
pub(crate) fn name(table: &str, day: i64) -> String {
    format!("{table}_d{day}")
}

/// The day of a partition; none for the default one.
pub(crate) fn day_of(table: &str, partition: &str) -> Option<i64> {
    partition.strip_prefix(table)?.strip_prefix("_d")?.parse().ok()
}
