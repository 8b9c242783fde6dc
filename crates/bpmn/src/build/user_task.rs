//! User tasks, native and job-based.

use super::Builder;
use crate::executable::{Behavior, Source, UserTask};
use crate::outline::FlowNode;
use crate::xml::Tag;
use tidemill_calendar::{Date, Zone};

const DEFAULT_PRIORITY: &str = "50";

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn user_task(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let tag = node.tag;
        let is_native = self.single_extension(tag, "userTask").is_some();
        let mut task = UserTask::default();
        if let Some(assignment) = self.single_extension(tag, "assignmentDefinition") {
            task.assignee = self.optional_source(assignment, "assignee");
            task.candidate_users = self.candidates(assignment, "candidateUsers");
            task.candidate_groups = self.candidates(assignment, "candidateGroups");
        }
        if let Some(schedule) = self.single_extension(tag, "taskSchedule") {
            task.due_date = self.date(schedule, "dueDate");
            task.follow_up_date = self.date(schedule, "followUpDate");
        }
        task.priority =
            self.single_extension(tag, "priorityDefinition").and_then(|tag| self.user_priority(tag));
        task.form = self.single_extension(tag, "formDefinition").and_then(|form| self.form(form, is_native));
        Some(if is_native { Behavior::UserTask(task) } else { Behavior::UserTaskJob(task) })
    }

    fn candidates(&mut self, at: Tag<'a>, attribute: &str) -> Option<Source> {
        let source = self.optional_source(at, attribute)?;
        if let Some(text) =
            source.static_text().filter(|text| text.split(',').any(|name| name.trim().is_empty()))
        {
            let reason = format!(
                "Expected static value to be a list of comma-separated values, e.g. 'a,b,c', but found '{text}'."
            );
            self.report.refuse(at, reason);
        }
        Some(source)
    }

    fn date(&mut self, at: Tag<'a>, attribute: &str) -> Option<Source> {
        let source = self.optional_source(at, attribute)?;
        if let Some(text) = source.static_text().filter(|text| Date::parse_with_offset(text).is_err()) {
            let reason = format!(
                "Expected static value to be a valid DateTime String, e.g. '2023-03-02T15:35+02:00', but found '{text}'."
            );
            // Dates without an offset were taken by earlier versions.
            match Date::parse(text, &Zone::utc()) {
                Ok(_) => self.report.refuse_new(at, reason, Some("add an offset, such as Z".to_owned())),
                Err(_) => self.report.refuse(at, reason),
            }
        }
        Some(source)
    }

    fn user_priority(&mut self, at: Tag<'a>) -> Option<Source> {
        let source = self.default_source(at, "priority", DEFAULT_PRIORITY)?;
        let is_wrong = |text: &str| !text.parse::<i64>().is_ok_and(|priority| (0..=100).contains(&priority));
        if let Some(text) = source.static_text().filter(|text| is_wrong(text)) {
            self.report.refuse(at, format!("Priority must be a number between 0 and 100, but was '{text}'."));
        }
        Some(source)
    }
}
