//! The engine in a box for tests: a store of serialised entities, a clock that moves when told, and a few
//! verbs that read like the scenario.
#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test file uses its own part of this")]

mod assert;
mod harness;
pub mod messages;
mod scenario;
mod store;
pub mod workers;

pub use harness::{BEGIN, Harness, Start};
pub use scenario::{piecemeal, scenario};
pub use store::MemoryStore;
pub use tidemill_bpmn::builder::{Message, ModelBuilder, Options, Timer};
