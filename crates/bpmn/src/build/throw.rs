//! Reads the definitions of throwing intermediate and end events.

use super::Builder;
use super::code::{ERROR, ESCALATION};
use crate::executable::{Behavior, Throw};
use crate::outline::{EventType, FlowNode};
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn intermediate_throw(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let throw = match self.thrown(node)? {
            (None, _) => Throw::None,
            (Some(EventType::Link), definition) => self.link_throw(node, definition)?,
            (Some(event_type), definition) => self.throw(node, event_type, definition)?,
        };
        Some(Behavior::IntermediateThrow(throw))
    }

    pub(super) fn end_event(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let throw = match self.thrown(node)? {
            (None, _) => Throw::None,
            (Some(EventType::Error), definition) => {
                Throw::Error { code: self.thrown_code(definition, ERROR)? }
            }
            (Some(EventType::Terminate), _) => Throw::Terminate,
            (Some(event_type), definition) => self.throw(node, event_type, definition)?,
        };
        Some(Behavior::End(throw))
    }

    /// The one definition, if there is one; none for several, which is refused in the rules.
    fn thrown(&self, node: &FlowNode<'a>) -> Option<(Option<EventType>, Tag<'a>)> {
        let mut definitions = node.tag.event_definitions();
        match (definitions.next(), definitions.next()) {
            (None, _) => Some((None, node.tag)),
            (Some(definition), None) => Some((Some(EventType::of(definition)), definition)),
            (Some(_), Some(_)) => None,
        }
    }

    fn throw(&mut self, node: &FlowNode<'a>, event_type: EventType, definition: Tag<'a>) -> Option<Throw> {
        match event_type {
            EventType::Message => self.job_unless(node.tag, definition, "publishMessage").map(Throw::Message),
            EventType::Signal => self.signal_name(definition, false).map(|name| Throw::Signal { name }),
            EventType::Escalation => {
                self.thrown_code(definition, ESCALATION).map(|code| Throw::Escalation { code })
            }
            _ => None,
        }
    }
}
