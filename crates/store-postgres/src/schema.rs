//! The schema: migrations, one node at a time, and what is fixed when the store is made. Nothing is prepared
//! here: behind a pooler a prepared statement would meet another connection.

use crate::connect::{Connector, Settings, quoted};
use crate::indexes;
use tidemill_model::PartitionCount;
use tidemill_store::{Error, Result};
use tokio_postgres::Transaction;
use tokio_postgres::types::Type;

/// In order; the n-th brings the schema to version n.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/V1__ownership_and_log.sql"),
    include_str!("../migrations/V2__entities.sql"),
    include_str!("../migrations/V3__operators.sql"),
    include_str!("../migrations/V4__in_hand.sql"),
    include_str!("../migrations/V5__searches.sql"),
    include_str!("../migrations/V6__timer_shards.sql"),
    include_str!("../migrations/V7__sleeping_owners.sql"),
    include_str!("../migrations/V8__redo.sql"),
];

/// True if indexes are left to be built.
pub(crate) async fn prepare(
    connector: &Connector,
    settings: &Settings,
    schema: &str,
    asked: PartitionCount,
) -> Result<bool> {
    let (mut client, _) = connector.open(settings).await?;
    let place = format!("{}, schema {schema}", connector.place());
    let told = |error: tokio_postgres::Error| connector.error(&error);
    let transaction = client.transaction().await.map_err(told)?;
    lock(&transaction, schema).await.map_err(told)?;
    make_schema(&transaction, schema).await.map_err(told)?;
    let found = version(&transaction).await.map_err(told)?;
    let known = MIGRATIONS.len() as i64;
    // An older server must not write into a schema that it does not know.
    if found > known {
        return Err(Error::NewerSchema { place, found: found as u32, known: known as u32 });
    }
    // All in one transaction: a server that dies here leaves the schema as it was.
    for (n, sql) in MIGRATIONS.iter().enumerate().skip(found as usize) {
        transaction.batch_execute(sql).await.map_err(told)?;
        let note = "INSERT INTO schema_versions (version) VALUES ($1)";
        transaction.query_typed(note, &[(&(n as i64 + 1), Type::INT8)]).await.map_err(told)?;
    }
    let partitions = partitions(&transaction, asked).await.map_err(told)?;
    if partitions != i64::from(asked.0) {
        return Err(Error::OtherPartitionCount { place, found: partitions as u16, asked: asked.0 });
    }
    let missing = transaction.query_typed_one(indexes::ARE_MISSING, &[]).await.map_err(told)?;
    transaction.commit().await.map_err(told)?;
    missing.try_get(0).map_err(told)
}

/// For the transaction only, so that it works behind a pooler. Others that start at the same time wait here.
pub(crate) async fn lock(transaction: &Transaction<'_>, schema: &str) -> Result<(), tokio_postgres::Error> {
    transaction
        .query_typed(
            "SELECT pg_advisory_xact_lock(hashtext('tidemill'), hashtext($1))",
            &[(&schema, Type::TEXT)],
        )
        .await
        .map(drop)
}

/// True if nobody else has it.
pub(crate) async fn try_lock(
    transaction: &Transaction<'_>,
    name: &str,
) -> Result<bool, tokio_postgres::Error> {
    let sql = "SELECT pg_try_advisory_xact_lock(hashtext('tidemill'), hashtext($1))";
    transaction.query_typed_one(sql, &[(&name, Type::TEXT)]).await?.try_get(0)
}

/// A role that may not create schemas can use one that was made for it.
async fn make_schema(transaction: &Transaction<'_>, schema: &str) -> Result<(), tokio_postgres::Error> {
    let sql = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    let found = transaction.query_typed_opt(sql, &[(&schema, Type::TEXT)]).await?;
    let quoted = quoted(schema);
    if found.is_none() {
        transaction.batch_execute(&format!("CREATE SCHEMA {quoted}")).await?;
    }
    transaction
        .batch_execute(&format!("SET LOCAL search_path TO {quoted}; SET LOCAL statement_timeout TO 0"))
        .await
}

async fn version(transaction: &Transaction<'_>) -> Result<i64, tokio_postgres::Error> {
    transaction
        .batch_execute(
            "CREATE TABLE IF NOT EXISTS schema_versions \
             (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())",
        )
        .await?;
    let row =
        transaction.query_typed_one("SELECT coalesce(max(version), 0) FROM schema_versions", &[]).await?;
    row.try_get(0)
}

/// The number is fixed when the store is made, because keys and correlation keys lead to partitions by it.
async fn partitions(
    transaction: &Transaction<'_>,
    asked: PartitionCount,
) -> Result<i64, tokio_postgres::Error> {
    let found =
        transaction.query_typed_opt("SELECT value FROM settings WHERE name = 'partitions'", &[]).await?;
    if let Some(row) = found {
        return row.try_get(0);
    }
    let count = i64::from(asked.0);
    transaction
        .query_typed(
            "INSERT INTO settings VALUES ('partitions', $1), ('definitions_version', 0)",
            &[(&count, Type::INT8)],
        )
        .await?;
    transaction
        .query_typed(
            "INSERT INTO partitions (partition_id, epoch, next_key, released_epoch) \
             SELECT p, 0, 1, 0 FROM generate_series(1, $1::bigint) p",
            &[(&count, Type::INT8)],
        )
        .await?;
    let sleeping_owners = "INSERT INTO sleeping_owners SELECT p, false FROM generate_series(1, $1::bigint) p";
    transaction.query_typed(sleeping_owners, &[(&count, Type::INT8)]).await?;
    Ok(count)
}

/// The server's own clock, which rules over leases.
pub(crate) async fn now_ms(transaction: &Transaction<'_>) -> Result<i64, tokio_postgres::Error> {
    let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    transaction.query_typed_one(sql, &[]).await?.try_get(0)
}
