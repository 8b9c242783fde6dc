//! Helpers of measurements besides a store: to leave nothing behind, and to hold a snapshot as a backup does.

use crate::connect::{Connector, Role, Settings, quoted};
use crate::statistics::{self, Tables};
use crate::{Options, PostgresStore};
use tidemill_store::Result;
use tokio_postgres::Client;

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

    /// What Postgres and the store do by themselves some minutes after a history was filled.
    pub async fn gather_statistics(options: &Options) -> Result<()> {
        let connector = Connector::new(&options.url, options.search_limit_ms)?;
        statistics::gather(&connector, &options.schema, false, Tables::All).await
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
