//! The process itself.

use super::Builder;
use crate::executable::Behavior;
use crate::outline::FlowNode;
use crate::xml::Tag;
use tidemill_model::Text;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn process(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let starts = self.outline.starts(node).map(|start| start.index).collect();
        let none_start =
            self.outline.starts(node).find(|start| start.tag.event_definitions().next().is_none());
        let start_form = none_start.and_then(|start| {
            let form = self.single_extension(start.tag, "formDefinition")?;
            self.refuse_public_form(start.tag);
            self.form(form, false)
        });
        Some(Behavior::Process { starts, none_start: none_start.map(|start| start.index), start_form })
    }

    /// Nobody could open it without signing in.
    fn refuse_public_form(&mut self, start: Tag<'a>) {
        let is_public =
            |(name, value): &(Text, Text)| name == "publicAccess" && value.eq_ignore_ascii_case("true");
        if self.properties(start).iter().any(is_public) {
            let reason = "Start event forms with public access enabled are not supported. Please remove the 'publicAccess' \
                          property or set it to 'false'";
            self.report.refuse_new(start, reason, None);
        }
    }

    /// Embedded forms have a text.
    pub(super) fn refuse_empty_forms(&mut self, process: Tag<'a>) {
        for form in process.extensions("userTaskForm").filter(|form| form.text().trim().is_empty()) {
            self.report.refuse_new(form, "User task form text content has to be present and not empty", None);
        }
    }

    pub(super) fn version_tag(&mut self, process: Tag<'a>) -> Option<Text> {
        let tag = self.single_extension(process, "versionTag")?;
        tag.attribute("value").map(Into::into)
    }
}
