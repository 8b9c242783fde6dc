//! Sequence flows: where they may begin and end, and which of them need a condition or must not have one.

use crate::outline::{Family, FlowNode, Outline};
use crate::report::Report;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for node in &outline.nodes {
        check_ends(node, report);
        match node.family {
            Family::Exclusive => {
                check_conditions(outline, node, "Must have a condition or be default flow", report)
            }
            Family::Inclusive => check_conditions(outline, node, "Must have a condition", report),
            _ => check_unconditional(outline, node, report),
        }
    }
}

fn check_ends(node: &FlowNode<'_>, report: &mut Report<'_>) {
    match node.family {
        Family::End if !node.outgoing.is_empty() => {
            report.refuse(node.tag, "End events must not have outgoing sequence flows to other elements.");
        }
        Family::Boundary if !node.incoming.is_empty() => {
            report.refuse(node.tag, "Cannot have incoming sequence flows");
        }
        Family::EventSubProcess if !(node.incoming.is_empty() && node.outgoing.is_empty()) => {
            report.refuse(node.tag, "Event subprocesses must not have sequence flows");
        }
        _ => {}
    }
}

/// With one way out there is nothing to choose.
fn check_conditions(outline: &Outline<'_>, node: &FlowNode<'_>, reason: &str, report: &mut Report<'_>) {
    if node.outgoing.len() < 2 {
        return;
    }
    let default = node.tag.attribute("default").and_then(|id| outline.flow_by_id(id));
    for flow in node.outgoing.iter().filter(|flow| Some(**flow) != default) {
        let tag = outline.flow(*flow).tag;
        if tag.child("conditionExpression").is_none() {
            report.refuse_with(tag, reason, "add a condition, or make it the default flow");
        }
    }
}

fn check_unconditional(outline: &Outline<'_>, node: &FlowNode<'_>, report: &mut Report<'_>) {
    for flow in &node.outgoing {
        let tag = outline.flow(*flow).tag;
        if tag.child("conditionExpression").is_some() {
            let reason = "Conditional sequence flows are only supported at exclusive or inclusive gateway";
            report.refuse_with(tag, reason, "put a gateway before it, or remove the condition");
        }
    }
}
