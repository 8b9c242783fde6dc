//! From the outline to the executable process: one file per family of elements. Errors inside an element are
//! reported here, errors between elements in `rules`.

mod boundary_event;
mod budget;
mod call_activity;
mod catch;
mod code;
mod expression;
mod form;
mod gateway;
mod headers;
mod job_task;
mod link;
mod mapping;
mod message;
mod multi_instance;
mod namespace;
mod path;
mod process;
mod properties;
mod reach;
mod receive_task;
mod script_task;
mod signal;
mod start_event;
mod static_value;
mod sub_process;
mod throw;
mod timer;
mod user_task;

pub(crate) use budget::Budget;
pub use static_value::static_value;

use crate::definitions::Definitions;
use crate::executable::{Behavior, Element, Flow, Process, Source};
use crate::outline::{Family, FlowNode, Outline};
use crate::report::Report;
use tidemill_model::FlowIndex;

/// None if something stands against it, which is then reported.
pub(crate) fn process<'a>(
    definitions: &Definitions<'a>,
    outline: &Outline<'a>,
    report: &mut Report<'_>,
    budget: &mut Budget,
) -> Option<Process> {
    let mut builder = Builder { definitions, outline, report, budget, job_priority: None };
    let tag = outline.root().tag;
    builder.job_priority = builder.job_priority(tag);
    let version_tag = builder.version_tag(tag);
    builder.refuse_empty_forms(tag);
    // Everything is built before anything is given up, so that every finding is told.
    let elements: Vec<Option<Element>> = outline.nodes.iter().map(|node| builder.element(node)).collect();
    let flows: Vec<Option<Flow>> =
        (0..outline.flows.len()).map(|n| builder.flow(FlowIndex(n as u32))).collect();
    let elements = elements.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Process::new(elements, flows.into_iter().collect::<Option<Vec<_>>>()?, version_tag))
}

pub(crate) struct Builder<'a, 'r, 'l> {
    definitions: &'r Definitions<'a>,
    outline: &'r Outline<'a>,
    report: &'r mut Report<'l>,
    budget: &'r mut Budget,
    /// The process's priority for jobs whose element has none.
    job_priority: Option<Source>,
}

impl<'a> Builder<'a, '_, '_> {
    fn element(&mut self, node: &FlowNode<'a>) -> Option<Element> {
        let behavior = self.behavior(node);
        let (inputs, outputs) = self.mappings(node.tag);
        let multi_instance = self.multi_instance(node);
        let headers = self.headers(node.tag);
        let properties = self.properties(node.tag);
        let (line, column) = self.report.position(node.tag);
        Some(Element {
            index: node.index,
            id: node.tag.id()?.into(),
            name: node.tag.attribute("name").map(Into::into),
            kind: node.family.kind()?,
            scope: node.scope,
            incoming: node.incoming.clone(),
            outgoing: node.outgoing.iter().rev().copied().collect(),
            inputs,
            outputs,
            multi_instance,
            boundary_events: node.boundary_events.iter().rev().copied().collect(),
            event_sub_processes: self.outline.event_sub_processes(node).map(|child| child.index).collect(),
            headers,
            properties,
            behavior: behavior?,
            line,
            column,
        })
    }

    fn behavior(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        match node.family {
            Family::Process => self.process(node),
            Family::SubProcess => self.sub_process(node),
            Family::EventSubProcess => self.event_sub_process(node),
            Family::Start => self.start_event(node),
            Family::IntermediateCatch => self.intermediate_catch(node),
            Family::IntermediateThrow => self.intermediate_throw(node),
            Family::Boundary => self.boundary_event(node),
            Family::End => self.end_event(node),
            Family::Service | Family::Send | Family::BusinessRule => self.job_task(node).map(Behavior::Job),
            Family::Script => self.script_task(node),
            Family::User => self.user_task(node),
            Family::Receive => self.receive_task(node),
            Family::Call => self.call_activity(node),
            Family::Manual | Family::Undefined => Some(Behavior::PassThrough),
            Family::Exclusive => Some(Behavior::Exclusive { default: self.default_flow(node) }),
            Family::Inclusive => Some(self.inclusive_gateway(node)),
            Family::Parallel => Some(Behavior::Parallel),
            Family::EventBased => Some(self.event_based_gateway(node)),
            // Refused by name in the rules.
            Family::AdHocSubProcess | Family::Unsupported => None,
        }
    }

    fn flow(&mut self, index: FlowIndex) -> Option<Flow> {
        let line = self.outline.flow(index);
        let condition = line.tag.child("conditionExpression");
        let condition = match condition {
            Some(tag) => Some(self.feel(tag, &tag.text())?),
            None => None,
        };
        Some(Flow { index, id: line.tag.id()?.into(), source: line.source?, target: line.target?, condition })
    }
}
