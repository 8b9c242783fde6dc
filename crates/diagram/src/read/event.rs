//! Events: where they stand and what triggers them.

use super::lookup::Lookup;
use super::tag::{child, flag, is_bpmn, is_true, local, name};
use crate::model::{Event, EventPlace, Trigger};
use roxmltree::Node as Xml;

pub(super) fn event(xml: &Xml<'_, '_>, lookup: &Lookup<'_>) -> Option<Event> {
    let place = match name(xml) {
        "startEvent" => EventPlace::Start,
        "intermediateCatchEvent" => EventPlace::Catch,
        "intermediateThrowEvent" => EventPlace::Throw,
        "boundaryEvent" => EventPlace::Boundary,
        "endEvent" => EventPlace::End,
        _ => return None,
    };
    let trigger = trigger(xml, lookup);
    let is_interrupting = match place {
        EventPlace::Start => flag(xml, "isInterrupting").unwrap_or(true),
        EventPlace::Boundary => flag(xml, "cancelActivity").unwrap_or(true),
        _ => true,
    };
    Some(Event { place, is_interrupting, trigger })
}

fn trigger(xml: &Xml<'_, '_>, lookup: &Lookup<'_>) -> Trigger {
    let mut definitions = xml
        .children()
        .filter(is_bpmn)
        .filter(|child| name(child).ends_with("EventDefinition") || name(child) == "eventDefinitionRef");
    let Some(first) = definitions.next() else { return Trigger::None };
    if definitions.next().is_some() {
        let is_parallel = is_true(xml, "parallelMultiple");
        return if is_parallel { Trigger::ParallelMultiple } else { Trigger::Multiple };
    }
    match name(&first) {
        "eventDefinitionRef" => {
            let id = local(first.text().unwrap_or_default());
            lookup.triggers.get(id).copied().unwrap_or(Trigger::None)
        }
        definition => by_definition(definition),
    }
}

pub(super) fn by_definition(definition: &str) -> Trigger {
    match definition {
        "messageEventDefinition" => Trigger::Message,
        "timerEventDefinition" => Trigger::Timer,
        "errorEventDefinition" => Trigger::Error,
        "escalationEventDefinition" => Trigger::Escalation,
        "cancelEventDefinition" => Trigger::Cancel,
        "compensateEventDefinition" => Trigger::Compensation,
        "conditionalEventDefinition" => Trigger::Conditional,
        "linkEventDefinition" => Trigger::Link,
        "signalEventDefinition" => Trigger::Signal,
        "terminateEventDefinition" => Trigger::Terminate,
        _ => Trigger::None,
    }
}

/// A link without a name is called after its link.
pub(super) fn link_name<'a>(xml: &Xml<'a, '_>) -> Option<&'a str> {
    child(xml, "linkEventDefinition")?.attribute("name")
}
