//! The store on Redis or Valkey. docs/redis.md shows every key with an example; the functions that write are in `lua`.

mod bench;
mod catalog;
mod commit;
mod compact;
mod dead_letters;
mod definitions;
mod entry;
mod error;
mod health;
mod inbox;
mod inspect;
mod keys;
mod library;
mod line;
mod load;
mod maintenance;
mod options;
mod ownership;
mod query;
mod row;
mod settings;
mod store;
mod tag;
mod timer_reads;
mod timer_rows;
mod timer_shards;
mod timers;
mod wakeup;
mod writes;

pub use bench::Figures;
pub use options::{BatchHook, Durability, Options};
pub use store::RedisStore;
