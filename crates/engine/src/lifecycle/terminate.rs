//! Termination of elements and instances: jobs and subscriptions are cancelled, and children end first.

use super::complete::{end_element, end_instance, ends_instance};
use super::enqueue_activation;
use super::interrupt::scope_went_quiet;
use crate::element::{self, call_activity, multi_instance};
use crate::event::subscription;
use crate::incident;
use crate::limits::CHILDREN_PER_STEP;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::{Command, Continue, Step};
use tidemill_model::entity::Lifecycle;
use tidemill_model::{ElementInstanceKey, ElementKind, ProcessInstanceKey};

pub(crate) fn begin_termination(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let Some(info) = run.find_scope(key)? else { return Ok(()) };
    if info.state == Lifecycle::Terminating || info.state.has_ended() {
        return Ok(());
    }
    run.transition(key, Lifecycle::Terminating)?;
    let waits_for_called = match info.kind {
        ElementKind::Process => false,
        _ => element::terminate(run, key)?,
    };
    incident::resolve_all(run, key)?;
    subscription::close_all(run, key)?;
    let scope = run.scope_mut(key)?;
    scope.flows = 0;
    scope.waiting.clear();
    scope.interruption = None;
    if scope.children > 0 {
        run.push(Step::TerminateChildren { scope: key, after: None });
        return Ok(());
    }
    if !waits_for_called {
        terminated(run, key);
    }
    Ok(())
}

/// Terminates the next children of a scope; very many are spread over follow-up commands.
pub(super) fn terminate_children(
    run: &mut Run<'_>,
    scope: ElementInstanceKey,
    after: Option<ElementInstanceKey>,
) -> Stepped {
    let Some(info) = run.find_scope(scope)? else { return Ok(()) };
    let (children, is_last) = run.children_after(scope, after, CHILDREN_PER_STEP)?;
    for child in &children {
        run.push(Step::Terminate { element: *child });
    }
    if is_last {
        return Ok(());
    }
    let steps = vec![Step::TerminateChildren { scope, after: children.last().copied() }];
    run.send_here(Command::Continue(Continue { instance: info.instance, steps, elements_passed: 0 }));
    Ok(())
}

/// Everything inside has ended; the scope itself does so in a step of its own. Scopes may be nested thousands
/// deep through call activities, so one that ends must not end the one around it by a call.
pub(crate) fn terminated(run: &mut Run<'_>, key: ElementInstanceKey) {
    run.push_next(Step::FinishTermination { element: key });
}

pub(super) fn finish_termination(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let Some(info) = run.find_scope(key)? else { return Ok(()) };
    if info.state != Lifecycle::Terminating || run.scope(key)?.children > 0 {
        return Ok(());
    }
    if info.kind == ElementKind::Process {
        return instance_terminated(run, info.instance);
    }
    let element = end_element(run, key, Lifecycle::Terminated)?;
    let scope = element.parent;
    if element.loop_counter > 0 {
        multi_instance::child_terminated(run, scope)?;
    }
    if ends_instance(run, &element)? {
        return begin_termination(run, element.origin.instance.scope());
    }
    let goes_on = run.find_scope(scope)?.is_some_and(|info| info.state.is_open())
        && run.scope(scope)?.interruption.is_none();
    match &element.interrupted_by {
        Some(trigger) if goes_on => {
            enqueue_activation(run, scope, trigger.target, None, Some(Clone::clone(trigger)))
        }
        _ => scope_went_quiet(run, scope),
    }
}

fn instance_terminated(run: &mut Run<'_>, key: ProcessInstanceKey) -> Stepped {
    let instance = end_instance(run, key, Lifecycle::Terminated)?;
    run.note_end(key, false);
    match instance.parent {
        Some(parent) => call_activity::child_terminated(run, parent.element),
        None => Ok(()),
    }
}
