//! BPMN 2.0 XML in, a validated and executable process out. Pure: text in, values out.

mod build;
#[cfg(feature = "builder")]
pub mod builder;
mod definitions;
mod executable;
mod extensions;
mod finding;
mod outline;
mod read;
mod report;
mod rules;
mod vocabulary;
mod xml;

pub use build::static_value;
pub use executable::{
    Behavior, Binding, CalledElement, Catch, Element, ElementSet, Flow, FormLink, InclusiveJoin, JobTask,
    LoopOutputs, Mapping, MessageCatch, MultiInstance, Process, Source, Throw, TimerDefinition, TimerKind,
    UserTask,
};
pub use finding::{Finding, Findings};
pub use read::{Document, decode, in_utf8, parse, read, read_process, warnings};
