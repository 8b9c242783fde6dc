//! The Postgres store passes the suite, whether the tables follow the log at once, soon or late.

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

fn schema(partitions: u16, follow_window_ms: u64) -> Schema {
    let partitions = PartitionCount(partitions);
    Schema(Options { partitions, days_ahead: 0, follow_window_ms, ..fresh() })
}

mod in_the_commit {
    use super::*;
    conformance_tests!(|partitions| schema(partitions, 0));
}

mod after_a_millisecond {
    use super::*;
    conformance_tests!(|partitions| schema(partitions, 1));
}

mod after_a_second {
    use super::*;
    conformance_tests!(|partitions| schema(partitions, 1_000));
}
