//! Helpers of measurements besides a store: to leave nothing behind, and to hold a snapshot as a backup does.

use crate::connect::{Connector, Role, Settings, quoted};
use crate::statistics::{self, Tables};
use crate::{Options, PostgresStore};
use std::sync::atomic::{AtomicU64, Ordering};
use tidemill_store::Result;
use tokio_postgres::Client;

static STATEMENTS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn note_statement() {
    STATEMENTS.fetch_add(1, Ordering::Relaxed);
}

/// A transaction whose snapshot keeps dead rows from being cleared away, until it is dropped.
pub struct OldSnapshot {
    _client: Client,
}

impl PostgresStore {
    /// Removes a schema with all that is in it: for stores that were made to be measured.
    pub async fn drop_schema(options: &Options) -> Result<()> {
        let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(&options.schema));
        plain(options, &sql).await.map(drop)
    }

    /// Does the upkeep that Postgres and the store do by themselves some minutes after a history was filled.
    pub async fn gather_statistics(options: &Options) -> Result<()> {
        let connector = Connector::new(&options.url, options.search_limit_ms)?;
        statistics::gather(&connector, &options.schema, false, Tables::All).await
    }

    /// Statements that this process has sent so far, those that begin and end transactions among them.
    pub fn statements() -> u64 {
        STATEMENTS.load(Ordering::Relaxed)
    }

    /// Bytes that the server has written to its log of changes so far, for all of its databases.
    pub async fn wal_bytes(options: &Options) -> Result<u64> {
        let connector = Connector::new(&options.url, options.search_limit_ms)?;
        let (client, _) = connector.open(&Settings::new(&options.schema, Role::Engine, true)).await?;
        let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text";
        let row = client.query_one(sql, &[]).await.map_err(|error| connector.error(&error))?;
        Ok(row.get::<_, String>(0).parse().unwrap_or(0))
    }

    pub async fn hold_snapshot(options: &Options) -> Result<OldSnapshot> {
        let sql = format!(
            "SET idle_in_transaction_session_timeout TO 0; BEGIN ISOLATION LEVEL REPEATABLE READ; \
             SELECT count(*) FROM {}.partitions",
            quoted(&options.schema)
        );
        Ok(OldSnapshot { _client: plain(options, &sql).await? })
    }
}

/// Runs this on a connection with the server's own settings.
async fn plain(options: &Options, sql: &str) -> Result<Client> {
    let connector = Connector::new(&options.url, options.search_limit_ms)?;
    let (client, _) = connector.open(&Settings::new(&options.schema, Role::Engine, true)).await?;
    client.batch_execute(sql).await.map_err(|error| connector.error(&error))?;
    Ok(client)
}
