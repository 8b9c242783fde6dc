//! The process engine: a state machine without I/O, clock or randomness.
//!
//! [`process`] runs one [`Command`](tidemill_model::Command) on the [`Working`] state of a partition. A
//! command that misses rows in memory asks for them ([`Need`](tidemill_model::Need)); the caller supplies
//! them and runs the command again. Net effects are taken as entity-sized changes once per batch.

mod command;
mod data;
mod element;
mod event;
mod incident;
mod lifecycle;
mod limits;
mod need;
mod outcome;
mod run;
mod state;
mod stop;
mod unreadable;

pub use command::check_deployment;
pub use need::{Missing, Supply};
pub use outcome::{Deletion, FollowUp, InstanceEnd, Outcome, Reply};
pub use run::{Now, process, recover};
pub use state::{Aggregate, ReadProcess, UnreadableDefinition, Working};
