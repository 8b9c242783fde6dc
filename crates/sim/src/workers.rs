//! Workers: they complete, fail or forget jobs.

use crate::client::{Outcome, options, send};
use crate::creators::number;
use crate::ledger::{Holder, Received};
use crate::models::JOB_TYPE;
use crate::world::World;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::command::{ActivateJobs, CompleteJob, FailJob};
use tidemill_model::entity::JobEvent;
use tidemill_model::{ActivatedJob, Command, LeaseKey, RawJson, RejectionCode, TenantId, Text, Variables};
use tidemill_server::broker::Broker;
use tidemill_store::query::Searches;

/// Clocks count whole milliseconds.
const LATE_MS_MAX: i64 = 2;
/// So often is a completion sent again that is not answered.
const TRIES_MAX: u64 = 40;

/// Takes some jobs and does something about them.
pub(crate) async fn work(world: &Arc<World>, worker: usize) {
    // Some take jobs for less time than a commit may take.
    let timeout_ms = match world.below(100) {
        0..8 => world.between(5, 60),
        8..20 => world.between(100, 800),
        _ => world.between(1_500, 9_000),
    };
    let wait_ms = world.below(3) * world.between(0, 2_500);
    let command = ActivateJobs {
        job_type: Text::from(JOB_TYPE),
        worker: Text::from(format!("worker-{worker}")),
        timeout_ms: i64::try_from(timeout_ms).unwrap_or(i64::MAX),
        jobs_max: u32::try_from(world.between(1, 6)).unwrap_or(1),
        fetch_variables: vec![Text::from("key")],
        tenants: vec![TenantId::default()],
        with_lease: world.percent(50),
    };
    let (sent_ms, inside, with_lease) = (world.now_ms(), world.clone(), command.with_lease);
    let sent = send(world, wait_ms + 12_000, move |node| {
        Box::pin(async move {
            let jobs = node.activate_jobs(command, options(None), Duration::from_millis(wait_ms)).await;
            if let Ok(jobs) = &jobs {
                jobs.iter().for_each(|job| check_lease(&inside, job, sent_ms));
            }
            jobs
        })
    });
    let Outcome::Answered(jobs) = sent.await else { return world.pause(50, 500).await };
    let mut held = Vec::new();
    for job in jobs {
        if receive(world, &job, sent_ms, timeout_ms, with_lease) {
            held.push(job);
        }
    }
    for job in held {
        let world_of_job = world.clone();
        world.spawn(crate::executor::OUTSIDE, async move {
            handle(&world_of_job, &job, timeout_ms, with_lease).await
        });
    }
    world.pause(0, 200).await;
}

/// A node hands out only what the worker can still hold.
fn check_lease(world: &World, job: &ActivatedJob, sent_ms: u64) {
    let Some(lease) = &job.job.lease else { return };
    let late_ms = world.time_of_day() - lease.deadline;
    let was_paused =
        world.members().iter().any(|member| member.last_pause_ms.is_some_and(|at| at >= sent_ms));
    if late_ms > LATE_MS_MAX && !was_paused && world.store_offset_ms() == 0 {
        world.violation(format!("job {} was handed out {late_ms} ms after its lease", job.job.key.0));
    }
}

/// Notes that the job has come. False where it is of nobody.
fn receive(world: &World, job: &ActivatedJob, sent_ms: u64, timeout_ms: u64, has_token: bool) -> bool {
    let (key, element_id) = (job.job.key.0, job.job.element_id.as_str());
    let Some(entry) = job.job.business_id.as_deref().and_then(number) else {
        world.violation(format!("job {key} is of nobody"));
        return false;
    };
    let now_ms = world.now_ms();
    // The clock of the partition may be ahead of the true one after the store's clock was set back.
    let Some(lease) = &job.job.lease else {
        world.violation(format!("job {key} has no lease"));
        return false;
    };
    let until_ms = match world.store_offset_ms() {
        0 => now_ms.saturating_add_signed(lease.deadline - world.time_of_day()),
        _ => sent_ms + timeout_ms,
    };
    world.note(|| format!("job {key} of entry {entry} ({element_id}) is held until {until_ms}"));
    let holder = Holder { lease: lease.key, has_token, until_ms };
    let wrong = world.ledger().received(&Received { job: key, entry, element_id, sent_ms, now_ms, holder });
    wrong.into_iter().for_each(|text| world.violation(text));
    true
}

