//! Activation of elements: a token arrives, an instance of the element is made, and its kind takes over.

use super::join;
use crate::element;
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{Behavior, Element};
use tidemill_model::command::Step;
use tidemill_model::entity::{ElementInstance, IncidentKind, Lifecycle, Scope, Trigger};
use tidemill_model::{ElementIndex, ElementInstanceKey, ElementKind, FlowIndex};

/// Sends a token to an element of a scope. It counts as travelling until it arrives.
pub(crate) fn enqueue_activation(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    element: ElementIndex,
    flow: Option<FlowIndex>,
    trigger: Option<Trigger>,
) -> Stepped {
    run.scope_mut(scope)?.flows += 1;
    run.count_passed();
    run.push(Step::Activate { scope, element, flow, trigger });
    Ok(())
}

/// A token arrives. It is dropped if its scope has ended or is being cleared.
pub(super) fn arrive(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    element: ElementIndex,
    flow: Option<FlowIndex>,
    trigger: Option<Trigger>,
) -> Stepped {
    let Some(info) = run.find_scope(scope)?.filter(|info| info.state.is_open()) else { return Ok(()) };
    // The termination of its instance may still be on the way down to this scope.
    if run.instance(info.instance)?.state == Lifecycle::Terminating {
        return Ok(());
    }
    let definition = run.definition(info.definition)?;
    let target = definition.process.element(element);
    let state = run.scope(scope)?;
    let is_cleared = state.interruption.is_some() || state.interrupted && !interrupts(&definition, target);
    if is_cleared || element::multi_instance::is_done(run, scope) {
        return Ok(());
    }
    match flow {
        Some(flow) if join::is_join(target) => join::arrive(run, &definition, scope, target, flow),
        _ => {
            join::settle_tokens(run, scope, 1)?;
            begin_activation(run, scope, target, trigger)
        }
    }
}

/// True if this is the kind of event subprocess that takes over an interrupted scope.
fn interrupts(definition: &Definition, target: &Element) -> bool {
    match target.behavior {
        Behavior::EventSubProcess { start } => definition.process.element(start).is_interrupting(),
        _ => false,
    }
}

/// Makes an instance of the element and lets its kind begin. The tokens are settled already.
pub(super) fn begin_activation(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    target: &Element,
    trigger: Option<Trigger>,
) -> Stepped {
    let info = run.find_scope(scope)?.ok_or_else(|| Stop::broken("the scope of a new element has ended"))?;
    let is_inner = info.kind == ElementKind::MultiInstanceBody;
    let is_body = target.multi_instance.is_some() && !is_inner;
    let key = run.new_key();
    let loop_counter = if is_inner { element::multi_instance::count_child(run, scope)? } else { 0 };
    let origin = run.origin(scope)?;
    run.scope_mut(scope)?.children += 1;
    let (now, instance) = (run.now, origin.instance);
    run.insert(ElementInstance {
        key,
        origin,
        element: target.index,
        element_id: target.id.clone(),
        kind: if is_body { ElementKind::MultiInstanceBody } else { target.kind },
        parent: scope,
        state: Lifecycle::Activating,
        started_at: now,
        ended_at: None,
        scope: Scope::default(),
        loop_counter,
        progress: None,
        job: None,
        user_task: None,
        called: None,
        incident: None,
        incidents_below: 0,
        payload: trigger.and_then(|trigger| trigger.payload),
        interrupted_by: None,
    });
    run.note_use(instance);
    run.transition(key, Lifecycle::Activating)?;
    run.attempt(key, |run| {
        if run.has_passed_too_many() {
            return Err(too_many_elements());
        }
        element::activate(run, key)
    })
}

/// The element has everything it needs and now waits or goes on.
pub(crate) fn activated(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    run.transition(key, Lifecycle::Activated)
}

fn too_many_elements() -> Stop {
    Stop::fail(
        IncidentKind::Unknown,
        format!(
            "Expected the path to wait for something, but it has passed {} elements without a wait; \
             the model may loop for ever",
            crate::limits::ELEMENTS_PASSED_MAX
        ),
    )
}
