//! The kinds of elements: how each begins, completes and is terminated. One file per kind.

pub(crate) mod call_activity;
mod catch_event;
mod end_event;
pub(crate) mod event_based_gateway;
mod gateway;
pub(crate) mod job_task;
pub(crate) mod multi_instance;
mod receive_task;
mod script_task;
mod start_event;
mod sub_process;
mod throw_event;
pub(crate) mod user_task;

use crate::data::{mapping, result};
use crate::event::subscription;
use crate::lifecycle::{activated, completed};
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_bpmn::{Behavior, Element};
use tidemill_model::command::Step;
use tidemill_model::entity::ElementInstance;
use tidemill_model::{ElementInstanceKey, ElementKind};

/// An element instance with its place in the model.
pub(crate) struct Subject {
    pub(crate) key: ElementInstanceKey,
    pub(crate) instance: Arc<ElementInstance>,
    pub(crate) definition: Definition,
}

impl Subject {
    fn of(run: &Run<'_>, key: ElementInstanceKey) -> Stepped<Subject> {
        let instance = run.element(key)?.clone();
        let definition = run.definition(instance.origin.definition)?;
        Ok(Subject { key, instance, definition })
    }

    pub(crate) fn element(&self) -> &Element {
        self.definition.process.element(self.instance.element)
    }

    /// True if this is one of the inner instances of a multi-instance activity.
    pub(crate) fn is_inner(&self) -> bool {
        self.instance.loop_counter > 0
    }

    /// Opens the subscriptions of the boundary events, unless they belong to the body around this instance.
    fn arm_boundary_events(&self, run: &mut Run<'_>) -> Stepped {
        if self.is_inner() || self.element().boundary_events.is_empty() {
            return Ok(());
        }
        subscription::open(run, self.key, &self.definition, self.element().boundary_events.iter().copied())
    }
}

/// Begins, or begins again after an incident.
pub(crate) fn activate(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let subject = Subject::of(run, key)?;
    if subject.instance.kind == ElementKind::MultiInstanceBody {
        return multi_instance::activate(run, &subject);
    }
    if subject.is_inner() {
        multi_instance::prepare_child(run, &subject)?;
    }
    let element = subject.element();
    mapping::apply_inputs(run, key, &element.inputs)?;
    match &element.behavior {
        Behavior::Process { .. } => Err(Stop::broken("a process cannot stand inside a process")),
        Behavior::SubProcess { start } => sub_process::activate(run, &subject, *start),
        Behavior::EventSubProcess { start } => sub_process::activate(run, &subject, *start),
        Behavior::Start { .. } => pass(run, key),
        Behavior::IntermediateCatch(_) => catch_event::activate(run, &subject),
        Behavior::Boundary { .. } => pass(run, key),
        Behavior::IntermediateThrow(throw) => throw_event::activate(run, &subject, throw),
        Behavior::End(throw) => end_event::activate(run, &subject, throw),
        Behavior::Job(task) => job_task::activate(run, &subject, task),
        Behavior::Script { expression, result_variable } => {
            script_task::activate(run, &subject, expression, result_variable)
        }
        Behavior::UserTask(task) => user_task::activate(run, &subject, task),
        Behavior::UserTaskJob(task) => user_task::activate_job(run, &subject, task),
        Behavior::Receive(_) => receive_task::activate(run, &subject),
        Behavior::Call(called) => call_activity::activate(run, &subject, called),
        Behavior::PassThrough => {
            subject.arm_boundary_events(run)?;
            pass(run, key)
        }
        Behavior::Exclusive { default } => gateway::exclusive(run, &subject, *default),
        Behavior::Inclusive { default, .. } => gateway::inclusive(run, &subject, *default),
        Behavior::Parallel => gateway::parallel(run, &subject),
        Behavior::EventBased { events } => event_based_gateway::activate(run, &subject, events),
    }
}

/// Completes, or tries again after an incident.
pub(crate) fn complete(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let subject = Subject::of(run, key)?;
    if subject.instance.kind == ElementKind::MultiInstanceBody {
        return multi_instance::complete(run, &subject);
    }
    match &subject.element().behavior {
        Behavior::Start { .. } => start_event::complete(run, &subject),
        Behavior::IntermediateThrow(throw) => throw_event::complete(run, &subject, throw),
        Behavior::End(throw) => end_event::complete(run, &subject, throw),
        _ => finish(run, &subject),
    }
}

/// Completes most kinds of elements: results are set, subscriptions closed, and the tokens go on.
fn finish(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    result::apply(run, subject.key)?;
    if subject.is_inner() {
        multi_instance::collect(run, subject)?;
    }
    subscription::close_all(run, subject.key)?;
    completed(run, subject.key)
}

/// Lets go of what the element holds. True if it must wait for a called instance to end.
pub(crate) fn terminate(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped<bool> {
    let element = run.element(key)?.clone();
    if let Some(job) = element.job {
        job_task::cancel(run, job)?;
    }
    if let Some(task) = element.user_task {
        user_task::cancel(run, task)?;
    }
    if element.kind == ElementKind::MultiInstanceBody {
        multi_instance::terminate(run, key)?;
    }
    match element.called {
        Some(called) => call_activity::terminate_called(run, called),
        None => Ok(false),
    }
}

/// Nothing to wait for: active, and on to completion.
fn pass(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    activated(run, key)?;
    run.push(Step::Complete { element: key });
    Ok(())
}
