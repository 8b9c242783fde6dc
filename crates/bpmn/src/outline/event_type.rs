//! The types of event, by their definitions.

use crate::xml::Tag;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EventType {
    Message,
    Timer,
    Signal,
    Error,
    Escalation,
    Link,
    Terminate,
    Conditional,
    Compensate,
    /// A definition that is shared by reference.
    Reference,
    /// Cancel events.
    Other,
}

impl EventType {
    pub(crate) fn of(definition: Tag<'_>) -> EventType {
        match definition.name() {
            "messageEventDefinition" => EventType::Message,
            "timerEventDefinition" => EventType::Timer,
            "signalEventDefinition" => EventType::Signal,
            "errorEventDefinition" => EventType::Error,
            "escalationEventDefinition" => EventType::Escalation,
            "linkEventDefinition" => EventType::Link,
            "terminateEventDefinition" => EventType::Terminate,
            "conditionalEventDefinition" => EventType::Conditional,
            "compensateEventDefinition" => EventType::Compensate,
            "eventDefinitionRef" => EventType::Reference,
            _ => EventType::Other,
        }
    }
}
