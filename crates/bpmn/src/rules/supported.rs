//! Refuses by name the parts of BPMN that this version does not run.

use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::report::Report;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for node in &outline.nodes {
        check_family(node, report);
        check_definitions(node, report);
        check_extensions(node, report);
    }
    for flow in &outline.flows {
        for listeners in flow.tag.extensions("executionListeners") {
            let remedy = "put them on the element before or behind the sequence flow".to_owned();
            let reason = "Execution listeners are not supported on sequence flows";
            report.refuse_new(listeners, reason, Some(remedy));
        }
    }
}

fn check_family(node: &FlowNode<'_>, report: &mut Report<'_>) {
    match node.family {
        Family::AdHocSubProcess => report.refuse(node.tag, "Ad-hoc subprocesses are not supported yet"),
        Family::Unsupported => {
            report.refuse(
                node.tag,
                format!("Elements of type '{}' are currently not supported.", node.tag.name()),
            );
        }
        _ => {}
    }
    if node.tag.child("standardLoopCharacteristics").is_some() {
        let remedy = "use multi-instance, or a gateway that leads back";
        report.refuse_with(node.tag, "Loop activities are not supported", remedy);
    }
    if node.tag.boolean("isForCompensation", false) {
        report.refuse(node.tag, "Compensation is not supported yet");
    }
    if node.family == Family::EventBased && node.tag.boolean("instantiate", false) {
        let remedy = "use one start event for each event";
        report.refuse_with(node.tag, "Event-based gateways that start a process are not supported", remedy);
    }
}

fn check_definitions(node: &FlowNode<'_>, report: &mut Report<'_>) {
    for definition in node.tag.event_definitions() {
        let reason = match EventType::of(definition) {
            EventType::Conditional => "Conditional events are not supported yet",
            EventType::Compensate => "Compensation events are not supported yet",
            EventType::Reference => {
                let shared = definition.text();
                let reason = format!("'eventDefinitionRef' is not supported, but refers to '{shared}'");
                report.refuse_with(definition, reason, "put the event definition into the event itself");
                continue;
            }
            _ => continue,
        };
        report.refuse(definition, reason);
    }
}

fn check_extensions(node: &FlowNode<'_>, report: &mut Report<'_>) {
    let not_yet = [
        ("executionListeners", "Execution listeners are not supported yet"),
        ("taskListeners", "Task listeners are not supported yet"),
        ("linkedResources", "Linked resources are not supported yet"),
    ];
    for (name, reason) in not_yet {
        for extension in node.tag.extensions(name) {
            report.refuse(extension, reason);
        }
    }
}
