//! Script tasks: FEEL that the engine evaluates, or a job.

use super::Builder;
use crate::executable::Behavior;
use crate::outline::FlowNode;
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn script_task(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let scripts: Vec<_> = node.tag.extensions("script").collect();
        let definitions: Vec<_> = node.tag.extensions("taskDefinition").collect();
        match (scripts.as_slice(), definitions.as_slice()) {
            ([script], []) => self.script(node.tag, *script),
            ([], [definition]) => self.job(node.tag, *definition).map(Behavior::Job),
            _ => {
                let reason =
                    "Must have either one 'zeebe:script' or one 'zeebe:taskDefinition' extension element";
                self.report.refuse(node.tag, reason);
                None
            }
        }
    }

    fn script(&mut self, element: Tag<'a>, script: Tag<'a>) -> Option<Behavior> {
        if let Some(priority) = element.extension("jobPriorityDefinition") {
            let reason =
                "'zeebe:jobPriorityDefinition' is only allowed in job-worker mode ('zeebe:taskDefinition')";
            self.report.refuse(priority, reason);
        }
        let expression = self.required(script, "expression").and_then(|text| self.feel(script, text));
        let result_variable = self.required(script, "resultVariable");
        Some(Behavior::Script { expression: expression?, result_variable: result_variable?.into() })
    }
}
