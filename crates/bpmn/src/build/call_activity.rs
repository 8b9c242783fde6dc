//! Call activities.

use super::Builder;
use crate::executable::{Behavior, CalledElement};
use crate::outline::FlowNode;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn call_activity(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let mut called = node.tag.extensions("calledElement");
        let (Some(called), None) = (called.next(), called.next()) else {
            let reason = "Must have exactly one 'zeebe:calledElement' extension element";
            self.report.refuse_with(node.tag, reason, "name the process to call");
            return None;
        };
        if called.filled("businessId").is_some() {
            self.report.refuse(called, "Attribute 'businessId' is not supported yet");
        }
        let process_id = self.required(called, "processId").and_then(|text| self.indexed(called, text));
        let binding = self.binding(called);
        Some(Behavior::Call(CalledElement {
            process_id: process_id?,
            binding: binding?,
            propagates_all_parent_variables: called.boolean("propagateAllParentVariables", true),
            propagates_all_child_variables: called.boolean("propagateAllChildVariables", true),
        }))
    }
}
