//! Intermediate throw events.

use super::{Subject, finish, job_task, pass};
use crate::command::broadcast_signal;
use crate::event::propagation::{self, Thrown};
use crate::lifecycle::{activated, complete_with_flows, enqueue_activation};
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_bpmn::{Source, Throw};
use tidemill_model::Variables;
use tidemill_model::command::Step;
use tidemill_model::entity::IncidentKind;

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject, throw: &Throw) -> Stepped {
    match throw {
        Throw::Message(task) => job_task::activate(run, subject, task),
        Throw::Signal { name } => {
            signal(run, subject, name)?;
            pass(run, subject.key)
        }
        Throw::Escalation { code } => escalate(run, subject, code),
        Throw::None | Throw::Link { .. } | Throw::Error { .. } | Throw::Terminate => pass(run, subject.key),
    }
}

pub(super) fn complete(run: &mut Run<'_>, subject: &Subject, throw: &Throw) -> Stepped {
    match throw {
        Throw::Link { target } => {
            crate::data::result::apply(run, subject.key)?;
            enqueue_activation(run, subject.instance.parent, *target, None, None)?;
            complete_with_flows(run, subject.key, &[])
        }
        _ => finish(run, subject),
    }
}

/// A thrown signal brings its local variables only.
pub(super) fn signal(run: &mut Run<'_>, subject: &Subject, name: &Source) -> Stepped {
    let name = run.text(subject.key, name)?;
    let variables = run.local_variables(subject.key);
    let tenant = subject.instance.origin.tenant.clone();
    broadcast_signal::require_starts(run, &tenant, &name)
        .map_err(|unreadable| unreadable.into_incident(IncidentKind::Unknown))?;
    broadcast_signal::broadcast(run, tenant, name, variables)?;
    Ok(())
}

/// Uncaught escalations are ignored; an interrupting catcher terminates the throwing event with its scope.
pub(super) fn escalate(run: &mut Run<'_>, subject: &Subject, code: &Source) -> Stepped {
    let code = run.text(subject.key, code)?;
    let catcher = propagation::find(run, subject.instance.parent, Thrown::Escalation, &code)?.ok();
    activated(run, subject.key)?;
    let interrupts = catcher.as_ref().is_some_and(|catcher| catcher.is_interrupting);
    let (key, payload) = (subject.key, Variables::default());
    propagation::deliver(run, key, catcher.as_ref(), Thrown::Escalation, &code, payload)?;
    if !interrupts {
        run.push(Step::Complete { element: key });
    }
    Ok(())
}
