//! Resolves an incident: the failed step runs again, or the failed job can be handed out again.

use super::job;
use crate::run::Run;
use crate::stop::Stepped;
use crate::{incident, unreadable};
use tidemill_model::command::ResolveIncident;
use tidemill_model::entity::{Incident, Job, JobState};
use tidemill_model::{Answer, Need, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &ResolveIncident) -> Stepped<Answer> {
    let key = command.incident;
    let Some(found) = run.find::<Incident>(key, || Need::instance_of::<Incident>(key))?.cloned() else {
        return Err(Rejection::not_found(format!(
            "Expected to resolve incident with key '{key}', but no such incident was found"
        ))
        .into());
    };
    if unreadable::is_of_definition(&found) {
        // As long as it cannot be read the incident stays.
        run.definition(found.origin.definition)?;
    }
    let Some(job) = found.job else {
        incident::resolve(run, key)?;
        return Ok(Answer::Done);
    };
    let retries = job::find(run, job)?.map_or(0, |job| job.retries);
    if retries <= 0 {
        return Err(Rejection::invalid_state(format!(
            "Expected to resolve incident with key '{key}', but job with key '{job}' has no retries left. Please update \
             the job retries and retry resolving the incident"
        ))
        .into());
    }
    run.change::<Job>(job)?.state = JobState::Waiting;
    incident::close(run, key)?;
    Ok(Answer::Done)
}
