//! Several servers on one Postgres or Redis: any of them takes any request, and they take over from each other.

mod bench;
mod correlation;
mod definitions;
mod deletion;
mod operators;
mod outage;
#[cfg(debug_assertions)]
mod poison;
mod requests;
mod takeover;
mod timers;
mod traces;
#[allow(dead_code, reason = "shared with tests that need more of it")]
mod world;
