//! Boundary events.

use super::event_types::{check_interruption, exactly_one};
use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::report::Report;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for node in outline.nodes.iter().filter(|node| node.family == Family::Boundary) {
        check_event(outline, node, report);
    }
}

fn check_event(outline: &Outline<'_>, node: &FlowNode<'_>, report: &mut Report<'_>) {
    let Some(definition) = exactly_one(node, report) else { return };
    match EventType::of(definition) {
        EventType::Link | EventType::Terminate | EventType::Other => {
            let reason =
                "Boundary events must be one of: timer, message, error, signal, escalation, conditional";
            report.refuse(definition, reason);
        }
        EventType::Escalation => check_escalation(outline, node, report),
        _ => {}
    }
    check_interruption(definition, node.tag.boolean("cancelActivity", true), report);
}

/// Only what holds other elements can be escalated from.
fn check_escalation(outline: &Outline<'_>, node: &FlowNode<'_>, report: &mut Report<'_>) {
    let Some(activity) = node.attached_to.map(|activity| outline.node(activity)) else { return };
    if !matches!(activity.family, Family::SubProcess | Family::AdHocSubProcess | Family::Call) {
        let reason =
            "An escalation boundary event should only be attached to a subprocess, or a call activity.";
        report.refuse(node.tag, reason);
    }
}
