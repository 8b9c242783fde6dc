//! Boundary events.

use super::Builder;
use crate::executable::Behavior;
use crate::outline::FlowNode;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn boundary_event(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let definition = self.only_definition(node)?;
        let catch = self.catch(definition, false);
        Some(Behavior::Boundary {
            attached_to: node.attached_to?,
            is_interrupting: node.tag.boolean("cancelActivity", true),
            catch: catch?,
        })
    }
}
