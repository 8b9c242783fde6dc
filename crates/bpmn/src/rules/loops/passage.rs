//! Where a token goes at once: the elements that do not wait, and what follows them.

use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::xml::Tag;
use std::collections::HashMap;

/// The elements of all processes of a file in one numbering. Each counts twice: as itself, and as the way out
/// of it, which many ends of a subprocess share.
pub(super) struct Passages<'a> {
    pub(super) tags: Vec<Tag<'a>>,
    /// Elements that follow at once; none for elements that wait.
    pub(super) next: Vec<Vec<usize>>,
    /// Elements that do something each time round; loops of gateways alone are let through.
    pub(super) works: Vec<bool>,
}

impl<'a> Passages<'a> {
    pub(super) fn new(outlines: &[Outline<'a>]) -> Passages<'a> {
        let mut passages = Passages { tags: Vec::new(), next: Vec::new(), works: Vec::new() };
        let starts = process_starts(outlines);
        for outline in outlines {
            let place = NodeNumbers { outline, offset: passages.tags.len() };
            for node in &outline.nodes {
                passages.tags.extend([node.tag, node.tag]);
                passages.works.extend([works(node), false]);
                passages.next.push(place.next(node, &starts));
                passages.next.push(place.behind(node));
            }
        }
        passages
    }

    /// The element's own number, not that of its way out.
    pub(super) fn is_element(number: usize) -> bool {
        number.is_multiple_of(2)
    }
}

fn works(node: &FlowNode<'_>) -> bool {
    matches!(
        node.family,
        Family::Manual
            | Family::Undefined
            | Family::Call
            | Family::IntermediateThrow
            | Family::Script
            | Family::BusinessRule
    )
}

/// Where the called process begins, by its id.
fn process_starts<'a>(outlines: &[Outline<'a>]) -> HashMap<&'a str, usize> {
    let mut starts = HashMap::new();
    let mut offset = 0;
    for outline in outlines {
        let mut events = outline.starts(outline.root());
        let none_start = events.find(|start| start.tag.event_definitions().next().is_none());
        if let (Some(id), Some(start)) = (outline.root().tag.id(), none_start) {
            starts.entry(id).or_insert(NodeNumbers { outline, offset }.number(start));
        }
        offset += 2 * outline.nodes.len();
    }
    starts
}

struct NodeNumbers<'r, 'a> {
    outline: &'r Outline<'a>,
    offset: usize,
}

impl<'a> NodeNumbers<'_, 'a> {
    fn number(&self, node: &FlowNode<'_>) -> usize {
        self.offset + 2 * node.index.0 as usize
    }

    fn next(&self, node: &FlowNode<'a>, starts: &HashMap<&str, usize>) -> Vec<usize> {
        match node.family {
            Family::SubProcess => self.outline.starts(node).map(|start| self.number(start)).collect(),
            Family::Call => called(node).and_then(|id| starts.get(id)).copied().into_iter().collect(),
            Family::IntermediateThrow if has_type(node, EventType::Link) => {
                let catches = self.outline.link(node).into_iter().flat_map(|link| &link.catches);
                catches.map(|catch| self.number(self.outline.node(*catch))).collect()
            }
            _ if passes(node) => self.behind(node),
            _ => Vec::new(),
        }
    }

    /// The elements that flows lead to, or, at the end of a subprocess, the way out of it.
    fn behind(&self, node: &FlowNode<'a>) -> Vec<usize> {
        if !node.outgoing.is_empty() {
            return self.outline.targets(node).map(|target| self.number(target)).collect();
        }
        let scope = node.scope.map(|scope| self.outline.node(scope));
        let sub_process = scope.filter(|scope| scope.family == Family::SubProcess);
        sub_process.map(|sub_process| self.number(sub_process) + 1).into_iter().collect()
    }
}

/// True if a token leaves at once.
fn passes(node: &FlowNode<'_>) -> bool {
    match node.family {
        Family::Manual
        | Family::Undefined
        | Family::Exclusive
        | Family::Inclusive
        | Family::Parallel
        | Family::Start => true,
        Family::IntermediateThrow => !has_type(node, EventType::Message),
        Family::IntermediateCatch => has_type(node, EventType::Link),
        Family::End => !has_type(node, EventType::Message) && !has_type(node, EventType::Error),
        Family::Script => node.tag.extension("script").is_some(),
        Family::BusinessRule => node.tag.extension("calledDecision").is_some(),
        _ => false,
    }
}

fn has_type(node: &FlowNode<'_>, event_type: EventType) -> bool {
    node.tag.event_definitions().any(|definition| EventType::of(definition) == event_type)
}

fn called<'a>(node: &FlowNode<'a>) -> Option<&'a str> {
    node.tag.extension("calledElement")?.attribute("processId")
}
