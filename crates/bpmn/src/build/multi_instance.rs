//! Activities that run once per item of a collection.

use super::Builder;
use super::path::variable_of;
use crate::executable::{LoopOutputs, MultiInstance};
use crate::outline::FlowNode;
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn multi_instance(&mut self, node: &FlowNode<'a>) -> Option<MultiInstance> {
        let tag = node.tag.child("multiInstanceLoopCharacteristics")?;
        if !node.family.is_activity() {
            self.report.refuse(tag, "Multi-instance is only supported on activities");
        }
        let mut found = tag.extensions("loopCharacteristics");
        let (Some(characteristics), None) = (found.next(), found.next()) else {
            let reason = "Must have exactly one 'zeebe:loopCharacteristics' extension element";
            self.report.refuse_with(tag, reason, "give the activity an input collection");
            return None;
        };
        let input_collection = self.required(characteristics, "inputCollection");
        let input_collection = input_collection.and_then(|text| self.feel(characteristics, text));
        let output = self.loop_outputs(characteristics);
        let completion_condition = tag.child("completionCondition").and_then(|condition| {
            let text = condition.text();
            if text.is_empty() { None } else { self.source(condition, &text) }
        });
        Some(MultiInstance {
            is_sequential: tag.boolean("isSequential", false),
            input_collection: input_collection?,
            input_element: characteristics.attribute("inputElement").map(Into::into),
            output,
            completion_condition,
        })
    }

    fn loop_outputs(&mut self, tag: Tag<'a>) -> Option<LoopOutputs> {
        let (collection, element) = ("outputCollection", "outputElement");
        let (missing, given) = match (tag.attribute(collection), tag.attribute(element)) {
            (None, None) => return None,
            (Some(collection), Some(text)) => {
                let element = self.feel(tag, text)?;
                let preset = variable_of(element.text());
                return Some(LoopOutputs { collection: collection.into(), element, preset });
            }
            (Some(_), None) => (element, collection),
            (None, Some(_)) => (collection, element),
        };
        let reason = format!("Attribute '{missing}' must be present if the attribute '{given}' is set");
        self.report.refuse(tag, reason);
        None
    }
}
