//! Where a store under measurement lies: a file, a schema of a Postgres, or a prefix of a Redis. Everything else in the bench knows
//! only the store.

use crate::serve::{is_postgres, is_redis, sqlite_path};
use anyhow::{Context, Result};
use clap::Args;
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tidemill_model::PartitionCount;
use tidemill_store::{Batch, Store};
use tidemill_store_postgres::{OldSnapshot, PostgresStore};
use tidemill_store_redis::{Figures, RedisStore};
use tidemill_store_sqlite::SqliteStore;

/// Sees every batch.
pub(super) type BatchHook = Arc<dyn Fn(&Batch) + Send + Sync>;

/// Stores that a bench makes beside the one under load.
pub(super) const BESIDE: [&str; 4] = ["limit", "limit_plain", "preloaded", "window"];

#[derive(Args, Clone)]
pub(super) struct BenchStore {
    /// A file of the embedded store
    #[arg(long, required_unless_present = "url", conflicts_with = "url")]
    file: Option<PathBuf>,

    /// A Postgres or a Redis
    #[arg(long, requires = "schema")]
    url: Option<String>,

    /// Of the Postgres; of a Redis the prefix of its keys
    #[arg(long)]
    schema: Option<String>,
}

impl BenchStore {
    /// Another one of the same kind.
    pub(super) fn beside(&self) -> BenchStore {
        self.beside_as("limit")
    }

    pub(super) fn beside_as(&self, name: &str) -> BenchStore {
        BenchStore {
            file: self.file.as_ref().map(|file| file.with_extension(format!("{name}.db"))),
            url: self.url.clone(),
            schema: self.schema.as_ref().map(|schema| format!("{schema}_{name}")),
        }
    }

    pub(super) async fn open(
        &self,
        partitions: PartitionCount,
        on_batch: Option<BatchHook>,
    ) -> Result<Arc<dyn Store>> {
        if let Some(options) = self.postgres() {
            let options = tidemill_store_postgres::Options { partitions, on_batch, ..options };
            return Ok(Arc::new(PostgresStore::open(&options).await?));
        }
        if let Some(options) = self.redis()? {
            let options = tidemill_store_redis::Options { partitions, on_batch, ..options };
            return Ok(Arc::new(RedisStore::open(&options).await?));
        }
        let file = self.file.as_ref().context("a store needs a file or a URL")?;
        let options = tidemill_store_sqlite::Options::new(file);
        let options = tidemill_store_sqlite::Options { partitions, on_batch, ..options };
        Ok(Arc::new(SqliteStore::open(&options)?))
    }

    /// A Redis that takes batches as plain transactions.
    pub(super) async fn open_plain(&self, partitions: PartitionCount) -> Result<Arc<dyn Store>> {
        let options = self.redis()?.context("only a Redis takes plain transactions")?;
        let options = tidemill_store_redis::Options { partitions, is_plain: true, ..options };
        Ok(Arc::new(RedisStore::open(&options).await?))
    }

