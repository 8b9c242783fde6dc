//! The store on Redis passes the suite.

use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tidemill_model::PartitionCount;
use tidemill_store::Store;
use tidemill_store_conformance::redis::RedisServer;
use tidemill_store_conformance::{Place, conformance_tests};
use tidemill_store_redis::{Options, RedisStore};

struct Prefix(Options);

#[async_trait]
impl Place for Prefix {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(RedisStore::open(&self.0).await.expect("opens"))
    }
}

/// Keys of its own on the server of all tests.
fn prefix(partitions: u16) -> Prefix {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let url = format!("{}?prefix=t{number}", RedisServer::shared().url());
    Prefix(Options::new(&url, PartitionCount(partitions)).expect("an address"))
}

conformance_tests!(prefix);
