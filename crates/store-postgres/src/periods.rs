//! Time partitions of history and of the command log: made ahead, a day each, with a default for what lies
//! outside.

use crate::connect::{Connector, Settings};
use crate::schema;
use tidemill_store::Result;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Tables that are partitioned by time, with the suffix-free names of their partitions' parents.
pub(crate) const HISTORY_TABLES: [&str; 8] = [
    "process_instances_history",
    "element_instances_history",
    "variables_history",
    "jobs_history",
    "user_tasks_history",
    "incidents_history",
    "message_subscriptions_history",
    "message_correlations_history",
];
pub(crate) const LOG_TABLE: &str = "batches";

/// Written once, never changed: they need vacuuming only to be marked as such.
const STORAGE: &str =
    "WITH (autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.2)";

/// Makes the partitions of today and of the days ahead that are missing.
pub(crate) async fn make_ahead(
    connector: &Connector,
    settings: &Settings,
    schema: &str,
    days_ahead: u32,
) -> Result<()> {
    let (mut client, _) = connector.open(settings).await?;
    make(&mut client, settings, schema, days_ahead).await.map_err(|error| connector.error(&error))
}

async fn make(
    client: &mut Client,
    settings: &Settings,
    schema: &str,
    days_ahead: u32,
) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(&settings.in_transaction).await?;
    schema::lock(&transaction, schema).await?;
    let today = schema::now_ms(&transaction).await? / DAY_MS;
    let rows = transaction
        .query_typed(
            "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relispartition",
            &[(&schema, Type::TEXT)],
        )
        .await?;
    let known: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let mut sql = String::new();
    for table in HISTORY_TABLES.into_iter().chain([LOG_TABLE]) {
        let default = format!("{table}_default");
        if !known.contains(&default) {
            sql.push_str(&format!("CREATE TABLE {default} PARTITION OF {table} DEFAULT {STORAGE};"));
        }
        for day in today..=today + i64::from(days_ahead) {
            let name = name(table, day);
            if !known.contains(&name) {
                let (from, to) = (day * DAY_MS, (day + 1) * DAY_MS);
                sql.push_str(&format!(
                    "CREATE TABLE {name} PARTITION OF {table} FOR VALUES FROM ({from}) TO ({to}) {STORAGE};"
                ));
            }
        }
    }
    transaction.batch_execute(&sql).await?;
    transaction.commit().await
}

/// Of the partition for a day, counted from 1970.
pub(crate) fn name(table: &str, day: i64) -> String {
    format!("{table}_d{day}")
}

/// The day of a partition; none for the default one.
pub(crate) fn day_of(table: &str, partition: &str) -> Option<i64> {
    partition.strip_prefix(table)?.strip_prefix("_d")?.parse().ok()
}
