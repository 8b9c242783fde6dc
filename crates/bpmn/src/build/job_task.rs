//! Elements that are done by a worker: service, send and business rule tasks, and every other one with a task definition.

use super::Builder;
use crate::executable::{JobTask, Source};
use crate::outline::{Family, FlowNode};
use crate::xml::Tag;

const DEFAULT_RETRIES: &str = "3";
const DEFAULT_PRIORITY: &str = "0";

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn job_task(&mut self, node: &FlowNode<'a>) -> Option<JobTask> {
        match node.family {
            Family::Send => self.job_unless(node.tag, node.tag, "publishMessage"),
            Family::BusinessRule => self.job_unless(node.tag, node.tag, "calledDecision"),
            _ => {
                let mut definitions = node.tag.extensions("taskDefinition");
                match (definitions.next(), definitions.next()) {
                    (Some(definition), None) => self.job(node.tag, definition),
                    _ => {
                        let reason = "Must have exactly one 'zeebe:taskDefinition' extension element";
                        self.report.refuse_with(node.tag, reason, "give the task a job type");
                        None
                    }
                }
            }
        }
    }

    /// The job of an element that could have been implemented in another way, which is not supported yet.
    pub(super) fn job_unless(
        &mut self,
        element: Tag<'a>,
        other_holder: Tag<'a>,
        other: &'static str,
    ) -> Option<JobTask> {
        let definitions: Vec<_> = element.extensions("taskDefinition").collect();
        let others: Vec<_> = other_holder.extensions(other).collect();
        match (definitions.as_slice(), others.as_slice()) {
            ([definition], []) => self.job(element, *definition),
            ([], [other_tag]) => {
                let reason = format!("'zeebe:{other}' is not supported yet");
                self.report.refuse_with(*other_tag, reason, "let a worker do it: use 'zeebe:taskDefinition'");
                None
            }
            _ => {
                let reason = format!(
                    "Must have either one 'zeebe:{other}' or one 'zeebe:taskDefinition' extension element"
                );
                self.report.refuse(element, reason);
                None
            }
        }
    }

    pub(super) fn job(&mut self, element: Tag<'a>, definition: Tag<'a>) -> Option<JobTask> {
        let job_type = self.required(definition, "type").and_then(|text| self.indexed(definition, text));
        let retries = self.default_source(definition, "retries", DEFAULT_RETRIES);
        let priority = self.job_priority(element).or_else(|| self.job_priority.clone());
        Some(JobTask { job_type: job_type?, retries: retries?, priority })
    }

    pub(super) fn job_priority(&mut self, element: Tag<'a>) -> Option<Source> {
        let definition = self.single_extension(element, "jobPriorityDefinition")?;
        let source = self.default_source(definition, "priority", DEFAULT_PRIORITY)?;
        if let Some(text) = source.static_text().filter(|text| text.parse::<i32>().is_err()) {
            let reason = format!(
                "Expected 'priority' to be a literal integer or a FEEL expression (starting with '='), but got '{text}'."
            );
            self.report.refuse(definition, reason);
        }
        Some(source)
    }
}
