//! Start events of processes, subprocesses and event subprocesses.

use super::Builder;
use crate::executable::{Behavior, Catch};
use crate::outline::{Family, FlowNode};

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn start_event(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let scope = self.outline.node(node.scope?).family;
        let catch = match self.only_definition(node) {
            None => Catch::None,
            Some(definition) => self.catch(definition, scope == Family::Process)?,
        };
        Some(Behavior::Start { catch, is_interrupting: node.tag.boolean("isInterrupting", true) })
    }
}
