//! Numbers flow nodes and sequence flows in document order. The numbers are part of the stored format, so
//! what cannot run counts too.

use super::family::is_carried;
use super::links::Links;
use super::{Family, FlowLine, FlowNode, Outline};
use crate::report::Report;
use crate::xml::Tag;
use std::collections::HashMap;
use tidemill_model::{ElementIndex, FlowIndex};

pub(super) fn walk<'a>(process: Tag<'a>, report: &mut Report<'_>) -> Outline<'a> {
    let mut outline = Outline {
        nodes: vec![node(ElementIndex::PROCESS, process, Family::Process, None)],
        flows: Vec::new(),
        by_id: HashMap::new(),
        flows_by_id: HashMap::new(),
        links: Links::default(),
    };
    // The scopes that are open, each with what is left of it: nesting must not deepen the call stack.
    let mut open = vec![(ElementIndex::PROCESS, process.children().collect::<Vec<_>>().into_iter())];
    while let Some((scope, rest)) = open.last_mut() {
        let scope = *scope;
        let Some(tag) = rest.next() else {
            open.pop();
            continue;
        };
        match Family::of(tag) {
            _ if tag.name() == "sequenceFlow" => outline.add_flow(tag),
            Some(Family::Process) | None => check_carried(tag, report),
            Some(family) => {
                let index = outline.add_node(tag, family, scope);
                if family.is_scope() {
                    open.push((index, tag.children().collect::<Vec<_>>().into_iter()));
                }
            }
        }
    }
    outline
}

fn node(index: ElementIndex, tag: Tag<'_>, family: Family, scope: Option<ElementIndex>) -> FlowNode<'_> {
    FlowNode {
        index,
        tag,
        family,
        scope,
        incoming: Vec::new(),
        outgoing: Vec::new(),
        boundary_events: Vec::new(),
        attached_to: None,
        children: Vec::new(),
    }
}

fn check_carried(tag: Tag<'_>, report: &mut Report<'_>) {
    if !is_carried(tag.name()) {
        report.refuse(tag, format!("Elements of type '{}' are currently not supported.", tag.name()));
    }
}

impl<'a> Outline<'a> {
    fn add_node(&mut self, tag: Tag<'a>, family: Family, scope: ElementIndex) -> ElementIndex {
        let index = ElementIndex(self.nodes.len() as u32);
        self.nodes.push(node(index, tag, family, Some(scope)));
        self.nodes[scope.0 as usize].children.push(index);
        if let Some(id) = tag.id() {
            self.by_id.entry(id).or_insert(index);
        }
        index
    }

    fn add_flow(&mut self, tag: Tag<'a>) {
        let index = FlowIndex(self.flows.len() as u32);
        self.flows.push(FlowLine { tag, source: None, target: None });
        if let Some(id) = tag.id() {
            self.flows_by_id.entry(id).or_insert(index);
        }
    }
}
