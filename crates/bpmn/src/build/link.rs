//! Link events: a throw goes on at the catch of the same name in the same scope.

use super::{Builder, EventType};
use crate::executable::{Catch, Throw};
use crate::outline::{Family, Node, Outline};
use crate::xml::Tag;

/// The name of a link event's link; none for other elements, and none if it is empty.
pub(crate) fn link_name<'a>(node: &Node<'a>) -> Option<&'a str> {
    let is_event = matches!(node.family, Family::IntermediateCatch | Family::IntermediateThrow);
    let mut definitions = node.tag.event_definitions().filter(|_| is_event);
    let definition = definitions.find(|definition| EventType::of(*definition) == EventType::Link)?;
    definition.filled("name")
}

/// The throw events that lead to a link catch event.
pub(super) fn link_throws<'r, 'a>(
    outline: &'r Outline<'a>,
    catch: &Node<'a>,
    name: &'a str,
) -> impl Iterator<Item = &'r Node<'a>> {
    let scope = catch.scope.map(|scope| outline.node(scope));
    let siblings = scope.into_iter().flat_map(|scope| outline.children(scope));
    let is_catch = catch.family == Family::IntermediateCatch;
    siblings.filter(move |node| {
        is_catch && node.family == Family::IntermediateThrow && link_name(node) == Some(name)
    })
}

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn link_catch(&mut self, definition: Tag<'a>) -> Option<Catch> {
        self.written_link(definition).map(|name| Catch::Link { name: name.into() })
    }

    pub(super) fn link_throw(&mut self, node: &Node<'a>, definition: Tag<'a>) -> Option<Throw> {
        let name = self.written_link(definition)?;
        let scope = self.outline.node(node.scope?);
        let mut siblings = self.outline.children(scope);
        let catch = siblings
            .find(|node| node.family == Family::IntermediateCatch && link_name(node) == Some(name))
            .map(|catch| catch.index);
        if catch.is_none() {
            let reason =
                format!("Can't find an catch link event for the throw link event with the name '{name}'.");
            self.report.refuse_with(
                node.tag,
                reason,
                "add a link catch event of that name to the same scope",
            );
        }
        catch.map(|target| Throw::Link { target })
    }

    fn written_link(&mut self, definition: Tag<'a>) -> Option<&'a str> {
        let name = definition.filled("name");
        if name.is_none() {
            self.report.refuse(definition, "Link name must be present and not empty.");
        }
        name
    }
}
