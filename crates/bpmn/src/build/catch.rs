//! Reads the definition of a catching event, wherever it stands.

use super::Builder;
use super::code::{ERROR, ESCALATION};
use crate::executable::{Behavior, Catch};
use crate::outline::{EventType, FlowNode};
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn intermediate_catch(&mut self, node: &FlowNode<'a>) -> Option<Behavior> {
        let definition = self.only_definition(node)?;
        let catch = match EventType::of(definition) {
            EventType::Message | EventType::Timer | EventType::Signal => self.catch(definition, false),
            EventType::Link => self.link_catch(definition),
            _ => None,
        };
        catch.map(Behavior::IntermediateCatch)
    }

    /// Types that do not belong where the event stands are refused in the rules.
    pub(super) fn catch(&mut self, definition: Tag<'a>, is_process_start: bool) -> Option<Catch> {
        match EventType::of(definition) {
            EventType::Message => self.message_catch(definition, !is_process_start).map(Catch::Message),
            EventType::Timer => self.timer(definition, is_process_start).map(Catch::Timer),
            EventType::Signal => {
                self.signal_name(definition, is_process_start).map(|name| Catch::Signal { name })
            }
            EventType::Error => Some(Catch::Error { code: self.caught_code(definition, ERROR) }),
            EventType::Escalation => {
                Some(Catch::Escalation { code: self.caught_code(definition, ESCALATION) })
            }
            _ => None,
        }
    }

    /// More or less than one is refused in the rules.
    pub(super) fn only_definition(&self, node: &FlowNode<'a>) -> Option<Tag<'a>> {
        let mut definitions = node.tag.event_definitions();
        definitions.next().filter(|_| definitions.next().is_none())
    }
}
