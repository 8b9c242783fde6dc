//! Checks that all commands on jobs make first.

use crate::incident::storable;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_model::entity::{Job, JobState, LastHeld};
use tidemill_model::{JobKey, LeaseKey, Need, Rejection, Text};

pub(super) fn find(run: &Run<'_>, key: JobKey) -> Stepped<Option<Arc<Job>>> {
    Ok(run.find::<Job>(key, || Need::instance_of::<Job>(key))?.cloned())
}

pub(super) fn expect(run: &Run<'_>, key: JobKey, verb: &str) -> Stepped<Arc<Job>> {
    find(run, key)?.ok_or_else(|| {
        Rejection::not_found(format!("Expected to {verb} job with key '{key}', but no such job was found"))
            .into()
    })
}

/// A job that a worker may report on: waiting or activated, and held by nobody else.
pub(super) fn expect_active(
    run: &Run<'_>,
    key: JobKey,
    lease: Option<LeaseKey>,
    verb: &str,
) -> Stepped<Arc<Job>> {
    let job = expect(run, key, verb)?;
    let state = match job.state {
        JobState::Waiting => return check_lease(job, lease),
        JobState::BackingOff | JobState::Failed => "FAILED",
        JobState::ErrorThrown => "ERROR_THROWN",
        JobState::Completed => "COMPLETED",
        JobState::Canceled => "CANCELED",
    };
    Err(Rejection::invalid_state(format!(
        "Expected to {verb} job with key '{key}', but it is in state '{state}'"
    ))
    .into())
}

fn check_lease(job: Arc<Job>, lease: Option<LeaseKey>) -> Stepped<Arc<Job>> {
    let held = job.lease.as_ref().filter(|held| held.is_exclusive).map(|held| held.key);
    // A token that was shown must be right even if the lease has passed to somebody else meanwhile. One that
    // has run out still counts while nobody else holds the job.
    let is_right = match (held, lease) {
        (Some(held), shown) => shown == Some(held),
        (None, Some(shown)) => job.lease.as_ref().map(|held| held.key).or(job.released) == Some(shown),
        (None, None) => true,
    };
    if is_right { Ok(job) } else { Err(wrong_lease(&job, lease)) }
}

/// For changes that need no token: one that is shown must not be somebody else's.
pub(super) fn check_shown_lease(job: &Job, lease: Option<LeaseKey>) -> Stepped {
    let held = job.lease.as_ref().filter(|held| held.is_exclusive).map(|held| held.key);
    match (held, lease) {
        (Some(held), Some(shown)) if held != shown => Err(wrong_lease(job, lease)),
        _ => Ok(()),
    }
}

fn wrong_lease(job: &Job, shown: Option<LeaseKey>) -> Stop {
    let why = match shown {
        None => "a matching lease token must be provided because the job is currently leased",
        Some(_) => {
            "the supplied lease token does not match. The job may have been re-activated by another worker."
        }
    };
    Rejection::invalid_state(format!("Expected to process job with key '{}', but {why}", job.key)).into()
}

/// Ends the lease of a job that is no longer held, and remembers its key: a worker may still show it.
pub(super) fn release(run: &mut Run<'_>, key: JobKey) -> Stepped {
    crate::element::job_task::drop_lease(run, key)?;
    let job = run.change::<Job>(key)?;
    if let Some(lease) = job.lease.take() {
        job.released = Some(lease.key);
        job.last_held = Some(LastHeld { worker: lease.worker, deadline: lease.deadline });
    }
    Ok(())
}

/// A worker's message as the job keeps it: cut like that of an incident, because lists of jobs show it.
pub(super) fn stored_message(message: Option<&Text>) -> Option<Text> {
    message.map(|message| storable(message.as_str().to_owned()).into())
}
