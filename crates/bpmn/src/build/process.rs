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
            self.form(form, false)
        });
        Some(Behavior::Process { starts, none_start: none_start.map(|start| start.index), start_form })
    }

    pub(super) fn version_tag(&mut self, process: Tag<'a>) -> Option<Text> {
        let tag = self.single_extension(process, "versionTag")?;
        tag.attribute("value").map(Into::into)
    }
}
