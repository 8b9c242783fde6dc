//! Incidents: a failed step is written down on its element and waits for somebody to resolve it.

use crate::event::timer;
use crate::limits::ERROR_MESSAGE_CHARACTERS_MAX;
use crate::run::Run;
use crate::stop::{Failure, Stepped, Stop};
use tidemill_model::command::Step;
use tidemill_model::entity::{ElementInstance, Incident, IncidentState, ProcessInstance, Timer};
use tidemill_model::{ElementInstanceKey, Event, IncidentKey, JobKey, ProcessInstanceKey, Text};

pub(crate) fn raise(
    run: &mut Run<'_>,
    element: ElementInstanceKey,
    failure: Failure,
    job: Option<JobKey>,
) -> Stepped {
    raise_with(run, element, failure, job, None)
}

/// The cycle of a timer that has just fired cannot go on; its element or scope does.
pub(crate) fn raise_for_timer(
    run: &mut Run<'_>,
    waiting: ElementInstanceKey,
    failure: Failure,
    fired: &Timer,
) -> Stepped {
    raise_with(run, waiting, failure, None, Some(Box::new(fired.clone())))
}

fn raise_with(
    run: &mut Run<'_>,
    element: ElementInstanceKey,
    failure: Failure,
    job: Option<JobKey>,
    stopped_timer: Option<Box<Timer>>,
) -> Stepped {
    let key: IncidentKey = run.new_key();
    let now = run.now;
    let (origin, element_id) = (run.origin(element)?, mark(run, element, key)?);
    let message = storable(failure.message);
    let instance = origin.instance;
    run.record(key, Some(instance), || Event::IncidentCreated {
        element_id: element_id.clone(),
        kind: failure.kind,
        message: message.clone(),
    });
    run.insert(Incident {
        key,
        origin,
        element_instance: element,
        element_id,
        kind: failure.kind,
        message,
        job,
        stopped_timer,
        state: IncidentState::Active,
        created_at: now,
        ended_at: None,
    });
    count_above(run, element, 1)?;
    count(run, instance, 1)
}

/// Brings a message into a form that every store takes, and that lists can show by the hundred. Models, data
/// and workers may have put anything into it. A message that was cut before stays as it is.
pub(crate) fn storable(message: String) -> String {
    const CUT: &str = "...";
    let mut message = if message.contains('\0') { message.replace('\0', "\u{fffd}") } else { message };
    if message.chars().nth(ERROR_MESSAGE_CHARACTERS_MAX + CUT.len()).is_some()
        && let Some((end, _)) = message.char_indices().nth(ERROR_MESSAGE_CHARACTERS_MAX)
    {
        message.truncate(end);
        message.push_str(CUT);
    }
    message
}

/// Notes the incident on its element, or finds the name of the process whose scope it stands on.
fn mark(run: &mut Run<'_>, scope: ElementInstanceKey, incident: IncidentKey) -> Stepped<Text> {
    if let Some(instance) = run.get::<ProcessInstance>(ProcessInstanceKey(scope.0)) {
        return Ok(run.definition_head(instance.definition)?.process_id.clone());
    }
    let element = run.change::<ElementInstance>(scope)?;
    element.incident = Some(incident);
    Ok(element.element_id.clone())
}

/// Marks an incident as resolved; what was stopped is not resumed here.
pub(crate) fn close(run: &mut Run<'_>, key: IncidentKey) -> Stepped {
    let now = run.now;
    let incident = run.change::<Incident>(key)?;
    incident.state = IncidentState::Resolved;
    incident.ended_at = Some(now);
    let incident =
        run.end::<Incident>(key).ok_or_else(|| Stop::broken("a resolved incident is not there"))?;
    let stands_on_process = incident.element_instance == incident.origin.instance.scope();
    if !stands_on_process && run.find_element(incident.element_instance)?.is_some() {
        let other = run.links(incident.element_instance).and_then(|links| links.incidents.last().copied());
        run.change::<ElementInstance>(incident.element_instance)?.incident = other;
    }
    run.record(key, Some(incident.origin.instance), || Event::IncidentResolved {
        element_id: incident.element_id.clone(),
        kind: incident.kind,
    });
    count_above(run, incident.element_instance, -1)?;
    count(run, incident.origin.instance, -1)
}

/// Resolves what stands on an element that is being terminated.
pub(crate) fn resolve_all(run: &mut Run<'_>, element: ElementInstanceKey) -> Stepped {
    let Some(links) = run.links(element) else { return Ok(()) };
    for key in links.incidents.clone() {
        close(run, key)?;
    }
    Ok(())
}

/// Resolves an incident and runs the step again that it had stopped.
pub(crate) fn resolve(run: &mut Run<'_>, key: IncidentKey) -> Stepped {
    let Some(incident) = run.get::<Incident>(key).cloned() else { return Ok(()) };
    close(run, key)?;
    match &incident.stopped_timer {
        Some(fired) => timer::go_on(run, incident.element_instance, fired),
        None => {
            run.push(Step::Resume { element: incident.element_instance });
            Ok(())
        }
    }
}

/// Scopes around the element know that there is an incident in them: subprocesses, event subprocesses and the bodies of
/// multi-instance activities.
fn count_above(run: &mut Run<'_>, element: ElementInstanceKey, by: i32) -> Stepped {
    let mut parent = run.find_element(element)?.map(|element| element.parent);
    while let Some(scope) = parent {
        if run.find_scope(scope)?.is_none_or(|info| info.parent.is_none()) {
            break;
        }
        let above = run.change::<ElementInstance>(scope)?;
        above.incidents_below = above.incidents_below.saturating_add_signed(by);
        parent = Some(above.parent);
    }
    Ok(())
}

/// Instances and call activities above an incident know that there is one below them.
fn count(run: &mut Run<'_>, instance: ProcessInstanceKey, by: i32) -> Stepped {
    let mut current = Some(instance);
    while let Some(key) = current {
        run.instance(key)?;
        let instance = run.change::<ProcessInstance>(key)?;
        instance.incidents = instance.incidents.saturating_add_signed(by);
        let parent = instance.parent;
        if let Some(parent) = parent {
            run.element(parent.element)?;
            let call = run.change::<ElementInstance>(parent.element)?;
            call.incidents_below = call.incidents_below.saturating_add_signed(by);
            count_above(run, parent.element, by)?;
        }
        current = parent.map(|parent| parent.instance);
    }
    Ok(())
}
