//! Timers without I/O: no store, no clock, no randomness. The user of this crate hands in rows, time and outcomes.

pub mod block;
mod position;
pub mod shard;
pub mod slot;
pub mod varint;
mod wheel;
pub mod window;

pub use block::Block;
pub use position::Position;
pub use shard::Shard;
pub use slot::Slot;
pub use wheel::{Deadlines, Wheel};
pub use window::Window;
