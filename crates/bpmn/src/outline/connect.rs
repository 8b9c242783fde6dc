//! Connects what refers to each other by id: flows to their ends, boundary events to their activities.

use super::{Family, Outline};
use crate::report::Report;
use tidemill_model::{ElementIndex, FlowIndex};

pub(super) fn connect(outline: &mut Outline<'_>, report: &mut Report<'_>) {
    for n in 0..outline.flows.len() {
        connect_flow(outline, FlowIndex(n as u32), report);
    }
    for n in 0..outline.nodes.len() {
        if outline.nodes[n].family == Family::Boundary {
            attach(outline, ElementIndex(n as u32), report);
        }
    }
}

fn connect_flow(outline: &mut Outline<'_>, index: FlowIndex, report: &mut Report<'_>) {
    let tag = outline.flow(index).tag;
    let mut end = |attribute: &str| {
        let id = tag.attribute(attribute).unwrap_or_default();
        let found = outline.by_id.get(id).copied();
        if found.is_none() {
            report.refuse(
                tag,
                format!("Expected {attribute} to name a flow node of the process, but it is '{id}'"),
            );
        }
        found
    };
    let (Some(source), Some(target)) = (end("sourceRef"), end("targetRef")) else { return };
    if outline.node(source).scope != outline.node(target).scope {
        let reason = "Expected source and target of a sequence flow in the same scope, but it crosses the border of a subprocess";
        report.refuse_with(tag, reason, "connect the subprocess itself");
        return;
    }
    let flow = &mut outline.flows[index.0 as usize];
    (flow.source, flow.target) = (Some(source), Some(target));
    outline.nodes[source.0 as usize].outgoing.push(index);
    outline.nodes[target.0 as usize].incoming.push(index);
}

fn attach(outline: &mut Outline<'_>, index: ElementIndex, report: &mut Report<'_>) {
    let event = outline.node(index);
    let activity = event.tag.attribute("attachedToRef").and_then(|id| {
        // The schema allows a prefix here.
        let local = id.rsplit(':').next().unwrap_or(id);
        outline.by_id.get(id).or_else(|| outline.by_id.get(local)).copied()
    });
    match activity.map(|activity| outline.node(activity)) {
        Some(activity) if activity.family.is_activity() && activity.scope == event.scope => {
            let activity = activity.index;
            outline.nodes[index.0 as usize].attached_to = Some(activity);
            outline.nodes[activity.0 as usize].boundary_events.push(index);
        }
        // An event that is attached to an unsupported element is not wrong in itself.
        Some(activity) if activity.family == Family::Unsupported => {}
        _ => report.refuse(event.tag, "Must be attached to an activity"),
    }
}
