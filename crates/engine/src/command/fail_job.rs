//! A worker could not do its job.

use super::job;
use crate::data::variables;
use crate::element::job_task;
use crate::event::timer;
use crate::incident;
use crate::run::Run;
use crate::stop::{Failure, Stepped};
use tidemill_model::command::FailJob;
use tidemill_model::entity::{IncidentKind, Job, JobEvent, JobState, TimerPurpose};
use tidemill_model::{Answer, Text};

pub(super) fn run(run: &mut Run<'_>, command: &FailJob) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let key = command.job;
    let job = job::expect_active(run, key, command.lease, "fail")?;
    run.element(job.element_instance)?;
    job::release(run, key)?;
    let now = run.now;
    let changed = run.change::<Job>(key)?;
    changed.retries = command.retries;
    changed.error_message = job::stored_message(command.error_message.as_ref());
    changed.last_event = JobEvent::Failed;
    changed.updated_at = now;
    changed.has_failed_with_retries_left = command.retries > 0;
    changed.state = match command.retries {
        ..=0 => JobState::Failed,
        _ if command.backoff_ms > 0 => JobState::BackingOff,
        _ => JobState::Waiting,
    };
    let state = changed.state;
    job_task::record(run, &job, JobEvent::Failed);
    variables::set_all_local(run, job.element_instance, &command.variables)?;
    match state {
        JobState::Failed => {
            let message = command.error_message.as_ref().filter(|message| !message.is_empty());
            let message = message.map_or("No more retries left.", Text::as_str);
            let failure = Failure { kind: IncidentKind::JobNoRetries, message: message.to_owned() };
            incident::raise(run, job.element_instance, failure, Some(key))?;
        }
        JobState::BackingOff => {
            let purpose = TimerPurpose::JobBackoff { origin: job.origin.clone(), job: key };
            let due = timer::Due::once(now + command.backoff_ms);
            timer::create(run, purpose, job.element_id.clone(), due);
        }
        _ => {}
    }
    Ok(Answer::Done)
}
