//! Exclusive, inclusive and parallel gateways: which flows are taken.

use super::Subject;
use crate::lifecycle::{activated, complete_with_flows};
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_model::FlowIndex;
use tidemill_model::entity::{IncidentKind, Lifecycle};

/// The first flow whose condition is true, else the default.
pub(super) fn exclusive(run: &mut Run<'_>, subject: &Subject, default: Option<FlowIndex>) -> Stepped {
    let mut chosen = None;
    for flow in &subject.element().outgoing {
        if Some(*flow) != default && is_open(run, subject, *flow)? {
            chosen = Some(*flow);
            break;
        }
    }
    let chosen = chosen.or(default);
    if chosen.is_none() && !subject.element().outgoing.is_empty() {
        return Err(nothing_chosen());
    }
    go_on(run, subject, chosen.as_slice())
}

/// Every flow whose condition is true, else the default.
pub(super) fn inclusive(run: &mut Run<'_>, subject: &Subject, default: Option<FlowIndex>) -> Stepped {
    let mut chosen = Vec::new();
    for flow in &subject.element().outgoing {
        if Some(*flow) != default && is_open(run, subject, *flow)? {
            chosen.push(*flow);
        }
    }
    if chosen.is_empty() {
        chosen.extend(default);
    }
    if chosen.is_empty() && !subject.element().outgoing.is_empty() {
        return Err(nothing_chosen());
    }
    go_on(run, subject, &chosen)
}

pub(super) fn parallel(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    go_on(run, subject, &subject.element().outgoing)
}

fn is_open(run: &Run<'_>, subject: &Subject, flow: FlowIndex) -> Stepped<bool> {
    match &subject.definition.process.flow(flow).condition {
        Some(condition) => run.boolean(subject.key, condition, &[]),
        None => Ok(true),
    }
}

/// Gateways wait for nothing once they have begun.
fn go_on(run: &mut Run<'_>, subject: &Subject, flows: &[FlowIndex]) -> Stepped {
    activated(run, subject.key)?;
    run.transition(subject.key, Lifecycle::Completing)?;
    complete_with_flows(run, subject.key, flows)
}

fn nothing_chosen() -> Stop {
    Stop::fail(
        IncidentKind::ConditionError,
        "Expected at least one condition to evaluate to true, or to have a default flow",
    )
}
