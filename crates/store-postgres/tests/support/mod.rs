//! The parts that the tests share: a schema of their own on the one server, and a plain connection to look at it.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tidemill_model::{PartitionCount, PartitionId, Timestamp};
use tidemill_store::{NewInboxEntry, Store};
use tidemill_store_conformance::postgres::PostgresServer;
use tidemill_store_postgres::{Options, PostgresStore};
use tokio_postgres::{Client, NoTls};

/// For a schema that nobody has used.
pub(crate) fn fresh() -> Options {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let schema = format!("case_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let partitions = PartitionCount(3);
    Options { schema, partitions, days_ahead: 0, ..Options::new(PostgresServer::shared().url()) }
}

pub(crate) async fn open(options: &Options) -> Arc<dyn Store> {
    Arc::new(PostgresStore::open(options).await.expect("opens"))
}

/// A connection beside the store's own, in its schema.
pub(crate) async fn aside(options: &Options) -> Client {
    let (client, connection) =
        tokio_postgres::connect(&PostgresServer::shared().url(), NoTls).await.expect("connects");
    tokio::spawn(connection);
    client.batch_execute(&format!("SET search_path TO {}, public", options.schema)).await.expect("sets");
    client
}

pub(crate) fn entry(partition: u16, payload: u8) -> NewInboxEntry {
    NewInboxEntry {
        partition: PartitionId(partition),
        received_at: Timestamp(i64::from(payload)),
        payload: vec![payload],
    }
}
