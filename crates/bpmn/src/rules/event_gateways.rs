//! Event-based gateways: what they may wait for. Equal names are found with the other duplicates.

use crate::outline::{EventType, Family, FlowNode, Outline};
use crate::report::Report;

pub(super) fn check(outline: &Outline<'_>, report: &mut Report<'_>) {
    for gateway in outline.nodes.iter().filter(|node| node.family == Family::EventBased) {
        if gateway.outgoing.len() < 2 {
            report.refuse(gateway.tag, "Event-based gateway must have at least 2 outgoing sequence flows.");
        }
        if !outline.targets(gateway).all(can_wait) {
            let reason = "Event-based gateway must not have an outgoing sequence flow to other elements than message/timer/signal/conditional intermediate catch events.";
            report.refuse(gateway.tag, reason);
        }
        // Two flows from the gateway to one event are wrong as well.
        if outline.targets(gateway).any(|target| target.incoming.len() > 1) {
            let reason = "Target elements of an event gateway must not have any additional incoming sequence flows other than that from the event gateway.";
            report.refuse(gateway.tag, reason);
        }
    }
}

fn can_wait(target: &FlowNode<'_>) -> bool {
    let mut definitions = target.tag.event_definitions().map(EventType::of);
    let waits = matches!(
        definitions.next(),
        Some(EventType::Message | EventType::Timer | EventType::Signal | EventType::Conditional)
    );
    target.family == Family::IntermediateCatch && waits && definitions.next().is_none()
}
