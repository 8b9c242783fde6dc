//! Event-based gateways: the first of several events decides.

use super::Subject;
use crate::event::subscription;
use crate::lifecycle::{activated, complete_with_flows, enqueue_activation};
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::entity::{Lifecycle, Trigger};
use tidemill_model::{ElementIndex, ElementInstanceKey};

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject, events: &[ElementIndex]) -> Stepped {
    subscription::open(run, subject.key, &subject.definition, events.iter().copied())?;
    activated(run, subject.key)
}

/// The first event has come: the others are no longer waited for, and the event itself takes over. The flow
/// to it is not reported as taken.
pub(crate) fn choose(run: &mut Run<'_>, gateway: ElementInstanceKey, trigger: Trigger) -> Stepped<bool> {
    let element = run.element(gateway)?;
    if element.state != Lifecycle::Activated {
        return Ok(false);
    }
    let scope = element.parent;
    subscription::close_all(run, gateway)?;
    run.transition(gateway, Lifecycle::Completing)?;
    // The token is on its way before the gateway ends, so that the scope does not look empty.
    enqueue_activation(run, scope, trigger.target, None, Some(trigger))?;
    complete_with_flows(run, gateway, &[])?;
    Ok(true)
}
