//! Incidents of instances whose definition this version cannot read. The commands that need it are refused or put aside by others, so
//! nothing gets lost; the incident tells an operator which instances wait for another version.

use crate::incident;
use crate::need::{Missed, Missing};
use crate::run::Run;
use crate::state::Aggregate;
use crate::stop::{Failure, Stepped, Stop};
use std::sync::Arc;
use tidemill_model::entity::{Incident, IncidentKind, SignalSubscription};
use tidemill_model::{Command, DefinitionKey, ProcessInstanceKey};

/// A command was refused because it needs this definition. The instance that runs by it gets an incident.
pub(crate) fn note(
    run: &mut Run<'_>,
    command: &Command,
    definition: DefinitionKey,
    reason: &str,
) -> Result<(), Missing> {
    let noted = match find_instance(run, command, definition) {
        Ok(Some(instance)) => raise(run, instance, reason),
        other => other.map(drop),
    };
    match noted {
        Ok(()) => Ok(()),
        Err(Stop::Need(missing)) => Err(missing),
        // The command is refused in any case, and its reason is told.
        Err(_) => {
            run.undo_all();
            Ok(())
        }
    }
}

/// The instance that the command is about, or the one above it that runs by this definition.
fn find_instance(
    run: &Run<'_>,
    command: &Command,
    definition: DefinitionKey,
) -> Stepped<Option<ProcessInstanceKey>> {
    let mut next = match (command, run.aggregate(command)) {
        (_, Aggregate::Instance(instance)) => Some(instance),
        (Command::DeliverSignal(deliver), _) => {
            // Those that cannot be delivered to with others have a command of their own.
            let (keys, _) = run.signal_subscriptions_after(&deliver.tenant, &deliver.name, deliver.after)?;
            let subscription = keys.first().and_then(|key| run.get::<SignalSubscription>(*key));
            subscription.map(|subscription| subscription.origin.instance)
        }
        _ => None,
    };
    while let Some(key) = next {
        match run.find_instance(key)? {
            Some(found) if found.definition == definition => return Ok(Some(key)),
            Some(found) => next = found.parent.map(|parent| parent.instance),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The instances of jobs that were passed over get incidents, so that somebody sees why no worker gets these jobs.
pub(crate) fn raise_for_passed_over(run: &mut Run<'_>) -> Stepped {
    let instances = run.jobs.tell_passed_over();
    require_callers(run, &instances)?;
    for key in instances {
        let Some(definition) = run.find_instance(key)?.map(|instance| instance.definition) else { continue };
        match run.definition(definition) {
            Err(Stop::Unreadable(_, rejection)) => raise(run, key, &rejection.reason)?,
            Err(other) => return Err(other),
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Loads what incidents of these instances touch, all of it at once: the instances that have called them, up to the first.
fn require_callers(run: &Run<'_>, instances: &[ProcessInstanceKey]) -> Stepped {
    let mut missed = Missed::default();
    for instance in instances {
        let mut next = Some(*instance);
        while let Some(key) = next {
            let found = missed.unless_missing(run.find_instance(key).map(|found| found.cloned()))?.flatten();
            next = match found.and_then(|found| found.parent) {
                Some(parent) => {
                    missed.unless_missing(run.element(parent.element).map(drop))?;
                    Some(parent.instance)
                }
                None => None,
            };
        }
    }
    missed.stop_if_any()
}

/// Raises the incident, unless the instance has one already.
fn raise(run: &mut Run<'_>, instance: ProcessInstanceKey, reason: &str) -> Stepped {
    run.instance(instance)?;
    let standing = run.links(instance.scope()).map(|links| links.incidents.clone()).unwrap_or_default();
    if standing.iter().any(|key| run.get::<Incident>(*key).is_some_and(is_of_definition)) {
        return Ok(());
    }
    let message = format!(
        "{reason}. Then resolve this incident, and retry the dead letters if there are any: timers, messages and signals that \
         have come meanwhile are kept there"
    );
    incident::raise(run, instance.scope(), Failure { kind: IncidentKind::Unknown, message }, None)
}

/// The incident says that the definition of its instance cannot be read: the only kind on a whole instance that is not about a timer.
pub(crate) fn is_of_definition(incident: &Arc<Incident>) -> bool {
    incident.element_instance == incident.origin.instance.scope()
        && incident.stopped_timer.is_none()
        && incident.job.is_none()
}
