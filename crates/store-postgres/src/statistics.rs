//! Statistics of the tables that are partitioned by time. Postgres gathers those of the days by itself, but never those
//! of their parents, by which it plans joins: so one node asks for them, now and then, when the history has grown.

use crate::connect::{Connector, Role, Settings};
use crate::periods::history_tables;
use crate::schema;
use tidemill_store::Result;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};

/// Rows that a table has gained since the last time: a share, and so many at least.
const GROWN_SHARE: f64 = 0.2;
const GROWN_ROWS: f64 = 10_000.0;

/// The sample has 300 rows per unit, which bounds what a table costs. No statement takes longer than this.
const LIMITS: &str = "SET LOCAL default_statistics_target TO 30; SET LOCAL statement_timeout TO '60s'; \
    SET LOCAL lock_timeout TO '200ms'; SET LOCAL idle_in_transaction_session_timeout TO 0;";

const ROWS: &str = "SELECT coalesce(sum(s.n_live_tup), 0)::bigint FROM pg_inherits h \
    JOIN pg_stat_all_tables s ON s.relid = h.inhrelid WHERE h.inhparent = $1::text::regclass";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tables {
    Grown,
    All,
}

/// Gathers them for the tables that have grown, each in a transaction of its own. Another node that is at it is not
/// waited for.
pub(crate) async fn gather(
    connector: &Connector,
    schema: &str,
    is_pooled: bool,
    tables: Tables,
) -> Result<()> {
    let settings = Settings::new(schema, Role::Search { limit_ms: 0 }, is_pooled);
    let (mut client, _) = connector.open(&settings).await?;
    for table in history_tables() {
        let done = of_table(&mut client, &settings, schema, table, tables).await;
        done.map_err(|error| connector.error(&error))?;
    }
    Ok(())
}

async fn of_table(
    client: &mut Client,
    settings: &Settings,
    schema: &str,
    table: &str,
    tables: Tables,
) -> Result<(), Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(&format!("{}{LIMITS}", settings.in_transaction)).await?;
    // One node is enough, and the others need not wait for it.
    if !schema::try_lock(&transaction, &format!("{schema} counts")).await? {
        return Ok(());
    }
    let name = format!("analyzed_rows {table}");
    let sql = "SELECT value FROM settings WHERE name = $1";
    let before = transaction.query_typed_opt(sql, &[(&name, Type::TEXT)]).await?;
    let before = before.map_or(Ok(0), |row| row.try_get::<_, i64>(0))? as f64;
    let rows: i64 = transaction.query_typed_one(ROWS, &[(&table, Type::TEXT)]).await?.try_get(0)?;
    let grown = rows as f64 - before;
    if tables == Tables::Grown && (grown < GROWN_ROWS || grown < before * GROWN_SHARE) {
        return Ok(());
    }
    transaction.batch_execute(&format!("ANALYZE {table}")).await?;
    let note = "INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    transaction.query_typed(note, &[(&name, Type::TEXT), (&rows, Type::INT8)]).await?;
    transaction.commit().await
}
