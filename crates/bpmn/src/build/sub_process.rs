//! Embedded subprocesses and event subprocesses.

use super::Builder;
use crate::executable::Behavior;
use crate::outline::FlowNode;
use tidemill_model::ElementIndex;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn sub_process(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        self.only_start(node).map(|start| Behavior::SubProcess { start })
    }

    pub(super) fn event_sub_process(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        self.only_start(node).map(|start| Behavior::EventSubProcess { start })
    }

    fn only_start(&mut self, node: &FlowNode<'a>) -> Option<ElementIndex> {
        let mut starts = self.outline.starts(node);
        match (starts.next(), starts.next()) {
            (Some(start), None) => Some(start.index),
            _ => {
                self.report.refuse(node.tag, "Must have exactly one start event");
                None
            }
        }
    }
}
