//! The server of a shared store that tests run on: Postgres, or Redis where `TIDEMILL_TEST_STORE` says so.

use crate::postgres::PostgresServer;
use crate::proxy::Proxy;
use crate::redis::RedisServer;
use std::sync::OnceLock;

pub enum StoreServer {
    Postgres(PostgresServer),
    Redis(RedisServer),
}

/// True if the tests of servers run on Redis.
pub fn is_redis() -> bool {
    std::env::var("TIDEMILL_TEST_STORE").is_ok_and(|kind| kind == "redis")
}

/// What a server is started with for a store of this name.
pub fn store_arguments(url: &str, name: &str) -> Vec<String> {
    match is_redis() {
        true => vec!["--store".to_owned(), format!("{url}?prefix={name}")],
        false => ["--store", url, "--schema", name].map(str::to_owned).to_vec(),
    }
}

impl StoreServer {
    /// One for all tests of a binary.
    pub fn shared() -> &'static StoreServer {
        static SERVER: OnceLock<StoreServer> = OnceLock::new();
        SERVER.get_or_init(StoreServer::start)
    }

    /// On Postgres nothing is synced: processes are killed, not the machine. Redis must sync, or the store refuses it.
    pub fn start() -> StoreServer {
        match is_redis() {
            true => StoreServer::Redis(RedisServer::start(&[])),
            false => StoreServer::Postgres(PostgresServer::start(&["fsync=off", "full_page_writes=off"])),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            StoreServer::Postgres(_) => "Postgres",
            StoreServer::Redis(_) => "Redis",
        }
    }

    pub fn url(&self) -> String {
        match self {
            StoreServer::Postgres(server) => server.url(),
            StoreServer::Redis(server) => server.url(),
        }
    }

    pub fn port(&self) -> u16 {
        match self {
            StoreServer::Postgres(server) => server.port(),
            StoreServer::Redis(server) => server.port(),
        }
    }

    /// Ends the server at once, as a power cut would.
    pub fn crash(&self) {
        match self {
            StoreServer::Postgres(server) => server.crash(),
            StoreServer::Redis(server) => server.kill(),
        }
    }

    /// Ends all its processes by force.
    pub fn kill(&self) {
        match self {
            StoreServer::Postgres(server) => server.kill(),
            StoreServer::Redis(server) => server.kill(),
        }
    }

    /// Starts it again with what it had.
    pub fn resume(&self) {
        match self {
            StoreServer::Postgres(server) => server.resume(),
            StoreServer::Redis(server) => server.resume(),
        }
    }

    pub async fn proxy(&self) -> Proxy {
        match self {
            StoreServer::Postgres(server) => Proxy::start(server.port()).await,
            StoreServer::Redis(server) => Proxy::to_redis(server.port()).await,
        }
    }
}
