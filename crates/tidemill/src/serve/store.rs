//! Opening the store that the settings name.

use super::store_settings::StoreSettings;
use anyhow::Result;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tidemill_model::PartitionCount;
use tidemill_store::{Error, Store};
use tidemill_store_postgres::PostgresStore;
use tidemill_store_redis::RedisStore;
use tidemill_store_sqlite::{Options, SqliteStore};

/// The store and what the log calls it.
pub(super) async fn open(settings: StoreSettings) -> Result<(Arc<dyn Store>, String)> {
    match settings {
        StoreSettings::Embedded { file, partitions, search_limit_ms } => {
            let defaults = Options::new(file.clone());
            let options = Options {
                partitions: PartitionCount(partitions),
                search_limit_ms: search_limit_ms.unwrap_or(defaults.search_limit_ms),
                ..defaults
            };
            Ok((Arc::new(SqliteStore::open(&options)?), file.display().to_string()))
        }
        StoreSettings::Redis { mut options, partitions } => {
            options.partitions = PartitionCount(partitions.unwrap_or_else(cores));
            let opened = match RedisStore::open(&options).await {
                // As on Postgres.
                Err(Error::OtherPartitionCount { found, .. }) if partitions.is_none() => {
                    options.partitions = PartitionCount(found);
                    RedisStore::open(&options).await?
                }
                opened => opened?,
            };
            Ok((Arc::new(opened), format!("Redis, prefix {}", options.prefix)))
        }
        StoreSettings::Postgres { mut options, partitions } => {
            options.partitions = PartitionCount(partitions.unwrap_or_else(cores));
            let opened = match PostgresStore::open(&options).await {
                // Nobody has asked for a number, so the one that the store was made with will do.
                Err(Error::OtherPartitionCount { found, .. }) if partitions.is_none() => {
                    options.partitions = PartitionCount(found);
                    PostgresStore::open(&options).await?
                }
                opened => opened?,
            };
            Ok((Arc::new(opened), format!("Postgres, schema {}", options.schema)))
        }
    }
}

fn cores() -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    u16::try_from(cores).unwrap_or(u16::MAX)
}
