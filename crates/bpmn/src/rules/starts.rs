//! How processes, subprocesses and event subprocesses begin.

use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::report::Report;
use crate::xml::Tag;

use super::event_types::is_reference;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for scope in outline.nodes.iter().filter(|node| node.family.is_scope()) {
        for start in outline.starts(scope) {
            check_start(scope.family, start, report);
        }
    }
    check_process(outline, report);
}

fn check_process(outline: &Outline<'_>, report: &mut Report<'_>) {
    let process = outline.root();
    if outline.starts(process).next().is_none() {
        report.refuse(process.tag, "Must have at least one start event");
    }
    let is_none = |start: &&FlowNode<'_>| start.tag.event_definitions().next().is_none();
    for start in outline.starts(process).filter(is_none).skip(1) {
        report.refuse(start.tag, "Multiple none start events are not allowed");
    }
}

fn check_start(scope: Family, start: &FlowNode<'_>, report: &mut Report<'_>) {
    let definitions: Vec<Tag<'_>> = start.tag.event_definitions().collect();
    if definitions.len() > 1 || start.tag.boolean("parallelMultiple", false) {
        report.refuse(start.tag, "Start event can't have more than one type");
    }
    match scope {
        _ if definitions.iter().any(|definition| is_reference(*definition)) => {}
        Family::SubProcess if !definitions.is_empty() => {
            report.refuse(start.tag, "Start events in subprocesses must be of type none");
        }
        Family::EventSubProcess => check_event_sub_process(start, &definitions, report),
        Family::Process if !definitions.iter().all(|definition| starts_process(*definition)) => {
            let reason =
                "Start events of processes must be one of: none, message, timer, signal or conditional";
            report.refuse(start.tag, reason);
        }
        _ => {}
    }
}

fn starts_process(definition: Tag<'_>) -> bool {
    matches!(
        EventType::of(definition),
        EventType::Message | EventType::Timer | EventType::Signal | EventType::Conditional
    )
}

fn check_event_sub_process(start: &FlowNode<'_>, definitions: &[Tag<'_>], report: &mut Report<'_>) {
    let is_supported = |definition: &Tag<'_>| {
        starts_process(*definition)
            || matches!(EventType::of(*definition), EventType::Error | EventType::Escalation)
    };
    if definitions.is_empty() || !definitions.iter().all(is_supported) {
        let reason = "Start events in event subprocesses must be one of: message, timer, error, signal, escalation or conditional";
        report.refuse(start.tag, reason);
    }
    let is_interrupting = start.tag.boolean("isInterrupting", true);
    for definition in definitions {
        super::event_types::check_interruption(*definition, is_interrupting, report);
    }
}
