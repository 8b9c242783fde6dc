//! The Tidemill store in one SQLite file: one writer thread that commits in groups, readers beside it,
//! checkpoints off the writer's path.

mod bench;
mod checkpoint;
mod commit;
mod connect;
mod dead_letters;
mod definitions;
mod dialect;
mod element_counts;
mod error;
mod files;
mod inbox;
mod inspect;
mod last;
mod like;
mod load;
mod lock;
mod maintenance;
mod migrations;
mod ownership;
mod patience;
mod query;
mod readers;
mod row;
mod schema;
mod step;
mod store;
mod timer_shards;
mod timers;
mod wakeup;
mod watch;
mod writer;

pub use step::{BatchHook, Step, StepHook};
pub use store::{Options, SqliteStore};
