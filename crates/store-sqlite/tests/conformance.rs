//! The SQLite store passes the suite.

use async_trait::async_trait;
use std::sync::Arc;
use tempfile::TempDir;
use tidemill_model::PartitionCount;
use tidemill_store::Store;
use tidemill_store_conformance::{Place, conformance_tests};
use tidemill_store_sqlite::{Options, SqliteStore};

struct File {
    directory: TempDir,
    partitions: PartitionCount,
}

#[async_trait]
impl Place for File {
    async fn open(&self) -> Arc<dyn Store> {
        let options =
            Options { partitions: self.partitions, ..Options::new(self.directory.path().join("store.db")) };
        Arc::new(SqliteStore::open(&options).expect("opens"))
    }
}

fn file(partitions: u16) -> File {
    let directory = tempfile::tempdir().expect("a directory");
    File { directory, partitions: PartitionCount(partitions) }
}

conformance_tests!(file);
