//! Everything that a worker does: service, send, script and business rule tasks, thrown messages.

use super::Subject;
use crate::data::expression::type_name;
use crate::event::timer;
use crate::lifecycle::activated;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{JobTask, Source};
use tidemill_feel::{Number, Value};
use tidemill_model::entity::{
    ElementInstance, IncidentKind, Job, JobEvent, JobKind, JobLease, JobState, ProcessInstance,
};
use tidemill_model::{Event, JobKey, RawJson, Text};

pub(crate) fn activate(run: &mut Run<'_>, subject: &Subject, task: &JobTask) -> Stepped {
    let job_type = run.text(subject.key, &task.job_type)?;
    check_filled(&job_type, &task.job_type)?;
    let retries = retries(run, subject, &task.retries)?;
    let priority = match &task.priority {
        Some(source) => priority(run, subject, source)?,
        None => 0,
    };
    subject.arm_boundary_events(run)?;
    let headers = subject.element().headers.clone();
    create(run, subject, NewJob { job_type, retries, priority, headers })?;
    activated(run, subject.key)
}

/// No worker could ask for a job without a type.
fn check_filled(job_type: &Text, source: &Source) -> Stepped {
    let Source::Feel(expression) = source else { return Ok(()) };
    if !job_type.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Expected result of the expression '{}' to be a not-empty string, but was an empty string.",
        expression.text()
    );
    Err(Stop::fail(IncidentKind::ExtractValueError, message))
}

/// Fractions are cut off, as Camunda does; a number that is too large is told instead of becoming another one.
fn retries(run: &Run<'_>, subject: &Subject, source: &Source) -> Stepped<i32> {
    let given = run.integer(subject.key, source)?;
    i32::try_from(given).map_err(|_| {
        let expression = match source {
            Source::Static { text, .. } => text.as_str(),
            Source::Feel(expression) => expression.text(),
        };
        let message = format!(
            "Expected result of the expression '{expression}' for the job retries to be within the 32-bit signed range, \
             but was '{given}'."
        );
        Stop::fail(IncidentKind::ExtractValueError, message)
    })
}

/// A whole number; unlike the retries it may not have a fraction.
fn priority(run: &Run<'_>, subject: &Subject, source: &Source) -> Stepped<i32> {
    let Source::Feel(expression) = source else { return Ok(clamp(run.integer(subject.key, source)?)) };
    let outcome = run.evaluate(subject.key, expression, &[])?;
    let (value, wanted) = match &outcome.value {
        Value::Number(number) => match number.trunc_i64() {
            Some(whole) if Number::from(whole) == *number && i32::try_from(whole).is_ok() => {
                return Ok(clamp(whole));
            }
            _ => (number.to_string(), "an integer within the 32-bit signed range"),
        },
        other => (type_name(other).to_owned(), "'NUMBER'"),
    };
    let message = format!(
        "Expected result of the expression '{}' for the job priority to be {wanted}, but was '{value}'.",
        expression.text()
    );
    Err(Stop::fail(IncidentKind::ExtractValueError, message))
}

fn clamp(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(if number < 0 { i32::MIN } else { i32::MAX })
}

pub(super) struct NewJob {
    pub(super) job_type: Text,
    pub(super) retries: i32,
    pub(super) priority: i32,
    pub(super) headers: Option<RawJson>,
}

pub(super) fn create(run: &mut Run<'_>, subject: &Subject, new: NewJob) -> Stepped {
    let (key, now) = (run.new_key(), run.now);
    let origin = subject.instance.origin.clone();
    let instance = origin.instance;
    let business_id = run.get::<ProcessInstance>(instance).and_then(|instance| instance.business_id.clone());
    let (job_type, element_id) = (new.job_type.clone(), subject.instance.element_id.clone());
    run.insert(Job {
        key,
        origin,
        element_instance: subject.key,
        element: subject.instance.element,
        element_id: subject.instance.element_id.clone(),
        kind: JobKind::BpmnElement,
        job_type: new.job_type,
        retries: new.retries,
        priority: new.priority,
        state: JobState::Waiting,
        last_event: JobEvent::Created,
        headers: new.headers,
        lease: None,
        released: None,
        last_held: None,
        error_code: None,
        error_message: None,
        has_failed_with_retries_left: false,
        business_id,
        created_at: now,
        updated_at: now,
        ended_at: None,
    });
    run.change::<ElementInstance>(subject.key)?.job = Some(key);
    run.record(key, Some(instance), || Event::Job { job_type, element_id, event: JobEvent::Created });
    Ok(())
}

/// The job's element is being terminated.
pub(super) fn cancel(run: &mut Run<'_>, key: JobKey) -> Stepped {
    end(run, key, JobState::Canceled, JobEvent::Canceled)
}

/// The job is done in one way or another and leaves the live state.
pub(crate) fn end(run: &mut Run<'_>, key: JobKey, state: JobState, event: JobEvent) -> Stepped {
    if run.get::<Job>(key).is_none() {
        return Ok(());
    }
    let now = run.now;
    let job = run.change::<Job>(key)?;
    job.state = state;
    job.last_event = event;
    job.updated_at = now;
    job.ended_at = Some(now);
    let Some(job) = run.end::<Job>(key) else { return Ok(()) };
    drop_lease(run, key)?;
    if let Some(back_off) = run.index().back_offs.get(&key).copied() {
        timer::cancel(run, back_off)?;
    }
    if run.get::<ElementInstance>(job.element_instance).is_some() {
        run.change::<ElementInstance>(job.element_instance)?.job = None;
    }
    record(run, &job, event);
    Ok(())
}

/// The job is no longer held; a lease row goes when the last of its jobs is released.
pub(crate) fn drop_lease(run: &mut Run<'_>, job: JobKey) -> Stepped {
    let Some(lease) = run.index().leased.get(&job).copied() else { return Ok(()) };
    let Some(row) = run.get::<JobLease>(lease).filter(|row| row.holds(job)) else { return Ok(()) };
    if row.released.len() + 1 == row.jobs.len() {
        run.remove::<JobLease>(lease);
    } else {
        run.change::<JobLease>(lease)?.released.push(job);
    }
    Ok(())
}

pub(crate) fn record(run: &mut Run<'_>, job: &Job, event: JobEvent) {
    run.record(job.key, Some(job.origin.instance), || Event::Job {
        job_type: job.job_type.clone(),
        element_id: job.element_id.clone(),
        event,
    });
}
