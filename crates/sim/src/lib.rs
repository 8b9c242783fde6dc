//! A deterministic simulator of a Tidemill cluster: the real nodes, in one thread, on a store in memory, with simulated time and
//! a simulated network. One seed decides everything that happens, so whatever it finds can be run again.

mod audit;
mod client;
mod creators;
mod executor;
mod faults;
mod fleet;
mod flood;
mod ledger;
mod machine;
mod memory;
mod models;
mod network;
mod operator;
mod others;
mod pace;
mod panics;
mod promptness;
mod run;
mod trace;
mod workers;
mod world;

pub use ledger::Counts;
pub use run::{Outcome, run};
pub use trace::Tracing;
