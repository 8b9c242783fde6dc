//! Jobs whose worker did not report in time can be handed out again; their retries stay as they are.

use super::job;
use crate::element::job_task;
use crate::need::Missed;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::Answer;
use tidemill_model::command::ExpireLeases;
use tidemill_model::entity::{Job, JobEvent};

pub(super) fn run(run: &mut Run<'_>, command: &ExpireLeases) -> Stepped<Answer> {
    let mut missed = Missed::default();
    for key in &command.jobs {
        missed.unless_missing(job::find(run, *key))?;
    }
    missed.stop_if_any()?;
    for key in &command.jobs {
        let Some(job) = job::find(run, *key)? else { continue };
        let is_over = job.lease.as_ref().is_some_and(|lease| lease.deadline <= command.at);
        if !is_over {
            continue;
        }
        job::release(run, *key)?;
        let now = run.now;
        let changed = run.change::<Job>(*key)?;
        changed.last_event = JobEvent::TimedOut;
        changed.updated_at = now;
        job_task::record(run, &job, JobEvent::TimedOut);
    }
    Ok(Answer::Done)
}
