//! Receive tasks.

use super::Builder;
use crate::executable::Behavior;
use crate::outline::FlowNode;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn receive_task(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        if node.tag.boolean("instantiate", false) {
            let reason = "Receive tasks that start a process are not supported";
            self.report.refuse_with(node.tag, reason, "use a message start event");
        }
        self.message_catch(node.tag, true).map(Behavior::Receive)
    }
}
