//! Hands out waiting jobs: higher priority first, then older first.

use super::job;
use crate::need::Missed;
use crate::run::Run;
use crate::stop::Stepped;
use crate::unreadable;
use std::sync::Arc;
use tidemill_model::command::ActivateJobs;
use tidemill_model::entity::{Job, JobLease, Lease};
use tidemill_model::{ActivatedJob, Answer, Event, JobKey, LeaseKey};

/// Jobs that one activation hands out at most.
const JOBS_PER_COMMAND_MAX: usize = 1_000;
/// Bytes of variables and headers after which no further job is added, so that an answer stays small enough to send.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

pub(super) fn run(run: &mut Run<'_>, command: &ActivateJobs) -> Stepped<Answer> {
    let jobs_max = (command.jobs_max as usize).min(JOBS_PER_COMMAND_MAX);
    loop {
        let candidates = run.waiting_jobs(&command.job_type, &command.tenants, jobs_max)?;
        let jobs = load(run, &candidates)?;
        let (mut chosen, passed_over) = choose(run, command, jobs)?;
        let is_done = passed_over.is_empty() || !chosen.is_empty();
        for job in passed_over {
            run.pass_over(&job);
        }
        if !chosen.is_empty() {
            lease(run, command, &mut chosen)?;
        }
        if is_done {
            unreadable::raise_for_passed_over(run)?;
            return Ok(Answer::Activated(chosen));
        }
    }
}

/// As many as one answer takes. Each job may be of another definition, or of an instance of which little is in memory. Jobs are passed
/// over if this version cannot read their definition: their reports would be rejected, so the work would be done in vain.
fn choose(
    run: &Run<'_>,
    command: &ActivateJobs,
    jobs: Vec<Arc<Job>>,
) -> Stepped<(Vec<ActivatedJob>, Vec<Arc<Job>>)> {
    let mut missed = Missed::default();
    let (mut chosen, mut passed_over) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    for job in jobs {
        if run.is_unreadable(job.origin.definition) {
            passed_over.push(job);
            continue;
        }
        let Some(activated) = missed.unless_missing(describe(run, command, job))? else { continue };
        let headers = activated.job.headers.as_ref().map_or(0, |headers| headers.as_str().len());
        let size = activated.variables.as_str().len() + headers;
        run.work.charge_bytes(size as u64);
        bytes += size;
        if bytes > ANSWER_BYTES_MAX && !chosen.is_empty() {
            break;
        }
        chosen.push(activated);
    }
    missed.stop_if_any()?;
    Ok((chosen, passed_over))
}

/// All candidates, or everything that is missing at once.
fn load(run: &Run<'_>, candidates: &[JobKey]) -> Stepped<Vec<Arc<Job>>> {
    let mut missed = Missed::default();
    let mut jobs = Vec::new();
    for key in candidates {
        jobs.extend(missed.unless_missing(job::find(run, *key))?.flatten());
    }
    missed.stop_if_any()?;
    Ok(jobs)
}

fn describe(run: &Run<'_>, command: &ActivateJobs, job: Arc<Job>) -> Stepped<ActivatedJob> {
    let variables = run.visible_for_worker(job.element_instance, &command.fetch_variables)?.to_json();
    let definition = run.definition(job.origin.definition)?;
    let tags = run.instance(job.origin.instance)?.tags.clone();
    Ok(ActivatedJob {
        process_id: definition.head.process_id.clone(),
        version: definition.head.version,
        tags,
        variables,
        job,
    })
}

/// A job whose row this batch writes anyway carries its lease itself; the others share one row.
fn lease(run: &mut Run<'_>, command: &ActivateJobs, chosen: &mut [ActivatedJob]) -> Stepped {
    let key: LeaseKey = run.new_key();
    let lease = Lease {
        key,
        worker: command.worker.clone(),
        deadline: run.now + command.timeout_ms,
        is_exclusive: command.with_lease,
    };
    let mut stored = Vec::new();
    for activated in chosen {
        let job = activated.job.key;
        if run.is_dirty::<Job>(job) {
            run.change::<Job>(job)?.lease = Some(lease.clone());
        } else {
            run.patch::<Job>(job, |job| job.lease = Some(lease.clone()));
            stored.push(job);
        }
        if let Some(job) = run.get::<Job>(job) {
            activated.job = job.clone();
        }
        run.record(job, Some(activated.job.origin.instance), || Event::JobActivated {
            job_type: command.job_type.clone(),
            worker: command.worker.clone(),
        });
    }
    if !stored.is_empty() {
        run.insert(JobLease { lease, jobs: stored, released: Vec::new() });
    }
    Ok(())
}
