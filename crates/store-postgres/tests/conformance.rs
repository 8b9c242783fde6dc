//! The Postgres store passes the suite.

mod support;

use async_trait::async_trait;
use std::sync::Arc;
use support::fresh;
use tidemill_model::PartitionCount;
use tidemill_store::Store;
use tidemill_store_conformance::{Place, conformance_tests};
use tidemill_store_postgres::{Options, PostgresStore};

struct Schema(Options);

#[async_trait]
impl Place for Schema {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(PostgresStore::open(&self.0).await.expect("opens"))
    }
}

fn schema(partitions: u16) -> Schema {
    Schema(Options { partitions: PartitionCount(partitions), days_ahead: 0, ..fresh() })
}

conformance_tests!(schema);
