//! Gateways: their default flows, what an event-based one waits for, what can reach an inclusive join.

use super::Builder;
use super::reach::join;
use crate::executable::{Behavior, InclusiveJoin};
use crate::outline::FlowNode;
use tidemill_model::FlowIndex;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn default_flow(&mut self, node: &FlowNode<'a>) -> Option<FlowIndex> {
        let flow = self.outline.flow_by_id(node.tag.attribute("default")?);
        let flow = flow.filter(|flow| self.outline.flow(*flow).source == Some(node.index));
        if flow.is_none() {
            self.report.refuse(node.tag, "Default flow must start at gateway");
        }
        flow
    }

    pub(super) fn inclusive_gateway(&mut self, node: &FlowNode<'a>) -> Behavior {
        let default = self.default_flow(node);
        Behavior::Inclusive { default, join: self.join(node) }
    }

    fn join(&mut self, node: &FlowNode<'a>) -> Option<InclusiveJoin> {
        if node.incoming.len() < 2 {
            return None;
        }
        let visits = node.incoming.len() * (self.outline.nodes.len() + self.outline.flows.len());
        if !self.budget.take_join(visits) {
            self.report.refuse(node.tag, "Expected fewer flows into inclusive gateways in one file");
            return None;
        }
        Some(join(self.outline, node))
    }

    pub(super) fn event_based_gateway(&mut self, node: &FlowNode<'a>) -> Behavior {
        let mut events: Vec<_> = self.outline.targets(node).map(|target| target.index).collect();
        // In the order of `Element::outgoing`.
        events.reverse();
        Behavior::EventBased { events }
    }
}
