//! Start subscriptions: which message, signal or timer starts which process. A new version takes them over from the one before.

use crate::event::timer;
use crate::need::Missed;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_bpmn::{Catch, Process, Source};
use tidemill_feel::{EmptyScope, Expression, Value};
use tidemill_model::entity::{
    IncidentKind, ProcessDefinition, StartEventKind, StartSubscription, Timer, TimerPurpose,
};
use tidemill_model::{ElementIndex, Need, TenantId, Text, TimerKey};

pub(super) fn by_name(
    run: &Run<'_>,
    tenant: &TenantId,
    kind: StartEventKind,
    name: &Text,
) -> Stepped<Vec<Arc<StartSubscription>>> {
    require_name(run, tenant, kind, name)?;
    let keys = run.index().starts.get(&(tenant.clone(), kind, name.clone()));
    Ok(keys.into_iter().flatten().filter_map(|key| run.get::<StartSubscription>(*key).cloned()).collect())
}

fn require_name(run: &Run<'_>, tenant: &TenantId, kind: StartEventKind, name: &Text) -> Stepped {
    run.require(Need::Starts { tenant: tenant.clone(), kind, name: name.clone() })
}

pub(super) fn of_process(
    run: &Run<'_>,
    tenant: &TenantId,
    process_id: &Text,
) -> Stepped<Vec<Arc<StartSubscription>>> {
    run.require(Need::Process { tenant: tenant.clone(), process_id: process_id.clone() })?;
    let found = run.index().processes.get(&(tenant.clone(), process_id.clone()));
    let keys = found.into_iter().flat_map(|process| &process.starts);
    Ok(keys.filter_map(|key| run.get::<StartSubscription>(*key).cloned()).collect())
}

/// A start event that is ready to be opened: what had to be evaluated is.
pub(super) struct Plan {
    element: ElementIndex,
    element_id: Text,
    by: StartsBy,
}

enum StartsBy {
    Name(StartEventKind, Text),
    Timer(timer::Due),
}

/// The start events of a process that nobody has to start by hand.
pub(super) fn plan(run: &Run<'_>, process: &Process) -> Stepped<Vec<Plan>> {
    let mut plans = Vec::new();
    for index in process.starts() {
        let element = process.element(*index);
        let by = match element.catch() {
            Some(Catch::Message(message)) => {
                StartsBy::Name(StartEventKind::Message, constant(run, &message.name)?)
            }
            Some(Catch::Signal { name }) => StartsBy::Name(StartEventKind::Signal, constant(run, name)?),
            Some(Catch::Timer(model)) => StartsBy::Timer(timer::first_start(run, model)?),
            _ => continue,
        };
        plans.push(Plan { element: *index, element_id: element.id.clone(), by });
    }
    Ok(plans)
}

/// Notes what is missing to hand the starts of a process over to a version with these. The list of a name must be known
/// before it changes, or a later look-up would find the old one.
pub(super) fn note_missing(
    run: &Run<'_>,
    missed: &mut Missed,
    tenant: &TenantId,
    process_id: &Text,
    plans: &[Plan],
) -> Stepped {
    let open = missed.unless_missing(of_process(run, tenant, process_id))?.unwrap_or_default();
    let open = open.iter().map(|start| (start.kind, &start.name));
    let planned = plans.iter().filter_map(|plan| match &plan.by {
        StartsBy::Name(kind, name) => Some((*kind, name)),
        StartsBy::Timer(_) => None,
    });
    for (kind, name) in open.chain(planned) {
        missed.unless_missing(require_name(run, tenant, kind, name))?;
    }
    if run.records_wanted {
        // The record of a cancelled timer names its element.
        for key in timers_of(run, tenant, process_id) {
            if let Some(TimerPurpose::Start { definition, .. }) =
                run.get::<Timer>(key).map(|timer| &timer.purpose)
            {
                missed.unless_missing(run.definition(*definition))?;
            }
        }
    }
    Ok(())
}

fn timers_of(run: &Run<'_>, tenant: &TenantId, process_id: &Text) -> Vec<TimerKey> {
    let found = run.index().processes.get(&(tenant.clone(), process_id.clone()));
    found.into_iter().flat_map(|process| &process.timers).copied().collect()
}

/// Takes back everything that starts this process by itself.
pub(super) fn close(run: &mut Run<'_>, tenant: &TenantId, process_id: &Text) -> Stepped {
    for start in of_process(run, tenant, process_id)? {
        require_name(run, tenant, start.kind, &start.name)?;
        run.remove::<StartSubscription>(start.key);
    }
    for key in timers_of(run, tenant, process_id) {
        timer::cancel(run, key)?;
    }
    Ok(())
}

/// Opens everything that starts this version by itself.
pub(super) fn open(run: &mut Run<'_>, head: &ProcessDefinition, plans: Vec<Plan>) -> Stepped {
    for Plan { element, element_id, by } in plans {
        match by {
            StartsBy::Timer(due) => {
                let purpose = TimerPurpose::Start {
                    definition: head.key,
                    process_id: head.process_id.clone(),
                    target: element,
                    tenant: head.tenant.clone(),
                };
                timer::create(run, purpose, element_id, due);
            }
            StartsBy::Name(kind, name) => {
                require_name(run, &head.tenant, kind, &name)?;
                let (key, updated_at) = (run.new_key(), run.now);
                run.insert(StartSubscription {
                    key,
                    tenant: head.tenant.clone(),
                    definition: head.key,
                    process_id: head.process_id.clone(),
                    element,
                    element_id,
                    kind,
                    name,
                    updated_at,
                });
            }
        }
    }
    Ok(())
}

/// The definitions that these start, all of them or everything that is missing at once.
pub(super) fn require_definitions<'s>(
    run: &Run<'_>,
    starts: impl IntoIterator<Item = &'s Arc<StartSubscription>>,
) -> Stepped {
    let mut missed = Missed::default();
    for start in starts {
        missed.unless_missing(run.find_definition(start.definition))?;
    }
    missed.stop_if_any()
}

/// A name that must not depend on variables.
fn constant(run: &Run<'_>, source: &Source) -> Stepped<Text> {
    match source {
        Source::Static { text, .. } => Ok(text.clone()),
        Source::Feel(expression) => constant_feel(run, expression),
    }
}

fn constant_feel(run: &Run<'_>, expression: &Expression) -> Stepped<Text> {
    let outcome = run.evaluate_in(&EmptyScope, expression);
    match outcome.map(|outcome| outcome.value) {
        Ok(Value::String(text)) => Ok(text),
        _ => Err(Stop::fail(
            IncidentKind::ExtractValueError,
            format!("Expected '{}' to give a string without variables, but it does not", expression.text()),
        )),
    }
}
