//! Which message or signal starts which process, and handing that over between versions.

use crate::event::timer;
use crate::need::Need;
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Step, Stop};
use std::sync::Arc;
use tidemill_bpmn::{Catch, Source};
use tidemill_feel::{EmptyScope, Expression, Value};
use tidemill_model::entity::{IncidentKind, StartEventKind, StartSubscription, TimerPurpose};
use tidemill_model::{TenantId, Text};

pub(super) fn by_name(
    run: &Run<'_>,
    tenant: &TenantId,
    kind: StartEventKind,
    name: &Text,
) -> Step<Vec<Arc<StartSubscription>>> {
    run.require(Need::Starts { tenant: tenant.clone(), kind, name: name.clone() })?;
    let keys = run.index().starts.get(&(tenant.clone(), kind, name.clone()));
    Ok(keys.into_iter().flatten().filter_map(|key| run.get::<StartSubscription>(*key).cloned()).collect())
}

pub(super) fn of_process(
    run: &Run<'_>,
    tenant: &TenantId,
    process_id: &Text,
) -> Step<Vec<Arc<StartSubscription>>> {
    run.require(Need::Process { tenant: tenant.clone(), process_id: process_id.clone() })?;
    let found = run.index().processes.get(&(tenant.clone(), process_id.clone()));
    let keys = found.into_iter().flat_map(|process| &process.starts);
    Ok(keys.filter_map(|key| run.get::<StartSubscription>(*key).cloned()).collect())
}

/// Takes back everything that starts this process by itself.
pub(super) fn close(run: &mut Run<'_>, tenant: &TenantId, process_id: &Text) -> Step {
    for start in of_process(run, tenant, process_id)? {
        // The name's list must be known before it changes, or a later look-up would find the old one.
        by_name(run, tenant, start.kind, &start.name)?;
        run.remove::<StartSubscription>(start.key);
    }
    let found = run.index().processes.get(&(tenant.clone(), process_id.clone()));
    let timers: Vec<_> = found.into_iter().flat_map(|process| &process.timers).copied().collect();
    for key in timers {
        timer::cancel(run, key)?;
    }
    Ok(())
}

/// Opens everything that starts this version by itself.
pub(super) fn open(run: &mut Run<'_>, definition: &Definition) -> Step {
    let head = &definition.head;
    for index in definition.process.starts() {
        let element = definition.process.element(*index);
        let (kind, name) = match element.catch() {
            Some(Catch::Message(message)) => (StartEventKind::Message, constant(run, &message.name)?),
            Some(Catch::Signal { name }) => (StartEventKind::Signal, constant(run, name)?),
            Some(Catch::Timer(model)) => {
                let (due_at, repetitions) = timer::first_start(run, model)?;
                let purpose = TimerPurpose::Start {
                    definition: head.key,
                    process_id: head.process_id.clone(),
                    target: *index,
                    tenant: head.tenant.clone(),
                };
                timer::create(run, purpose, element.id.clone(), due_at, repetitions);
                continue;
            }
            _ => continue,
        };
        by_name(run, &head.tenant, kind, &name)?;
        let (key, updated_at) = (run.new_key(), run.now);
        run.insert(StartSubscription {
            key,
            tenant: head.tenant.clone(),
            definition: head.key,
            process_id: head.process_id.clone(),
            element: *index,
            element_id: element.id.clone(),
            kind,
            name,
            updated_at,
        });
    }
    Ok(())
}

/// A name that must not depend on variables.
pub(super) fn constant(run: &Run<'_>, source: &Source) -> Step<Text> {
    match source {
        Source::Static { text, .. } => Ok(text.clone()),
        Source::Feel(expression) => constant_feel(run, expression),
    }
}

fn constant_feel(run: &Run<'_>, expression: &Expression) -> Step<Text> {
    let outcome = run.evaluate_in(&EmptyScope, expression);
    match outcome.map(|outcome| outcome.value) {
        Ok(Value::String(text)) => Ok(text),
        _ => Err(Stop::fail(
            IncidentKind::ExtractValueError,
            format!("Expected '{}' to give a string without variables, but it does not", expression.text()),
        )),
    }
}
