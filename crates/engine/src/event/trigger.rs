//! An event has come for something that waits: what it starts, and what it interrupts.

use crate::element::event_based_gateway;
use crate::lifecycle::{enqueue_activation, interrupt_scope};
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::Behavior;
use tidemill_model::command::Step;
use tidemill_model::entity::{ElementInstance, Interruption, Lifecycle, Trigger};
use tidemill_model::{ElementIndex, ElementInstanceKey, Variables};

/// Hands an event to what waits for it. False if it is not wanted any more.
pub(crate) fn trigger(
    run: &mut Run<'_>,
    waiting: ElementInstanceKey,
    target: ElementIndex,
    payload: Variables,
) -> Stepped<bool> {
    let Some(info) = run.find_scope(waiting)? else { return Ok(false) };
    if info.state == Lifecycle::Terminating || info.state.has_ended() {
        return Ok(false);
    }
    let definition = run.definition(info.definition)?;
    let event = definition.process.element(target);
    let trigger = Trigger { target, payload: Some(payload) };
    match &event.behavior {
        Behavior::Boundary { is_interrupting: true, .. } => interrupt_activity(run, waiting, trigger),
        Behavior::Boundary { .. } => {
            let scope = info.parent.ok_or_else(|| Stop::broken("a process has a boundary event"))?;
            enqueue_activation(run, scope, target, None, Some(trigger))?;
            Ok(true)
        }
        Behavior::Start { is_interrupting, .. } => {
            start_event_sub_process(run, waiting, event.scope, *is_interrupting, trigger)
        }
        _ if matches!(definition.process.element(info.element).behavior, Behavior::EventBased { .. }) => {
            event_based_gateway::choose(run, waiting, trigger)
        }
        _ => complete_waiting(run, waiting, info.state, trigger),
    }
}

fn interrupt_activity(run: &mut Run<'_>, activity: ElementInstanceKey, trigger: Trigger) -> Stepped<bool> {
    let element = run.change::<ElementInstance>(activity)?;
    if element.interrupted_by.is_some() {
        return Ok(false);
    }
    element.interrupted_by = Some(Box::new(trigger));
    run.push(Step::Terminate { element: activity });
    Ok(true)
}

fn start_event_sub_process(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    event_sub_process: Option<ElementIndex>,
    is_interrupting: bool,
    trigger: Trigger,
) -> Stepped<bool> {
    let is_open = run.find_scope(scope)?.is_some_and(|info| info.state.is_open());
    let state = run.scope(scope)?;
    if !is_open || state.interruption.is_some() || state.interrupted {
        return Ok(false);
    }
    if is_interrupting {
        interrupt_scope(run, scope, Interruption::EventSubProcess(trigger))?;
    } else {
        let event_sub_process =
            event_sub_process.ok_or_else(|| Stop::broken("a start event stands in no event subprocess"))?;
        enqueue_activation(run, scope, event_sub_process, None, Some(trigger))?;
    }
    Ok(true)
}

/// A catch event or receive task has got what it waited for.
fn complete_waiting(
    run: &mut Run<'_>,
    waiting: ElementInstanceKey,
    state: Lifecycle,
    trigger: Trigger,
) -> Stepped<bool> {
    let element = run.change::<ElementInstance>(waiting)?;
    if state != Lifecycle::Activated || element.payload.is_some() {
        return Ok(false);
    }
    element.payload = trigger.payload;
    run.push(Step::Complete { element: waiting });
    Ok(true)
}
