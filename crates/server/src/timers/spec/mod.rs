//! The words of service timers: whom a timer tells, how often that is tried, when it comes again. Their JSON forms as in the API, and
//! the bytes in which the stores keep them.

mod bytes;
mod envelope;
mod fields;
mod lane;
mod misfire;
mod retry;
mod schedule;
mod stored;
mod target;

pub use bytes::Malformed;
pub use envelope::{Envelope, Origin, REPEATS, Repeat};
pub use fields::{FieldError, FieldErrors, Fields};
pub use lane::{LaneKind, lane_kind, stream_lane};
pub use misfire::fire;
pub use retry::RetryPolicy;
pub use schedule::{Misfire, OCCURRENCES_MAX, Schedule, jitter_ms};
pub use stored::{StoredTarget, TargetAddress};
pub use target::{BATCH_MAX, HttpTarget, MessageTarget, ProcessTarget, TargetSpec};