async fn handle(world: &Arc<World>, job: &ActivatedJob, timeout_ms: u64, has_token: bool) {
    let token = job.job.lease.as_ref().filter(|_| has_token).map(|lease| lease.key);
    let is_rough = world.is_rough.load(std::sync::atomic::Ordering::Relaxed);
    match world.below(100) {
        // Works longer than it holds the job, now and then.
        0..8 if is_rough => world.pause(timeout_ms, timeout_ms + 2_000).await,
        _ => world.pause(0, 300).await,
    }
    match world.below(100) {
        0..6 if is_rough => {}
        6..14 if is_rough => fail(world, job, token).await,
        _ => complete(world, job, token).await,
    }
}

async fn fail(world: &Arc<World>, job: &ActivatedJob, token: Option<LeaseKey>) {
    let retries = i32::from(world.percent(70));
    let backoff_ms = i64::try_from(world.below(2) * world.between(0, 3_000)).unwrap_or(0);
    let command = Command::FailJob(FailJob {
        job: job.job.key,
        retries,
        backoff_ms,
        error_message: Some(Text::from("simulated")),
        variables: Variables::default(),
        lease: token,
    });
    world.ledger().fails(job.job.key.0, token, world.now_ms());
    let failed =
        send(world, 12_000, |node| Box::pin(async move { node.execute(command, options(None)).await }));
    let outcome = failed.await;
    if token.is_none() && !matches!(outcome, Outcome::Unknown | Outcome::PutAside) {
        world.ledger().has_failed(job.job.key.0, world.now_ms());
    }
    world.note(|| format!("job {} fails with {retries} retries left: {outcome:?}", job.job.key.0));
}

async fn complete(world: &Arc<World>, job: &ActivatedJob, lease: Option<LeaseKey>) {
    let (key, now_ms) = (job.job.key, world.now_ms());
    let token = world.ledger().tries(key.0, now_ms);
    let mut variables = Variables::default();
    variables.set(format!("token_{}", key.0), RawJson::new(token.to_string()));
    let command = Command::CompleteJob(CompleteJob { business_id: None, job: key, variables, lease });
    let idempotency = world.percent(50).then(|| format!("complete-{token}"));
    let mut may_have_run = false;
    for _ in 0..TRIES_MAX {
        let (command, options) = (command.clone(), options(idempotency.clone()));
        let sent = send(world, 12_000, |node| Box::pin(async move { node.execute(command, options).await }));
        let outcome = sent.await;
        world.note(|| format!("completion {token} of job {}: {outcome:?}", key.0));
        match &outcome {
            Outcome::Answered(_) => {
                let twice = world.ledger().completed(key.0, token);
                twice.into_iter().for_each(|text| world.violation(text));
                return check_completed(world, job).await;
            }
            // An earlier copy of it may still be on its way.
            Outcome::PutAside => return,
            Outcome::Refused(_) | Outcome::Unreadable if idempotency.is_some() || !may_have_run => {
                if matches!(&outcome, Outcome::Refused(refusal) if refusal.code == RejectionCode::NotFound) {
                    world.ledger().is_missing(key.0, world.now_ms());
                }
                // It never had its effect, and never will.
                if let Some(note) = world.ledger().jobs.get_mut(&key.0) {
                    note.tried.retain(|tried| *tried != token);
                }
                return;
            }
            Outcome::Refused(_) | Outcome::Unreadable => return,
            Outcome::Unknown => may_have_run = true,
            _ => {}
        }
        world.pause(50, 800).await;
    }
}

/// A search sees what was answered.
async fn check_completed(world: &World, job: &ActivatedJob) {
    match world.store().job(job.job.key).await {
        Ok(Some(view)) if view.state == JobEvent::Completed => {}
        Ok(None) if world.ledger().may_be_deleted(job.job.origin.instance) => {}
        other => world.violation(format!(
            "the completion of job {} was answered, but it is {:?}",
            job.job.key.0,
            other.map(|view| view.map(|view| view.state))
        )),
    }
}
