//! Call activities.

use super::Builder;
use crate::executable::{Behavior, CalledElement, Source};
use crate::outline::FlowNode;
use tidemill_model::Text;

const BUSINESS_ID_CHARACTERS_MAX: usize = 256;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn call_activity(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let mut called = node.tag.extensions("calledElement");
        let (Some(called), None) = (called.next(), called.next()) else {
            let reason = "Must have exactly one 'zeebe:calledElement' extension element";
            self.report.refuse_with(node.tag, reason, "name the process to call");
            return None;
        };
        let business_id = self.optional_source(called, "businessId");
        let is_long = |text: &&Text| text.encode_utf16().count() > BUSINESS_ID_CHARACTERS_MAX;
        if let Some(text) = business_id.as_ref().and_then(Source::static_text).filter(is_long) {
            let reason = format!(
                "Expected static value to be no longer than {BUSINESS_ID_CHARACTERS_MAX} characters, but found '{text}'."
            );
            self.report.refuse(called, reason);
        }
        let process_id = self.required(called, "processId").and_then(|text| self.indexed(called, text));
        let binding = self.binding(called);
        Some(Behavior::Call(CalledElement {
            process_id: process_id?,
            binding: binding?,
            propagates_all_parent_variables: called.boolean("propagateAllParentVariables", true),
            propagates_all_child_variables: called.boolean("propagateAllChildVariables", true),
            business_id,
        }))
    }
}
