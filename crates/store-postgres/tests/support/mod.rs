//! What the tests share: a schema of their own on the one server.

use std::sync::atomic::{AtomicU32, Ordering};
use tidemill_store_conformance::postgres::PostgresServer;
use tidemill_store_postgres::Options;

/// For a schema that nobody has used.
pub(crate) fn fresh() -> Options {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let schema = format!("case {}", NUMBER.fetch_add(1, Ordering::Relaxed));
    Options { schema, ..Options::new(PostgresServer::shared().url()) }
}
