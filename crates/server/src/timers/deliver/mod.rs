//! Delivers timers that have fired: reads the rows of deliveries, calls the receivers, and tells the shard the outcome. The shard
//! alone decides when a timer fires.

mod allow;
mod body;
mod call;
mod callbacks;
mod connect;
mod gate;
mod keys;
mod lane;
mod lanes;
mod reply;
mod row;
mod stream;
mod take_back;
mod tls;

pub use allow::{AllowRule, AllowRules};
pub use body::IdOf;
pub(crate) use callbacks::CallbackOutcomes;
pub use callbacks::{CallbackSettings, Callbacks};
pub use keys::SIGNATURE_HEADER;
pub(crate) use lanes::Waiting;
pub use lanes::{Deliveries, DeliveryContext};
pub use stream::{StreamCursor, StreamPage, StreamPosition, Streams};
