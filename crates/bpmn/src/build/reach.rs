//! Which elements can still send a token to a joining inclusive gateway: a walk against the flows.

use crate::executable::{ElementSet, InclusiveJoin};
use crate::outline::{Family, FlowNode, Outline};

pub(super) fn join(outline: &Outline<'_>, gateway: &FlowNode<'_>) -> InclusiveJoin {
    let reach = gateway.incoming.iter().filter_map(|flow| {
        let source = outline.node(outline.flow(*flow).source?);
        Some((*flow, sources_of(outline, source, gateway)))
    });
    InclusiveJoin { reach: reach.collect() }
}

/// `last` and everything before it, without passing the gateway.
fn sources_of<'a>(outline: &Outline<'a>, last: &FlowNode<'a>, gateway: &FlowNode<'_>) -> ElementSet {
    let mut found = ElementSet::default();
    let mut open = vec![last.index];
    while let Some(index) = open.pop() {
        if index == gateway.index || !found.insert(index) {
            continue;
        }
        let node = outline.node(index);
        open.extend(outline.sources(node).map(|source| source.index));
        open.extend(node.attached_to);
        if let Some(link) = outline.link(node).filter(|_| node.family == Family::IntermediateCatch) {
            open.extend(&link.throws);
        }
    }
    found
}
