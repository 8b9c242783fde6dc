//! The store passes the suite through a transaction pooler too: no session state, nothing prepared, no LISTEN.

mod support;

use async_trait::async_trait;
use std::sync::{Arc, OnceLock};
use support::fresh;
use tidemill_model::PartitionCount;
use tidemill_store::Store;
use tidemill_store_conformance::postgres::{Pooler, PostgresServer};
use tidemill_store_conformance::{Place, conformance_tests};
use tidemill_store_postgres::{Options, PostgresStore, WakeupMode};

/// Without the pooler's package, the mode that is made for it is tested on a plain server.
fn pooler_url() -> String {
    static POOLER: OnceLock<Option<Pooler>> = OnceLock::new();
    let server = PostgresServer::shared();
    POOLER.get_or_init(|| Pooler::start(server)).as_ref().map_or_else(|| server.url(), Pooler::url)
}

struct Schema(Options);

#[async_trait]
impl Place for Schema {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(PostgresStore::open(&self.0).await.expect("opens"))
    }
}

fn schema(partitions: u16) -> Schema {
    Schema(Options {
        url: pooler_url(),
        partitions: PartitionCount(partitions),
        wakeup: WakeupMode::Poll { every_ms: 200 },
        follow_window_ms: 200,
        ..fresh()
    })
}

conformance_tests!(schema);
