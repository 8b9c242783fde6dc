//! Changes retries, deadline or priority of a job.

use super::job;
use crate::element::job_task;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::UpdateJob;
use tidemill_model::entity::{Job, JobEvent};
use tidemill_model::{Answer, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &UpdateJob) -> Stepped<Answer> {
    let key = command.job;
    let job = job::expect(run, key, "update")?;
    job::check_shown_lease(&job, command.lease)?;
    let problems = problems(command, &job);
    if !problems.is_empty() {
        return Err(Rejection::invalid_argument(problems.join(", ")).into());
    }
    let now = run.now;
    let changed = run.change::<Job>(key)?;
    changed.updated_at = now;
    let mut events = Vec::new();
    if let Some(retries) = command.retries {
        changed.retries = retries;
        events.push(JobEvent::RetriesUpdated);
    }
    if let (Some(timeout_ms), Some(lease)) = (command.timeout_ms, changed.lease.as_mut()) {
        lease.deadline = now + timeout_ms;
        events.push(JobEvent::TimeoutUpdated);
    }
    if let Some(priority) = command.priority {
        changed.priority = priority;
        events.push(JobEvent::PriorityUpdated);
    }
    changed.last_event = events.last().copied().unwrap_or(changed.last_event);
    // From now on the job's own row tells who holds it.
    job_task::drop_lease(run, key)?;
    for event in events {
        job_task::record(run, &job, event);
    }
    Ok(Answer::Done)
}

/// Everything that is wrong, so that a client need not find out one by one.
fn problems(command: &UpdateJob, job: &Job) -> Vec<String> {
    let key = command.job;
    let mut problems = Vec::new();
    if let Some(retries) = command.retries.filter(|retries| *retries < 1) {
        problems.push(format!(
            "Expected to update retries for job with key '{key}' with a positive amount of retries, but the \
             amount given was '{retries}'"
        ));
    }
    if command.timeout_ms.is_some() && job.lease.is_none() {
        problems
            .push(format!("Expected to update the timeout of job with key '{key}', but it is not active"));
    }
    problems
}
