//! Events that would compete for the same trigger in one place: each name and code may be caught once.

use crate::definitions::Definitions;
use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::report::Report;
use crate::xml::Tag;
use std::collections::HashSet;

pub(super) fn check<'a>(definitions: &Definitions<'a>, outline: &Outline<'a>, report: &mut Report<'_>) {
    for node in &outline.nodes {
        let boundary_events = node.boundary_events.iter().map(|event| outline.node(*event));
        check_group(definitions, boundary_events, report);
        let sub_processes = outline.event_sub_processes(node);
        check_group(definitions, sub_processes.flat_map(|sub_process| outline.starts(sub_process)), report);
        match node.family {
            Family::Process if !share_messages(definitions, outline, node, report) => {
                check_group(definitions, outline.starts(node), report);
            }
            Family::EventBased => check_group(definitions, outline.targets(node), report),
            Family::Receive => check_receive(definitions, outline, node, report),
            _ => {}
        }
    }
}

/// The thing that an event waits for, where two events may not wait for the same.
#[derive(PartialEq, Eq, Hash)]
enum Trigger<'a> {
    Message(&'a str),
    Signal(&'a str),
    Error(Option<&'a str>),
    Escalation(Option<&'a str>),
}

fn trigger<'a>(definitions: &Definitions<'a>, definition: Tag<'a>) -> Option<Trigger<'a>> {
    let referenced = |attribute: &str, kind: &str| definitions.referenced(definition, attribute, kind);
    match EventType::of(definition) {
        EventType::Message => referenced("messageRef", "message")?.attribute("name").map(Trigger::Message),
        EventType::Signal => referenced("signalRef", "signal")?.attribute("name").map(Trigger::Signal),
        EventType::Error => Some(Trigger::Error(
            referenced("errorRef", "error").and_then(|error| error.attribute("errorCode")),
        )),
        EventType::Escalation => {
            let escalation = referenced("escalationRef", "escalation");
            Some(Trigger::Escalation(
                escalation.and_then(|escalation| escalation.attribute("escalationCode")),
            ))
        }
        _ => None,
    }
}

fn check_group<'n, 'a: 'n>(
    definitions: &Definitions<'a>,
    events: impl Iterator<Item = &'n FlowNode<'a>>,
    report: &mut Report<'_>,
) {
    let mut seen = HashSet::new();
    for event in events {
        for definition in event.tag.event_definitions() {
            let Some(trigger) = trigger(definitions, definition) else { continue };
            if seen.contains(&trigger) {
                report.refuse(event.tag, trigger.taken());
            }
            seen.insert(trigger);
        }
    }
}

/// Two start events of a process that refer to one and the same message.
fn share_messages<'a>(
    definitions: &Definitions<'a>,
    outline: &Outline<'a>,
    process: &FlowNode<'a>,
    report: &mut Report<'_>,
) -> bool {
    let (mut seen, mut are_shared) = (HashSet::new(), false);
    for definition in outline.starts(process).flat_map(|start| start.tag.event_definitions()) {
        let Some(message) = definitions.referenced(definition, "messageRef", "message") else { continue };
        if !seen.insert(message.offset()) {
            report.refuse(message, "A message cannot be referred by more than one start event");
            are_shared = true;
        }
    }
    are_shared
}

impl Trigger<'_> {
    /// Why a second event may not have it.
    fn taken(&self) -> String {
        let named = |what: &str, name: &str| {
            format!("Multiple {what} event definitions with the same name '{name}' are not allowed.")
        };
        let coded = |what: &str, code: &Option<&str>| match code {
            Some(code) => format!(
                "Multiple {what} catch events with the same {what} code '{code}' are not supported on the same scope."
            ),
            None => format!(
                "The same scope can not contain more than one {what} catch event without {what} code. An {what} catch event without {what} code catches all {what}s."
            ),
        };
        match self {
            Trigger::Message(name) => named("message", name),
            Trigger::Signal(name) => named("signal", name),
            Trigger::Error(code) => coded("error", code),
            Trigger::Escalation(code) => coded("escalation", code),
        }
    }
}

fn check_receive<'a>(
    definitions: &Definitions<'a>,
    outline: &Outline<'a>,
    task: &FlowNode<'a>,
    report: &mut Report<'_>,
) {
    let message = definitions.referenced(task.tag, "messageRef", "message");
    let Some(name) = message.and_then(|message| message.attribute("name")) else { return };
    let events = task.boundary_events.iter().flat_map(|event| outline.node(*event).tag.event_definitions());
    if events.into_iter().any(|event| trigger(definitions, event) == Some(Trigger::Message(name))) {
        report.refuse(task.tag, "Cannot reference the same message name as a boundary event");
    }
}
