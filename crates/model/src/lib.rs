//! The words that engine, stores and gateway share: keys, entities, commands, changes, records.
//! Plain data without behaviour beyond its own invariants; no I/O, no async.

mod answer;
mod change;
pub mod command;
#[cfg(feature = "dice")]
pub mod dice;
mod element_kind;
pub mod entity;
mod index;
mod json;
mod key;
mod named;
mod need;
mod partition;
mod record;
mod registry;
mod rejection;
mod text;

pub use answer::{ActivatedJob, Answer, CreatedInstance, DeployedResource, Deployment};
pub use change::{Change, Remains};
pub use command::Command;
pub use element_kind::ElementKind;
pub use index::{ElementIndex, FlowIndex};
pub use json::{JsonError, RawJson, Variables};
pub use key::*;
pub use need::{BoxName, JobPosition, Need};
pub use partition::{PartitionCount, PartitionId};
pub use record::{ElementIntent, Event, Record};
pub use registry::{Belonging, Ended, Entity, EntityKey, EntityKind, Stored};
pub use rejection::{Rejection, RejectionCode};
pub use text::{TenantId, Text};
pub use tidemill_calendar::Timestamp;
