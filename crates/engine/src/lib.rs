//! The process engine: a state machine without I/O, clock or randomness.
//!
//! [`process`] runs one [`Command`](tidemill_model::Command) on the [`Working`] state of a partition. What is
//! missing in memory is asked for ([`Need`](tidemill_model::Need)), supplied by whoever runs the engine, and the command runs again.
//! Net effects are taken as entity-sized changes once per batch.

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

pub use command::check_deployment;
pub use need::{Missing, Supply};
pub use outcome::{Deletion, FollowUp, InstanceEnd, Outcome, Reply};
pub use run::{Now, process, recover};
pub use state::{Aggregate, ReadProcess, UnreadableDefinition, Working};
