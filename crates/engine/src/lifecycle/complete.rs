//! Completion of elements and instances, and the way of their tokens.

use super::interrupt::scope_went_quiet;
use super::{begin_termination, enqueue_activation};
use crate::element::{self, call_activity, multi_instance};
use crate::event::subscription;
use crate::incident;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_model::command::{Command, ReleaseStartLock};
use tidemill_model::entity::{ElementInstance, Lifecycle, ProcessInstance};
use tidemill_model::{ElementInstanceKey, ElementKind, Event, FlowIndex, ProcessInstanceKey};

pub(super) fn begin_completion(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let Some(info) = run.find_scope(key)? else { return Ok(()) };
    // Somebody may have interrupted it, or something may have begun inside it since.
    if info.state != Lifecycle::Activated || !run.scope(key)?.is_empty() || is_being_terminated(run, key)? {
        return Ok(());
    }
    run.transition(key, Lifecycle::Completing)?;
    match info.kind {
        ElementKind::Process => complete_instance(run, info.instance),
        _ => run.attempt(key, |run| element::complete(run, key)),
    }
}

/// True if the element is about to be terminated: by an event of its own, or with everything in its scope.
fn is_being_terminated(run: &Run<'_>, key: ElementInstanceKey) -> Stepped<bool> {
    let Some(element) = run.get::<ElementInstance>(key) else { return Ok(false) };
    if element.interrupted_by.is_some() {
        return Ok(true);
    }
    let scope = element.parent;
    let is_open = run.find_scope(scope)?.is_some_and(|info| info.state.is_open());
    Ok(!is_open || run.scope(scope)?.interruption.is_some() || multi_instance::is_done(run, scope))
}

/// The element is through; its tokens go over all its outgoing flows.
pub(crate) fn completed(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let element = run.element(key)?.clone();
    let definition = run.definition(element.origin.definition)?;
    let target = definition.process.element(element.element);
    complete_with_flows(run, key, &target.outgoing)
}

/// The element is through; its tokens go over these flows.
pub(crate) fn complete_with_flows(
    run: &mut Run<'_>,
    key: ElementInstanceKey,
    flows: &[FlowIndex],
) -> Stepped {
    let element = end_element(run, key, Lifecycle::Completed)?;
    let scope = element.parent;
    if ends_instance(run, &element)? {
        return begin_termination(run, element.origin.instance.scope());
    }
    let is_inner = element.loop_counter > 0;
    if is_inner {
        multi_instance::child_completed(run, scope)?;
    } else {
        for flow in flows {
            take_flow(run, scope, *flow)?;
        }
    }
    if is_inner || flows.is_empty() { scope_went_quiet(run, scope) } else { Ok(()) }
}

/// Takes the element out of its scope.
pub(super) fn end_element(
    run: &mut Run<'_>,
    key: ElementInstanceKey,
    to: Lifecycle,
) -> Stepped<Arc<ElementInstance>> {
    // Incidents beside its own course, such as that of a timer that could not go on, end with it.
    incident::resolve_all(run, key)?;
    run.transition(key, to)?;
    run.end_variables(key);
    let now = run.now;
    let element = run.change::<ElementInstance>(key)?;
    element.ended_at = Some(now);
    element.payload = None;
    let parent = element.parent;
    let element =
        run.end::<ElementInstance>(key).ok_or_else(|| Stop::broken("an ending element is not there"))?;
    run.scope_mut(parent)?.children -= 1;
    Ok(element)
}

fn take_flow(run: &mut Run<'_>, scope: ElementInstanceKey, flow: FlowIndex) -> Stepped {
    let origin = run.origin(scope)?;
    let definition = run.definition(origin.definition)?;
    let taken = definition.process.flow(flow);
    if !run.instance(origin.instance)?.flows_taken.contains(flow) {
        run.change::<ProcessInstance>(origin.instance)?.flows_taken.insert(flow);
    }
    run.record(scope, Some(origin.instance), || Event::FlowTaken { id: taken.id.clone() });
    enqueue_activation(run, scope, taken.target, Some(flow), None)
}

/// True if the instance was created to stop after this element.
pub(super) fn ends_instance(run: &Run<'_>, element: &ElementInstance) -> Stepped<bool> {
    let instance = run.instance(element.origin.instance)?;
    let is_named = instance.terminate_after.contains(&element.element_id);
    Ok(is_named && element.loop_counter == 0 && instance.state.is_open())
}

fn complete_instance(run: &mut Run<'_>, key: ProcessInstanceKey) -> Stepped {
    subscription::close_all(run, key.scope())?;
    let parent = run.instance(key)?.parent;
    if let Some(parent) = parent {
        call_activity::take_results(run, parent.element, key)?;
    }
    end_instance(run, key, Lifecycle::Completed)?;
    run.note_end(key, true);
    match parent {
        Some(parent) => call_activity::child_completed(run, parent.element),
        None => Ok(()),
    }
}

/// Takes the instance out of the live state.
pub(super) fn end_instance(
    run: &mut Run<'_>,
    key: ProcessInstanceKey,
    to: Lifecycle,
) -> Stepped<Arc<ProcessInstance>> {
    incident::resolve_all(run, key.scope())?;
    run.transition(key.scope(), to)?;
    run.end_variables(key.scope());
    let now = run.now;
    run.change::<ProcessInstance>(key)?.ended_at = Some(now);
    run.forget_use(key);
    let instance =
        run.end::<ProcessInstance>(key).ok_or_else(|| Stop::broken("an ending instance is not there"))?;
    call_activity::uncount_recursive(run, &instance)?;
    if let Some(correlation_key) = instance.start_lock.clone() {
        let process_id = run.definition_head(instance.definition)?.process_id.clone();
        let tenant = instance.tenant.clone();
        let release = ReleaseStartLock { tenant, process_id, correlation_key, instance: key };
        run.send(Command::ReleaseStartLock(release));
    }
    Ok(instance)
}
