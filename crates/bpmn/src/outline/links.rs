//! Link events by scope and name.

use super::{EventType, Family, FlowNode, Outline};
use std::collections::HashMap;
use tidemill_model::ElementIndex;

#[derive(Default)]
pub(super) struct Links<'a> {
    by_name: HashMap<(Option<ElementIndex>, &'a str), Link>,
}

#[derive(Default)]
pub(crate) struct Link {
    pub(crate) throws: Vec<ElementIndex>,
    pub(crate) catches: Vec<ElementIndex>,
}

impl<'a> Links<'a> {
    pub(super) fn of(nodes: &[FlowNode<'a>]) -> Links<'a> {
        let mut links = Links::default();
        for node in nodes {
            let Some(name) = link_name(node) else { continue };
            let link = links.by_name.entry((node.scope, name)).or_default();
            let side =
                if node.family == Family::IntermediateThrow { &mut link.throws } else { &mut link.catches };
            side.push(node.index);
        }
        links
    }
}

impl<'a> Outline<'a> {
    /// The link that an event belongs to; none for other elements.
    pub(crate) fn link(&self, node: &FlowNode<'a>) -> Option<&Link> {
        self.links.by_name.get(&(node.scope, link_name(node)?))
    }
}

/// None for elements that are no link events, and none if the name is empty.
fn link_name<'a>(node: &FlowNode<'a>) -> Option<&'a str> {
    if !matches!(node.family, Family::IntermediateCatch | Family::IntermediateThrow) {
        return None;
    }
    let mut definitions = node.tag.event_definitions();
    definitions.find(|definition| EventType::of(*definition) == EventType::Link)?.attribute("name")
}
