//! End events.

use super::{Subject, finish, job_task, pass, throw_event};
use crate::event::propagation::{self, Thrown};
use crate::lifecycle::{activated, complete_with_flows, interrupt_scope};
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{Source, Throw};
use tidemill_model::Variables;
use tidemill_model::entity::{IncidentKind, Interruption};

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject, throw: &Throw) -> Stepped {
    match throw {
        Throw::Message(task) => job_task::activate(run, subject, task),
        Throw::Signal { name } => {
            throw_event::signal(run, subject, name)?;
            pass(run, subject.key)
        }
        Throw::Escalation { code } => throw_event::escalate(run, subject, code),
        Throw::Error { code } => throw_error(run, subject, code),
        Throw::None | Throw::Terminate | Throw::Link { .. } => pass(run, subject.key),
    }
}

pub(super) fn complete(run: &mut Run<'_>, subject: &Subject, throw: &Throw) -> Stepped {
    match throw {
        Throw::Terminate => {
            let scope = subject.instance.parent;
            complete_with_flows(run, subject.key, &[])?;
            interrupt_scope(run, scope, Interruption::TerminateEnd)
        }
        _ => finish(run, subject),
    }
}

/// The event never completes: its scope is terminated or interrupted by whoever catches the error.
fn throw_error(run: &mut Run<'_>, subject: &Subject, code: &Source) -> Stepped {
    let code = run.text(subject.key, code)?;
    let catcher = propagation::find(run, subject.instance.parent, Thrown::Error, &code)?
        .map_err(|uncaught| Stop::fail(IncidentKind::UnhandledErrorEvent, uncaught.explain(&code, None)))?;
    activated(run, subject.key)?;
    let payload = Variables::default();
    propagation::deliver(run, subject.key, Some(&catcher), Thrown::Error, &code, payload)?;
    Ok(())
}