    /// On the disk of the store, or of this machine where the store is elsewhere.
    pub(super) fn directory(&self) -> &Path {
        let parent = self.file.as_deref().and_then(Path::parent);
        parent.filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Any number of processes can open it.
    pub(super) fn is_shared(&self) -> bool {
        self.url.is_some()
    }

    /// As another process of this program takes them.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let texts = [("--url", &self.url), ("--schema", &self.schema)];
        let texts = texts.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?.into())));
        let file = self.file.iter().map(|file| ("--file", file.into()));
        texts.chain(file).flat_map(|(name, value): (&str, OsString)| [OsString::from(name), value]).collect()
    }

    fn postgres(&self) -> Option<tidemill_store_postgres::Options> {
        let (url, schema) = (self.url.as_ref().filter(|url| is_postgres(url))?, self.schema.as_ref()?);
        let options = tidemill_store_postgres::Options::new(url);
        Some(tidemill_store_postgres::Options { schema: schema.clone(), ..options })
    }

    fn redis(&self) -> Result<Option<tidemill_store_redis::Options>> {
        let (Some(url), Some(prefix)) = (self.url.as_ref().filter(|url| is_redis(url)), &self.schema) else {
            return Ok(None);
        };
        let options = tidemill_store_redis::Options::new(url, PartitionCount::ONE)?;
        Ok(Some(tidemill_store_redis::Options { prefix: prefix.clone(), ..options }))
    }

    /// What a Redis has done and holds; none for other stores.
    pub(super) async fn redis_figures(&self) -> Result<Option<Figures>> {
        match self.redis()? {
            Some(options) => Ok(Some(RedisStore::figures(&options).await?)),
            None => Ok(None),
        }
    }

    /// Runs beside the load and ends when it is dropped.
    pub(super) async fn hold_snapshot(&self) -> Result<OldSnapshot> {
        let options = self.postgres().context("only a Postgres has old snapshots")?;
        Ok(PostgresStore::hold_snapshot(&options).await?)
    }

    /// Does at once what a database does by itself some minutes after so many rows have come.
    pub(super) async fn gather_statistics(&self) -> Result<()> {
        if let Some(options) = self.postgres() {
            PostgresStore::gather_statistics(&options).await?;
        }
        Ok(())
    }

    /// Bytes that a Postgres has written to its log of changes so far; none for the embedded store.
    pub(super) async fn wal_bytes(&self) -> Result<Option<u64>> {
        match self.postgres() {
            Some(options) => Ok(Some(PostgresStore::wal_bytes(&options).await?)),
            None => Ok(None),
        }
    }

    /// Bytes that a file takes with all that belongs to it; none for a Postgres.
    pub(super) fn disk_bytes(&self) -> Result<Option<u64>> {
        let Some(file) = &self.file else { return Ok(None) };
        let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
        let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        Ok(Some(bytes(file) + bytes(&beside("-wal")) + bytes(&beside("-shm"))))
    }

    async fn remove(&self) -> Result<()> {
        if let Some(options) = self.postgres() {
            PostgresStore::drop_schema(&options).await?;
        }
        if let Some(options) = self.redis()? {
            RedisStore::drop_all(&options).await?;
        }
        Ok(())
    }
}

/// A place that goes away with all that was put there and beside it, but for a file that somebody has named.
pub(super) struct FreshPlace {
    place: BenchStore,
    _directory: Option<TempDir>,
}

impl FreshPlace {
    /// Without a URL a new file.
    pub(super) fn make(url: Option<&str>) -> Result<FreshPlace> {
        let nowhere = BenchStore { file: None, url: None, schema: None };
        match url {
            None => {
                // In this directory rather than the system's place for such files, which may live in memory.
                let directory = tempfile::Builder::new().prefix("tidemill-bench-").tempdir_in(".")?;
                let place = BenchStore { file: Some(directory.path().join("tidemill.db")), ..nowhere };
                Ok(FreshPlace { place, _directory: Some(directory) })
            }
            Some(url) if is_postgres(url) || is_redis(url) => {
                let schema = format!("bench_{:08x}", seed());
                let place = BenchStore { url: Some(url.to_owned()), schema: Some(schema), ..nowhere };
                Ok(FreshPlace { place, _directory: None })
            }
            Some(url) => {
                let place = BenchStore { file: Some(sqlite_path(url)?), ..nowhere };
                Ok(FreshPlace { place, _directory: None })
            }
        }
    }
}

/// Differs from run to run, which is all that the name of a schema needs.
fn seed() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) as u32
}

impl Deref for FreshPlace {
    type Target = BenchStore;

    fn deref(&self) -> &BenchStore {
        &self.place
    }
}

impl Drop for FreshPlace {
    fn drop(&mut self) {
        if !self.place.is_shared() {
            return;
        }
        let removed = tokio::runtime::Builder::new_current_thread().enable_all().build().map(|runtime| {
            runtime.block_on(async {
                self.place.remove().await?;
                for name in BESIDE {
                    self.place.beside_as(name).remove().await?;
                }
                anyhow::Ok(())
            })
        });
        if !matches!(removed, Ok(Ok(()))) {
            let schema = self.place.schema.as_deref().unwrap_or_default();
            eprintln!("the schemas (on Redis: prefixes) {schema} and {schema}_* could not be removed");
        }
    }
}
