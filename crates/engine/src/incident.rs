//! Incidents: a failed step is written down on its element and waits for somebody to resolve it.

use crate::run::Run;
use crate::stop::{Failure, Step as Stepped, Stop};
use tidemill_model::command::Step;
use tidemill_model::entity::{ElementInstance, Incident, IncidentState, ProcessInstance};
use tidemill_model::{ElementInstanceKey, Event, IncidentKey, JobKey, ProcessInstanceKey};

pub(crate) fn raise(
    run: &mut Run<'_>,
    element: ElementInstanceKey,
    failure: Failure,
    job: Option<JobKey>,
) -> Stepped {
    let key: IncidentKey = run.new_key();
    let now = run.now;
    let instance_element = run.change::<ElementInstance>(element)?;
    instance_element.incident = Some(key);
    let (origin, element_id) = (instance_element.origin.clone(), instance_element.element_id.clone());
    let instance = origin.instance;
    run.record(key, Some(instance), || Event::IncidentCreated {
        element_id: element_id.clone(),
        kind: failure.kind,
        message: failure.message.clone(),
    });
    run.insert(Incident {
        key,
        origin,
        element_instance: element,
        element_id,
        kind: failure.kind,
        message: failure.message,
        job,
        state: IncidentState::Active,
        created_at: now,
        ended_at: None,
    });
    count(run, instance, 1)
}

/// Marks an incident as resolved; what was stopped is not resumed here.
pub(crate) fn close(run: &mut Run<'_>, key: IncidentKey) -> Stepped {
    let now = run.now;
    let incident = run.change::<Incident>(key)?;
    incident.state = IncidentState::Resolved;
    incident.ended_at = Some(now);
    let incident =
        run.end::<Incident>(key).ok_or_else(|| Stop::broken("a resolved incident is not there"))?;
    if run.find_element(incident.element_instance)?.is_some() {
        let other = run.node(incident.element_instance).and_then(|node| node.incidents.last().copied());
        run.change::<ElementInstance>(incident.element_instance)?.incident = other;
    }
    run.record(key, Some(incident.origin.instance), || Event::IncidentResolved {
        element_id: incident.element_id.clone(),
        kind: incident.kind,
    });
    count(run, incident.origin.instance, -1)
}

/// Resolves what stands on an element that is being terminated.
pub(crate) fn resolve_all(run: &mut Run<'_>, element: ElementInstanceKey) -> Stepped {
    let Some(node) = run.node(element) else { return Ok(()) };
    for key in node.incidents.clone() {
        close(run, key)?;
    }
    Ok(())
}

/// Resolves an incident and runs the step again that it had stopped.
pub(crate) fn resolve(run: &mut Run<'_>, key: IncidentKey) -> Stepped {
    let element = run.get::<Incident>(key).map(|incident| incident.element_instance);
    close(run, key)?;
    if let Some(element) = element {
        run.push(Step::Resume { element });
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
            call.called_incidents = call.called_incidents.saturating_add_signed(by);
        }
        current = parent.map(|parent| parent.instance);
    }
    Ok(())
}
