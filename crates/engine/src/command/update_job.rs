//! Changes retries, deadline or priority of a job.

use super::job;
use crate::element::job_task;
use crate::run::Run;
use crate::stop::Step;
use tidemill_model::command::UpdateJob;
use tidemill_model::entity::{Job, JobEvent};
use tidemill_model::{Answer, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &UpdateJob) -> Step<Answer> {
    let key = command.job;
    let job = job::expect(run, key, "update")?;
    if let Some(retries) = command.retries.filter(|retries| *retries < 1) {
        return Err(Rejection::invalid_argument(format!(
            "Expected to update retries for job with key '{key}' with a positive amount of retries, but the \
             amount given was '{retries}'"
        ))
        .into());
    }
    if command.timeout_ms.is_some() && job.lease.is_none() {
        return Err(Rejection::invalid_argument(format!(
            "Expected to update the timeout of job with key '{key}', but it is not active"
        ))
        .into());
    }
    let now = run.now;
    let changed = run.change::<Job>(key)?;
    changed.updated_at = now;
    if let Some(priority) = command.priority {
        changed.priority = priority;
        changed.last_event = JobEvent::PriorityUpdated;
    }
    if let (Some(timeout_ms), Some(lease)) = (command.timeout_ms, changed.lease.as_mut()) {
        lease.deadline = now + timeout_ms;
        changed.last_event = JobEvent::TimeoutUpdated;
    }
    if let Some(retries) = command.retries {
        changed.retries = retries;
        changed.last_event = JobEvent::RetriesUpdated;
    }
    let event = changed.last_event;
    // From now on the job's own row tells who holds it.
    job_task::drop_lease(run, key)?;
    job_task::record(run, &job, event);
    Ok(Answer::Done)
}
