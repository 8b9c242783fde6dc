//! Where a token goes at once: the elements that do not wait, and what follows them.

use crate::build::{EventType, link_name};
use crate::outline::{Family, Node, Outline};
use crate::xml::Tag;

/// The elements of all processes of a file in one numbering.
pub(super) struct Passages<'a> {
    pub(super) tags: Vec<Tag<'a>>,
    /// What follows at once; nothing for elements that wait.
    pub(super) next: Vec<Vec<usize>>,
    /// Elements that do something each time round; loops of gateways alone are let through.
    pub(super) works: Vec<bool>,
}

impl<'a> Passages<'a> {
    pub(super) fn new(outlines: &[Outline<'a>]) -> Passages<'a> {
        let mut passages = Passages { tags: Vec::new(), next: Vec::new(), works: Vec::new() };
        let mut offset = 0;
        for outline in outlines {
            for node in &outline.nodes {
                passages.tags.push(node.tag);
                passages.works.push(works(node));
                passages.next.push(next(outlines, outline, node, offset));
            }
            offset += outline.nodes.len();
        }
        passages
    }
}

fn works(node: &Node<'_>) -> bool {
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

fn next(outlines: &[Outline<'_>], outline: &Outline<'_>, node: &Node<'_>, offset: usize) -> Vec<usize> {
    let here = |node: &Node<'_>| offset + node.index.0 as usize;
    match node.family {
        Family::SubProcess => outline.starts(node).map(here).collect(),
        Family::Call => called_start(outlines, node).into_iter().collect(),
        Family::IntermediateThrow => match link_name(node) {
            Some(name) => linked(outline, node, name).map(here).collect(),
            None if throws(node, EventType::Message) => Vec::new(),
            None => followers(outline, node).map(here).collect(),
        },
        Family::IntermediateCatch if link_name(node).is_none() => Vec::new(),
        Family::Script if node.tag.extension("script").is_none() => Vec::new(),
        Family::BusinessRule if node.tag.extension("calledDecision").is_none() => Vec::new(),
        Family::End if throws(node, EventType::Message) || throws(node, EventType::Error) => Vec::new(),
        Family::Manual
        | Family::Undefined
        | Family::Script
        | Family::BusinessRule
        | Family::Exclusive
        | Family::Inclusive
        | Family::Parallel
        | Family::Start
        | Family::End
        | Family::IntermediateCatch => followers(outline, node).map(here).collect(),
        _ => Vec::new(),
    }
}

/// The elements behind, or, at the end of a subprocess, those behind the subprocess.
fn followers<'r, 'a>(outline: &'r Outline<'a>, node: &'r Node<'a>) -> impl Iterator<Item = &'r Node<'a>> {
    let mut last = node;
    while last.outgoing.is_empty() {
        match last.scope.map(|scope| outline.node(scope)) {
            Some(scope) if scope.family == Family::SubProcess => last = scope,
            _ => break,
        }
    }
    outline.targets(last)
}

fn throws(node: &Node<'_>, event_type: EventType) -> bool {
    node.tag.event_definitions().any(|definition| EventType::of(definition) == event_type)
}

fn linked<'r, 'a>(
    outline: &'r Outline<'a>,
    throw: &Node<'a>,
    name: &'a str,
) -> impl Iterator<Item = &'r Node<'a>> {
    let scope = throw.scope.map(|scope| outline.node(scope));
    let siblings = scope.into_iter().flat_map(|scope| outline.children(scope));
    siblings.filter(move |node| node.family == Family::IntermediateCatch && link_name(node) == Some(name))
}

/// Where a call begins, if the called process is named plainly and stands in the same file.
fn called_start(outlines: &[Outline<'_>], node: &Node<'_>) -> Option<usize> {
    let called = node.tag.extension("calledElement")?.filled("processId")?;
    let position = outlines.iter().position(|outline| outline.root().tag.id() == Some(called))?;
    let offset: usize = outlines[..position].iter().map(|outline| outline.nodes.len()).sum();
    let process = &outlines[position];
    let mut starts = process.starts(process.root());
    let start = starts.find(|start| start.tag.event_definitions().next().is_none())?;
    Some(offset + start.index.0 as usize)
}
