//! The store that the settings name: which kind it is, where it is, and how it is reached.

use super::settings::{Settings, Wakeup};
use anyhow::{Context, Result, bail};
use std::fs::{DirBuilder, Permissions};
use std::num::NonZeroUsize;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tidemill_model::PartitionCount;
use tidemill_store_postgres::WakeupMode;

const DATA_DEFAULT: &str = "tidemill-data";
/// The data directory is for the server alone.
const OWNER_ONLY: u32 = 0o700;
/// Anybody who guesses the secret can run commands, so it must be long.
const SECRET_BYTES_MIN: usize = 16;
/// How often a server that polls looks for work.
pub(super) const POLL_EVERY_MS: u64 = 50;

/// Which store to open.
pub(crate) enum StoreSettings {
    Embedded {
        file: PathBuf,
        partitions: u16,
        /// None for the default of the store.
        search_limit_ms: Option<u64>,
    },
    Postgres {
        options: Box<tidemill_store_postgres::Options>,
        /// None takes what the store was made with, or makes it with one for each core.
        partitions: Option<u16>,
    },
    Redis {
        options: Box<tidemill_store_redis::Options>,
        /// As on Postgres.
        partitions: Option<u16>,
    },
}

impl Settings {
    pub(crate) fn store(&self) -> Result<StoreSettings> {
        let secret = self.cluster_secret.as_deref();
        if secret.is_some_and(|secret| secret.len() < SECRET_BYTES_MIN || !secret.is_ascii()) {
            bail!("the cluster secret must have at least {SECRET_BYTES_MIN} ASCII characters");
        }
        match &self.store {
            Some(url) if is_postgres(url) => self.postgres(url).map(|options| StoreSettings::Postgres {
                options: Box::new(options),
                partitions: self.partitions,
            }),
            Some(url) if is_redis(url) => self.redis(url).map(|options| StoreSettings::Redis {
                options: Box::new(options),
                partitions: self.partitions,
            }),
            _ => Ok(StoreSettings::Embedded {
                file: self.store_file()?,
                partitions: self.partitions.unwrap_or(1),
                search_limit_ms: self.search_limit_ms(),
            }),
        }
    }

    fn postgres(&self, url: &str) -> Result<tidemill_store_postgres::Options> {
        let mut options = tidemill_store_postgres::Options::new(url);
        if let Some(schema) = &self.schema {
            options.schema.clone_from(schema);
        }
        if self.wakeup == Some(Wakeup::Poll) {
            options.wakeup = WakeupMode::Poll { every_ms: POLL_EVERY_MS };
        }
        let count = |given: Option<NonZeroUsize>, default| given.map_or(default, NonZeroUsize::get);
        options.write_connections = count(self.write_connections, options.write_connections);
        options.load_connections = count(self.load_connections, options.load_connections);
        options.search_connections = count(self.search_connections, options.search_connections);
        if let Some(limit_ms) = self.search_limit_ms() {
            options.search_limit_ms = limit_ms;
        }
        if let Some(window_ms) = self.follow_window_ms {
            options.follow_window_ms = window_ms;
        }
        Ok(options)
    }

    fn redis(&self, url: &str) -> Result<tidemill_store_redis::Options> {
        let options = tidemill_store_redis::Options::new(url, PartitionCount::ONE)?;
        let search_limit_ms = self.search_limit_ms().unwrap_or(options.search_limit_ms);
        Ok(self.redis.apply(tidemill_store_redis::Options { search_limit_ms, ..options }))
    }

    fn search_limit_ms(&self) -> Option<u64> {
        self.search_limit.map(|limit| u64::try_from(limit.0.as_millis()).unwrap_or(u64::MAX))
    }

    /// The file of the embedded store. Its directory is made.
    pub(super) fn store_file(&self) -> Result<PathBuf> {
        let file = match &self.store {
            Some(url) => sqlite_path(url)?,
            None => self.data.clone().unwrap_or_else(|| DATA_DEFAULT.into()).join("tidemill.db"),
        };
        if let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            DirBuilder::new()
                .recursive(true)
                .mode(OWNER_ONLY)
                .create(directory)
                .with_context(|| format!("cannot make the directory {}", directory.display()))?;
            // A directory that somebody has named only by a file in it may belong to others too.
            if self.store.is_none() {
                close_to_others(directory);
            }
        }
        Ok(file)
    }
}

/// Earlier versions left the directory open to everybody.
fn close_to_others(directory: &Path) {
    let Ok(metadata) = std::fs::metadata(directory) else { return };
    if metadata.permissions().mode() & 0o077 == 0 {
        return;
    }
    if let Err(error) = std::fs::set_permissions(directory, Permissions::from_mode(OWNER_ONLY)) {
        tracing::warn!(%error, directory = %directory.display(), "other users can look into the data directory");
    }
}

pub(crate) fn is_redis(url: &str) -> bool {
    url.starts_with("redis://") || url.starts_with("rediss://")
}

/// Any number of servers can open it.
pub(super) fn is_shared(url: &str) -> bool {
    is_postgres(url) || is_redis(url)
}

pub(crate) fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// The file that a store URL names. Other kinds of stores are told apart from mistakes.
pub(crate) fn sqlite_path(url: &str) -> Result<PathBuf> {
    match url.split_once(':') {
        Some(("sqlite", path)) if !path.is_empty() => {
            Ok(PathBuf::from(path.strip_prefix("//").unwrap_or(path)))
        }
        Some(("postgres" | "postgresql" | "redis" | "rediss", _)) => {
            bail!("'{url}' is no embedded store; use sqlite:PATH here")
        }
        Some((kind @ ("redis-cluster" | "redis-sentinel"), _)) => {
            bail!("a store of the kind '{kind}' is not in this version of Tidemill; use redis://HOST:PORT")
        }
        _ => bail!(
            "'{url}' is no store; use postgres://USER@HOST/DATABASE, redis://HOST:PORT or sqlite:PATH, for example sqlite:/var/lib/tidemill/tidemill.db"
        ),
    }
}
