//! The Tidemill store on Postgres: every batch is one transaction in one flush, owners hold their partitions by
//! fenced leases, and any node may append to any inbox.

mod appender;
mod bench;
mod call;
mod commit;
mod connect;
mod counts;
mod dead_letters;
mod definitions;
mod dialect;
mod error;
mod floor;
mod follow;
mod inbox;
mod indexes;
mod inspect;
mod listener;
mod load;
mod maintenance;
mod ownership;
mod periods;
mod query;
mod schema;
mod statistics;
mod store;
mod timer_shards;
mod timers;
mod upkeep;
mod wakeup;

pub use bench::OldSnapshot;
pub use store::{BatchHook, Options, PostgresStore};
pub use wakeup::WakeupMode;
