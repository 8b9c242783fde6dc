//! Which types of event may stand where, and which may leave the rest running.

use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::report::Report;
use crate::xml::Tag;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for node in &outline.nodes {
        match node.family {
            Family::IntermediateCatch => check_catch(node, report),
            Family::IntermediateThrow => check_throw(node, report),
            Family::End => check_end(node, report),
            _ => {}
        }
    }
}

fn check_catch(node: &FlowNode<'_>, report: &mut Report<'_>) {
    let Some(definition) = exactly_one(node, report) else { return };
    match EventType::of(definition) {
        EventType::Message | EventType::Signal | EventType::Link | EventType::Conditional => {}
        EventType::Reference => {}
        EventType::Timer => {
            if definition.child("timeCycle").is_some() {
                let reason =
                    "Intermediate timer catch event must have either a time duration or a time date.";
                report.refuse(definition, reason);
            }
        }
        _ => {
            let reason = "Event definition must be one of: message, timer, signal, link or conditional";
            report.refuse(definition, reason);
        }
    }
}

fn check_throw(node: &FlowNode<'_>, report: &mut Report<'_>) {
    let types = [
        EventType::Message,
        EventType::Signal,
        EventType::Escalation,
        EventType::Link,
        EventType::Compensate,
    ];
    let reason =
        "Intermediate throw events must be one of: none, message, signal, escalation, link or compensation";
    at_most_one(node, &types, reason, report);
}

fn check_end(node: &FlowNode<'_>, report: &mut Report<'_>) {
    let types = [
        EventType::Error,
        EventType::Message,
        EventType::Terminate,
        EventType::Signal,
        EventType::Escalation,
        EventType::Compensate,
    ];
    let reason =
        "End events must be one of: none, error, message, terminate, signal, escalation or compensation";
    at_most_one(node, &types, reason, report);
}

fn at_most_one(node: &FlowNode<'_>, types: &[EventType], reason: &str, report: &mut Report<'_>) {
    if node.tag.event_definitions().count() > 1 {
        report.refuse(node.tag, "Must have at most one event definition");
    }
    for definition in node.tag.event_definitions().filter(|definition| !is_reference(*definition)) {
        if !types.contains(&EventType::of(definition)) {
            report.refuse(definition, reason);
        }
    }
}

/// Refused by its own name, so nothing is said about where it stands.
pub(super) fn is_reference(definition: Tag<'_>) -> bool {
    EventType::of(definition) == EventType::Reference
}

pub(super) fn exactly_one<'a>(node: &FlowNode<'a>, report: &mut Report<'_>) -> Option<Tag<'a>> {
    let mut definitions = node.tag.event_definitions();
    match (definitions.next(), definitions.next()) {
        (Some(definition), None) => Some(definition),
        _ => {
            report.refuse(node.tag, "Must have exactly one event definition");
            None
        }
    }
}

/// For boundary events and event subprocesses.
pub(super) fn check_interruption(definition: Tag<'_>, is_interrupting: bool, report: &mut Report<'_>) {
    match EventType::of(definition) {
        EventType::Error | EventType::Compensate if !is_interrupting => {
            report.refuse(definition, "Non-Interrupting event of this type is not allowed");
        }
        EventType::Timer if is_interrupting && definition.child("timeCycle").is_some() => {
            let reason = "Interrupting timer event with time cycle is not allowed.";
            report.refuse_with(definition, reason, "make the event non-interrupting, or use a duration");
        }
        _ => {}
    }
}
