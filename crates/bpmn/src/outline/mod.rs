//! The shape of a process: its flow nodes and sequence flows, numbered and connected, before their contents
//! are read.

mod connect;
mod event_type;
mod family;
mod links;
mod walk;

pub(crate) use event_type::EventType;
pub(crate) use family::Family;

use crate::report::Report;
use crate::xml::Tag;
use std::collections::HashMap;
use tidemill_model::{ElementIndex, FlowIndex};

pub(crate) struct Outline<'a> {
    /// The process itself comes first.
    pub(crate) nodes: Vec<FlowNode<'a>>,
    pub(crate) flows: Vec<FlowLine<'a>>,
    by_id: HashMap<&'a str, ElementIndex>,
    flows_by_id: HashMap<&'a str, FlowIndex>,
    links: links::Links<'a>,
}

pub(crate) struct FlowNode<'a> {
    pub(crate) index: ElementIndex,
    pub(crate) tag: Tag<'a>,
    pub(crate) family: Family,
    pub(crate) scope: Option<ElementIndex>,
    pub(crate) incoming: Vec<FlowIndex>,
    pub(crate) outgoing: Vec<FlowIndex>,
    pub(crate) boundary_events: Vec<ElementIndex>,
    pub(crate) attached_to: Option<ElementIndex>,
    /// The flow nodes directly inside.
    pub(crate) children: Vec<ElementIndex>,
}

pub(crate) struct FlowLine<'a> {
    pub(crate) tag: Tag<'a>,
    /// None where the reference leads nowhere, which is a finding.
    pub(crate) source: Option<ElementIndex>,
    pub(crate) target: Option<ElementIndex>,
}

impl<'a> Outline<'a> {
    pub(crate) fn read(process: Tag<'a>, report: &mut Report<'_>) -> Outline<'a> {
        let mut outline = walk::walk(process, report);
        connect::connect(&mut outline, report);
        outline.links = links::Links::of(&outline.nodes);
        outline
    }

    pub(crate) fn root(&self) -> &FlowNode<'a> {
        &self.nodes[0]
    }

    pub(crate) fn node(&self, index: ElementIndex) -> &FlowNode<'a> {
        &self.nodes[index.0 as usize]
    }

    pub(crate) fn flow(&self, index: FlowIndex) -> &FlowLine<'a> {
        &self.flows[index.0 as usize]
    }

    pub(crate) fn flow_by_id(&self, id: &str) -> Option<FlowIndex> {
        self.flows_by_id.get(id).copied()
    }

    pub(crate) fn children(&self, node: &FlowNode<'a>) -> impl Iterator<Item = &FlowNode<'a>> {
        node.children.iter().map(|child| self.node(*child))
    }

    /// The start events of a process or subprocess.
    pub(crate) fn starts(&self, scope: &FlowNode<'a>) -> impl Iterator<Item = &FlowNode<'a>> {
        self.children(scope).filter(|child| child.family == Family::Start)
    }

    pub(crate) fn event_sub_processes(&self, scope: &FlowNode<'a>) -> impl Iterator<Item = &FlowNode<'a>> {
        self.children(scope).filter(|child| child.family == Family::EventSubProcess)
    }

    /// The elements that outgoing flows lead to.
    pub(crate) fn targets(&self, node: &FlowNode<'a>) -> impl Iterator<Item = &FlowNode<'a>> {
        node.outgoing.iter().filter_map(|flow| self.flow(*flow).target).map(|target| self.node(target))
    }

    pub(crate) fn sources(&self, node: &FlowNode<'a>) -> impl Iterator<Item = &FlowNode<'a>> {
        node.incoming.iter().filter_map(|flow| self.flow(*flow).source).map(|source| self.node(source))
    }
}
