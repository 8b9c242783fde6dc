//! Messages, signals, errors and escalations: defined once per file, referred to by id.

use super::write::{empty_tag, tag};

/// A message by name; with a correlation key wherever it is caught inside a running instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    name: String,
    correlation_key: Option<String>,
}

impl From<&str> for Message {
    fn from(name: &str) -> Message {
        Message { name: name.to_string(), correlation_key: None }
    }
}

/// Name and correlation key.
impl From<(&str, &str)> for Message {
    fn from((name, key): (&str, &str)) -> Message {
        Message { name: name.to_string(), correlation_key: Some(key.to_string()) }
    }
}

#[derive(Clone, Default, Debug)]
pub(super) struct Shared {
    messages: Vec<Message>,
    signals: Vec<String>,
    errors: Vec<String>,
    escalations: Vec<String>,
}

impl Shared {
    pub(super) fn message(&mut self, message: Message) -> String {
        format!("message_{}", number(&mut self.messages, message))
    }

    pub(super) fn signal(&mut self, name: &str) -> String {
        format!("signal_{}", number(&mut self.signals, name.to_string()))
    }

    pub(super) fn error(&mut self, code: &str) -> String {
        format!("error_{}", number(&mut self.errors, code.to_string()))
    }

    pub(super) fn escalation(&mut self, code: &str) -> String {
        format!("escalation_{}", number(&mut self.escalations, code.to_string()))
    }

    pub(super) fn write(&self, xml: &mut String) {
        for (n, Message { name, correlation_key }) in self.messages.iter().enumerate() {
            let subscription = correlation_key.as_ref().map(|key| {
                let subscription = empty_tag("zeebe:subscription", &[("correlationKey", key)]);
                tag("bpmn:extensionElements", &[], &subscription)
            });
            let attributes = [("id", &*format!("message_{}", n + 1)), ("name", name)];
            xml.push_str(&tag("bpmn:message", &attributes, &subscription.unwrap_or_default()));
        }
        let mut simple = |kind: &str, attribute: &'static str, values: &[String]| {
            for (n, value) in values.iter().enumerate() {
                let id = format!("{kind}_{}", n + 1);
                xml.push_str(&empty_tag(&format!("bpmn:{kind}"), &[("id", &id), (attribute, value)]));
            }
        };
        simple("signal", "name", &self.signals);
        simple("error", "errorCode", &self.errors);
        simple("escalation", "escalationCode", &self.escalations);
    }
}

/// From 1; the same value keeps its number.
fn number<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    match known.iter().position(|other| *other == value) {
        Some(n) => n + 1,
        None => {
            known.push(value);
            known.len()
        }
    }
}
