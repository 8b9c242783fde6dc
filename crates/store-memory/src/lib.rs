//! The store in memory: for simulations and tests. It does all that a store must do, but nothing outlives the process.
//! Its README tells what is special about it.

mod commit;
mod dead_letters;
mod definitions;
mod faults;
mod inbox;
mod inspect;
mod left_behind;
mod load;
mod maintenance;
mod ownership;
mod pace;
mod query;
mod state;
mod store;
mod timer_reads;
mod timer_shards;
mod timers;
mod wakeup;

pub use faults::{Fault, Faults};
pub use pace::Pace;
pub use store::{Clock, Memory, MemoryStore};
