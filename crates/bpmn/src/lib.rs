//! BPMN 2.0 XML in, a validated and executable process out. Pure: text in, values out.

mod executable;
mod finding;

pub use executable::{
    Behavior, Binding, CalledElement, Catch, Element, ElementSet, Flow, FormLink, InclusiveJoin, JobTask,
    LoopOutputs, Mapping, MessageCatch, MultiInstance, Process, Source, Throw, TimerDefinition, TimerKind,
    UserTask,
};
pub use finding::{Finding, Findings};
