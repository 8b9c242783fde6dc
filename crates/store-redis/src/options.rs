//! Where the store is, and what it may rely on.

use std::sync::Arc;
use tidemill_model::PartitionCount;
use tidemill_store::{Batch, Error, Result};

/// Sees every batch on its way to the server.
pub type BatchHook = Arc<dyn Fn(&Batch) + Send + Sync>;

/// How surely an answered commit stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// The server has synced its file. It must be set so, or the store does not start.
    #[default]
    Always,
    /// The server syncs every second: a power cut loses what was answered in the last one.
    EverySecond,
    /// The server does not tell its settings; whoever runs it vouches for them.
    Trusted,
}

#[derive(Clone)]
pub struct Options {
    /// `redis://`, or `rediss://` for TLS, with user and password where they are needed.
    pub url: String,
    /// Begins the names of all keys, so that stores can share a server.
    pub prefix: String,
    pub partitions: PartitionCount,
    pub durability: Durability,
    /// Settings of the server that are wrong may be changed, for all who use it.
    pub may_configure: bool,
    /// A search that takes longer is given up.
    pub search_limit_ms: u64,
    /// For benchmarks: sees every batch on its way to the server.
    pub on_batch: Option<BatchHook>,
    /// For benchmarks: batches are plain transactions that check nothing.
    pub is_plain: bool,
}

impl Options {
    pub const DEFAULT_PREFIX: &str = "tm";

    /// From the address that a server is started with: `?prefix=` is taken off it.
    pub fn new(url: &str, partitions: PartitionCount) -> Result<Options> {
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let mut prefix = Options::DEFAULT_PREFIX.to_owned();
        let mut rest = Vec::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("prefix", value)) => value.clone_into(&mut prefix),
                _ => rest.push(part),
            }
        }
        if prefix.is_empty() || prefix.contains(['{', '}', ':']) {
            return Err(Error::Failed {
                place: "the Redis address".into(),
                reason: format!("the prefix '{prefix}' is empty or has a brace or colon in it"),
            });
        }
        let url = if rest.is_empty() { address.to_owned() } else { format!("{address}?{}", rest.join("&")) };
        Ok(Options {
            url,
            prefix,
            partitions,
            durability: Durability::Always,
            may_configure: false,
            search_limit_ms: 10_000,
            on_batch: None,
            is_plain: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_taken_off_the_address() {
        let options =
            Options::new("redis://h:1/0?prefix=a&protocol=resp3", PartitionCount::ONE).expect("valid");
        assert_eq!((options.url.as_str(), options.prefix.as_str()), ("redis://h:1/0?protocol=resp3", "a"));
        let options = Options::new("redis://h", PartitionCount::ONE).expect("valid");
        assert_eq!((options.url.as_str(), options.prefix.as_str()), ("redis://h", "tm"));
        assert!(Options::new("redis://h?prefix={x}", PartitionCount::ONE).is_err());
    }
}
