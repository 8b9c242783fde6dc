//! The core of a partition: a state machine without I/O, clock or randomness around the engine.
//!
//! A [`Core`] owns everything that one partition knows: the working state, the open batch, answers, what
//! falls due, workers and callers who wait. A driver tells it what has happened ([`Core::offer`]), lets it
//! work ([`Core::run`]) and does what comes out: reads ([`Core::reads`]), batches for the store
//! ([`Core::close`]) and effects ([`Core::take_effects`]). The same events at the same moments give the same
//! result, so a simulator can replay a run exactly.

mod answers;
mod backlog;
mod box_order;
mod cautious;
mod close;
mod core;
mod due;
mod held_up;
mod inbox;
mod lanes;
mod late;
mod letters;
mod memory_use;
mod open;
mod packed_log;
mod pollers;
mod queued;
mod reads;
mod recovery;
mod request;
mod run;
mod serve;
mod suspects;
mod tally;
mod time;
mod waiters;

pub use answers::{ANSWERS_KEPT_MS, REQUEST_ID_MARK};
pub use close::Closed;
pub use core::{Core, Event, Opened, Recovered};
pub use late::note_key as late_note_key;
pub use memory_use::MemoryUse;
pub use packed_log::unpack as unpack_log;
pub use reads::{Brought, Read};
pub use request::{
    AwaitedEnd, CallId, Callers, CommandError, CommandOptions, Effect, EndedInstance, Idempotency, Request,
};
pub use suspects::{Mark, is_for_deaths, noted_batch, noted_marks};
pub use tally::{Fill, Tally, Verdict, command_name};
pub use tidemill_store::{Envelope, KeptAnswer, StoredIdempotency};
pub use time::{LOOK_MS_MAX, Moment, StoreTime};
