//! Link events: a throw goes on at the catch of the same name in the same scope.

use super::Builder;
use crate::executable::{Catch, Throw};
use crate::outline::FlowNode;
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn link_catch(&mut self, definition: Tag<'a>) -> Option<Catch> {
        self.link_name(definition).map(|name| Catch::Link { name: name.into() })
    }

    pub(super) fn link_throw(&mut self, node: &FlowNode<'a>, definition: Tag<'a>) -> Option<Throw> {
        let name = self.link_name(definition)?;
        let catch = self.outline.link(node).and_then(|link| link.catches.first().copied());
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

    fn link_name(&mut self, definition: Tag<'a>) -> Option<&'a str> {
        let name = definition.attribute("name");
        if name.is_none() {
            self.report.refuse(definition, "Link name must be present and not empty.");
        }
        name
    }
}
