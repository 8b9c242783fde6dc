//! Messages that are caught.

use super::Builder;
use crate::executable::{MessageCatch, Source};
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    /// `at` carries the reference: an event definition or a receive task.
    pub(super) fn message_catch(&mut self, at: Tag<'a>, is_correlated: bool) -> Option<MessageCatch> {
        let Some(message) = self.definitions.referenced(at, "messageRef", "message") else {
            self.report.refuse(at, "Must reference a message");
            return None;
        };
        let name = self.shared_name(message);
        if !is_correlated {
            let name = self.constant_string(message, "message", name?)?;
            return Some(MessageCatch { name, correlation_key: None });
        }
        let mut subscriptions = message.extensions("subscription");
        let (Some(subscription), None) = (subscriptions.next(), subscriptions.next()) else {
            let reason = "Must have exactly one zeebe:subscription extension element";
            self.report.refuse_with(message, reason, "give the message a correlation key");
            return None;
        };
        let key =
            self.required(subscription, "correlationKey").and_then(|text| self.feel(subscription, text));
        Some(MessageCatch { name: name?, correlation_key: Some(key?) })
    }

    /// The name of a message or signal.
    pub(super) fn shared_name(&mut self, tag: Tag<'a>) -> Option<Source> {
        let Some(name) = tag.attribute("name") else {
            self.report.refuse(tag, "Name must be present and not empty");
            return None;
        };
        self.indexed(tag, name)
    }
}
