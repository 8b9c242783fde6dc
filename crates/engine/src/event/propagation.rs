//! Errors and escalations on their way outwards: who catches them.

use super::subscription::event_sub_process_starts;
use super::trigger;
use crate::run::Run;
use crate::stop::Step;
use tidemill_bpmn::Catch;
use tidemill_model::entity::{ElementInstance, Lifecycle};
use tidemill_model::{ElementIndex, ElementInstanceKey, Event, Text, Variables};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thrown {
    Error,
    Escalation,
}

/// Who catches, found by searching outwards.
pub(crate) struct Catcher {
    waiting: ElementInstanceKey,
    target: ElementIndex,
    target_id: Text,
    pub(crate) is_interrupting: bool,
}

/// Searches from a scope outwards, through call activities into calling instances.
pub(crate) fn find(
    run: &Run<'_>,
    from: ElementInstanceKey,
    thrown: Thrown,
    code: &str,
) -> Step<Option<Catcher>> {
    let mut start = Some(from);
    while let Some(scope) = start {
        if let Some(catcher) = find_in_instance(run, scope, thrown, code)? {
            return Ok(Some(catcher));
        }
        let Some(info) = run.find_scope(scope)? else { return Ok(None) };
        start = run.instance(info.instance)?.parent.map(|parent| parent.element);
    }
    Ok(None)
}

fn find_in_instance(
    run: &Run<'_>,
    from: ElementInstanceKey,
    thrown: Thrown,
    code: &str,
) -> Step<Option<Catcher>> {
    let mut current = Some(from);
    while let Some(scope) = current {
        let Some(info) = run.find_scope(scope)? else { return Ok(None) };
        let state = run.scope(scope)?;
        let is_closed = info.state == Lifecycle::Terminating
            || info.state.has_ended()
            || state.interruption.is_some()
            || state.interrupted;
        if is_closed {
            return Ok(None);
        }
        if let Some(catcher) = find_in_scope(run, scope, thrown, code)? {
            return Ok(Some(catcher));
        }
        current = info.parent;
    }
    Ok(None)
}

/// Matching codes before catch-alls; at equal rank, event subprocesses before boundary events.
fn find_in_scope(
    run: &Run<'_>,
    scope: ElementInstanceKey,
    thrown: Thrown,
    code: &str,
) -> Step<Option<Catcher>> {
    let Some(info) = run.find_scope(scope)? else { return Ok(None) };
    let definition = run.definition(info.definition)?;
    let element = definition.process.element(info.element);
    let is_body = element.multi_instance.is_some()
        && run.get::<ElementInstance>(scope).is_some_and(|element| element.loop_counter == 0);
    let is_inner = element.multi_instance.is_some() && !is_body;
    // A multi-instance body has the boundary events, its inner instances the event subprocesses.
    let inside = event_sub_process_starts(&definition, element).filter(|_| !is_body);
    let attached = element.boundary_events.iter().copied().filter(|_| !is_inner);
    let mut best: Option<(u8, ElementIndex)> = None;
    for (rank, event) in inside.map(|event| (0, event)).chain(attached.map(|event| (1, event))) {
        let Some(catch) = definition.process.element(event).catch() else { continue };
        let rank = match matching(catch, thrown, code) {
            Some(Match::Code) => rank,
            Some(Match::Any) => rank + 2,
            None => continue,
        };
        if best.is_none_or(|(best, _)| rank < best) {
            best = Some((rank, event));
        }
    }
    Ok(best.map(|(_, target)| {
        let event = definition.process.element(target);
        Catcher {
            waiting: scope,
            target,
            target_id: event.id.clone(),
            is_interrupting: event.is_interrupting(),
        }
    }))
}

enum Match {
    Code,
    Any,
}

fn matching(catch: &Catch, thrown: Thrown, code: &str) -> Option<Match> {
    let wanted = match (catch, thrown) {
        (Catch::Error { code }, Thrown::Error) | (Catch::Escalation { code }, Thrown::Escalation) => code,
        _ => return None,
    };
    match wanted {
        None => Some(Match::Any),
        Some(wanted) if wanted == code => Some(Match::Code),
        Some(_) => None,
    }
}

/// Hands what was thrown to its catcher.
pub(crate) fn deliver(
    run: &mut Run<'_>,
    thrower: ElementInstanceKey,
    catcher: Option<&Catcher>,
    thrown: Thrown,
    code: &Text,
    payload: Variables,
) -> Step<bool> {
    let instance = run.origin(thrower)?.instance;
    run.record(thrower, Some(instance), || {
        let (code, caught_by) = (code.clone(), catcher.map(|catcher| catcher.target_id.clone()));
        match thrown {
            Thrown::Error => Event::ErrorThrown { code, caught_by },
            Thrown::Escalation => Event::EscalationThrown { code, caught_by },
        }
    });
    match catcher {
        Some(catcher) => trigger::trigger(run, catcher.waiting, catcher.target, payload),
        None => Ok(false),
    }
}
