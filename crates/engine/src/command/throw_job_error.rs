//! A worker throws a BPMN error instead of completing its job.

use super::job;
use crate::data::variables;
use crate::element::job_task;
use crate::event::propagation::{self, Thrown};
use crate::incident;
use crate::run::Run;
use crate::stop::{Failure, Stepped};
use tidemill_model::Answer;
use tidemill_model::command::ThrowJobError;
use tidemill_model::entity::{IncidentKind, Job, JobEvent, JobState};

pub(super) fn run(run: &mut Run<'_>, command: &ThrowJobError) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let key = command.job;
    let job = job::expect_active(run, key, command.lease, "throw an error for")?;
    let element = job.element_instance;
    let code = &command.error_code;
    let catcher = propagation::find(run, element, Thrown::Error, code)?;
    let now = run.now;
    job::release(run, key)?;
    let changed = run.change::<Job>(key)?;
    changed.error_code = Some(code.clone());
    changed.error_message = job::stored_message(command.error_message.as_ref());
    changed.updated_at = now;
    match catcher {
        Ok(catcher) => {
            job_task::end(run, key, JobState::ErrorThrown, JobEvent::ErrorThrown)?;
            let payload = command.variables.clone();
            propagation::deliver(run, element, Some(&catcher), Thrown::Error, code, payload)?;
        }
        Err(uncaught) => {
            changed.state = JobState::ErrorThrown;
            changed.last_event = JobEvent::ErrorThrown;
            job_task::record(run, &job, JobEvent::ErrorThrown);
            let message = uncaught.explain(code, command.error_message.as_deref());
            let failure = Failure { kind: IncidentKind::UnhandledErrorEvent, message };
            incident::raise(run, element, failure, Some(key))?;
        }
    }
    Ok(Answer::Done)
}
