//! Events of all kinds: who waits, who catches, what is interrupted, and what goes wrong.

mod boundary_events;
mod catch_events;
mod correlation;
mod errors;
mod escalations;
mod event_sub_processes;
mod incidents;
mod message_starts;
mod messages;
mod signals;
mod starts;
#[path = "../support/mod.rs"]
mod support;
mod throw_and_end_events;
mod timer_table;
mod timers;
mod words;
