//! Errors and escalations on their way outwards: who catches them.

use super::subscription::event_sub_process_starts;
use super::trigger;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_bpmn::Catch;
use tidemill_model::entity::{ElementInstance, Lifecycle};
use tidemill_model::{ElementIndex, ElementInstanceKey, Event, Text, Variables};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thrown {
    Error,
    Escalation,
}

/// The event that catches, found by searching outwards.
pub(crate) struct Catcher {
    waiting: ElementInstanceKey,
    target: ElementIndex,
    target_id: Text,
    pub(crate) is_interrupting: bool,
}

/// Nobody catches it.
pub(crate) struct Uncaught {
    /// The codes that the events on the way would catch, for the message of the incident.
    codes: Vec<Text>,
}

impl Uncaught {
    /// The message of the incident for an error that nobody catches.
    pub(crate) fn explain(&self, code: &str, error_message: Option<&str>) -> String {
        let with = error_message.filter(|message| !message.is_empty());
        let with = with.map(|message| format!(" with message '{message}'")).unwrap_or_default();
        let known = match self.codes.is_empty() {
            true => "No error events are available in the scope.".to_owned(),
            false => format!("Available error events are [{}]", self.codes.join(", ")),
        };
        format!(
            "Expected to throw an error event with the code '{code}'{with}, but it was not caught. {known}"
        )
    }
}

/// Searches from a scope outwards, through call activities into calling instances.
pub(crate) fn find(
    run: &Run<'_>,
    from: ElementInstanceKey,
    thrown: Thrown,
    code: &str,
) -> Stepped<Result<Catcher, Uncaught>> {
    let mut search = Search { run, thrown, code, codes: Vec::new() };
    let mut start = Some(from);
    while let Some(scope) = start {
        if let Some(catcher) = search.instance(scope)? {
            return Ok(Ok(catcher));
        }
        let Some(info) = run.find_scope(scope)? else { break };
        start = run.instance(info.instance)?.parent.map(|parent| parent.element);
    }
    Ok(Err(Uncaught { codes: search.codes }))
}

/// The search for whoever catches what was thrown.
struct Search<'a> {
    run: &'a Run<'a>,
    thrown: Thrown,
    code: &'a str,
    /// The codes that could have been caught so far.
    codes: Vec<Text>,
}

impl Search<'_> {
    fn instance(&mut self, from: ElementInstanceKey) -> Stepped<Option<Catcher>> {
        let mut current = Some(from);
        while let Some(scope) = current {
            let Some(info) = self.run.find_scope(scope)? else { return Ok(None) };
            let state = self.run.scope(scope)?;
            let is_ending = info.state == Lifecycle::Terminating || info.state.has_ended();
            let is_interrupted = state.interruption.is_some() || state.interrupted;
            // An escalation still reaches the boundary of a scope that an event subprocess has taken over.
            if is_ending || is_interrupted && self.thrown == Thrown::Error {
                return Ok(None);
            }
            let found = self.scope(scope, is_interrupted)?;
            if found.is_some() || is_interrupted {
                return Ok(found);
            }
            current = info.parent;
        }
        Ok(None)
    }

    /// Matching codes before catch-alls; at equal rank, event subprocesses before boundary events.
    fn scope(&mut self, scope: ElementInstanceKey, is_interrupted: bool) -> Stepped<Option<Catcher>> {
        let (run, thrown, code) = (self.run, self.thrown, self.code);
        let Some(info) = run.find_scope(scope)? else { return Ok(None) };
        let definition = run.definition(info.definition)?;
        let element = definition.process.element(info.element);
        let is_body = element.multi_instance.is_some()
            && run.get::<ElementInstance>(scope).is_some_and(|element| element.loop_counter == 0);
        let is_inner = element.multi_instance.is_some() && !is_body;
        // A multi-instance body has the boundary events, its inner instances the event subprocesses.
        let inside = event_sub_process_starts(&definition, element).filter(|_| !is_body && !is_interrupted);
        let attached = element.boundary_events.iter().copied().filter(|_| !is_inner);
        let mut best: Option<(u8, ElementIndex)> = None;
        for (rank, event) in inside.map(|event| (0, event)).chain(attached.map(|event| (1, event))) {
            let Some(catch) = definition.process.element(event).catch() else { continue };
            let rank = match matching(catch, thrown, code) {
                Some(Match::Code) => rank,
                Some(Match::Any) => rank + 2,
                None => {
                    self.codes.extend(code_of(catch, thrown).flatten().cloned());
                    continue;
                }
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
}

enum Match {
    Code,
    Any,
}

fn matching(catch: &Catch, thrown: Thrown, code: &str) -> Option<Match> {
    match code_of(catch, thrown)? {
        None => Some(Match::Any),
        Some(wanted) if wanted == code => Some(Match::Code),
        Some(_) => None,
    }
}

/// The code that an event of the right kind catches; an inner none catches all.
fn code_of(catch: &Catch, thrown: Thrown) -> Option<Option<&Text>> {
    match (catch, thrown) {
        (Catch::Error { code }, Thrown::Error) | (Catch::Escalation { code }, Thrown::Escalation) => {
            Some(code.as_ref())
        }
        _ => None,
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
) -> Stepped<bool> {
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
