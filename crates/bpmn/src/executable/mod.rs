//! The executable form of a process: an arena of elements, resolved and compiled once at deployment.

mod data;
mod element;
mod event;
mod process;
mod reach;
mod task;

pub use data::{LoopOutputs, Mapping, MultiInstance, Source};
pub use element::{Behavior, Element};
pub use event::{Catch, MessageCatch, Throw, TimerDefinition, TimerKind};
pub use process::{Flow, Process};
pub use reach::{ElementSet, InclusiveJoin};
pub use task::{Binding, CalledElement, FormLink, JobTask, UserTask};
