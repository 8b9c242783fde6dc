//! Leases: which worker holds a job, for how long, and what a lease token is good for.

use super::one_job;
use crate::support::workers::{activation, failure, update};
use crate::support::{Harness, scenario};
use tidemill_model::command::{ActivateJobs, Command, CreateInstance, DefinitionRef};
use tidemill_model::entity::JobEvent;
use tidemill_model::{Entity, LeaseKey, RejectionCode, TenantId, Text, Variables};

fn lease_rows(engine: &Harness) -> usize {
    engine.store.of(|entity| matches!(entity, Entity::JobLease(_)).then_some(())).len()
}

#[test]
fn a_job_that_times_out_can_be_handed_out_again_with_its_retries() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.activate("work", 1)[0].job.clone();
        engine.advance(59_999);
        assert_eq!(engine.activate("work", 1).len(), 0);
        engine.advance(1);
        engine.expect(&["job work Activated", "job work TimedOut"]);
        assert_eq!(engine.job("work").last_event, JobEvent::TimedOut);
        let again = engine.activate("work", 1);
        assert_eq!(again.len(), 1, "\n{}", engine.log());
        assert_eq!((again[0].job.key, again[0].job.retries), (job.key, job.retries));
        assert_ne!(again[0].job.lease.as_ref().map(|l| l.key), job.lease.as_ref().map(|l| l.key));
    });
}

#[test]
fn leases_survive_a_new_owner() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.start("p", "{}");
        assert_eq!(engine.activate("work", 2).len(), 2);
        engine.reload();
        assert_eq!(engine.activate("work", 2).len(), 0, "still held");
        engine.advance(60_000);
        engine.reload();
        assert_eq!(engine.activate("work", 2).len(), 2, "\n{}", engine.log());
    });
}

#[test]
fn one_row_holds_all_jobs_of_an_activation_until_the_last_is_released() {
    scenario(|engine| {
        engine.deploy(&one_job());
        for _ in 0..3 {
            engine.start("p", "{}");
        }
        let jobs = engine.activate("work", 3);
        assert_eq!(lease_rows(engine), 1);
        engine.complete_job(jobs[0].job.key, "{}").expect("accepted");
        engine.try_fail(failure(jobs[1].job.key, 1)).expect("accepted");
        assert_eq!(lease_rows(engine), 1, "one is still held");
        engine.reload();
        let again = engine.activate("work", 3);
        assert_eq!(again.iter().map(|job| job.job.key).collect::<Vec<_>>(), [jobs[1].job.key]);
        engine.complete_job(jobs[2].job.key, "{}").expect("accepted");
        engine.complete_job(jobs[1].job.key, "{}").expect("accepted");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_handed_out_in_the_batch_that_made_it_carries_its_lease_itself() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let create = CreateInstance {
            definition: DefinitionRef::Latest(Text::from("p")),
            tenant: TenantId::default(),
            variables: Variables::default(),
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
            is_unique: false,
        };
        engine.run_batch(vec![
            Command::CreateInstance(Box::new(create)),
            Command::ActivateJobs(activation("work")),
        ]);
        assert_eq!(lease_rows(engine), 0);
        assert!(engine.job("work").lease.is_some());
        engine.reload();
        assert_eq!(engine.activate("work", 1).len(), 0, "still held");
        engine.advance(60_000);
        assert_eq!(engine.activate("work", 1).len(), 1);
        engine.complete("work", "{}");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_activated_again_after_a_time_out_times_out_again() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        for _ in 0..3 {
            assert_eq!(engine.activate("work", 1).len(), 1);
            engine.reload();
            engine.advance(60_000);
        }
        assert_eq!(engine.count("job work TimedOut"), 3);
    });
}

#[test]
fn a_later_deadline_keeps_the_job_held() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.activate("work", 1)[0].job.key;
        let mut command = update(job);
        command.timeout_ms = Some(120_000);
        engine.update_job(command).expect("accepted");
        engine.reload();
        engine.advance(119_999);
        assert_eq!(engine.activate("work", 1).len(), 0);
        engine.advance(1);
        assert_eq!(engine.activate("work", 1).len(), 1);
    });
}

#[test]
fn a_waiting_job_has_no_deadline_to_move() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let mut command = update(engine.job("work").key);
        command.timeout_ms = Some(1);
        let refused = engine.update_job(command).expect_err("nobody holds it");
        assert_eq!(refused.code, RejectionCode::InvalidArgument);
        assert!(refused.reason.ends_with("but it is not active"), "{refused}");
    });
}

#[test]
fn without_a_token_anybody_may_report_on_a_held_job() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        let job = engine.activate("work", 1)[0].job.key;
        engine.complete_job(job, "{}").expect("accepted");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_held_with_a_token_asks_for_it() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        let held = engine.activate_with(ActivateJobs { with_lease: true, ..activation("work") });
        let job = held[0].job.key;
        let token = held[0].job.lease.as_ref().map(|lease| lease.key);
        for wrong in [None, Some(LeaseKey(1))] {
            let refused = engine.try_complete(job, wrong).expect_err("not the holder");
            assert_eq!(refused.code, RejectionCode::InvalidState);
        }
        let refused = engine.try_fail(failure(job, 1)).expect_err("not the holder");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        let refused = engine.try_throw(job, "E").expect_err("not the holder");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        engine.try_complete(job, token).expect("the holder");
        engine.expect_completed(p);
    });
}

#[test]
fn a_token_is_worth_nothing_once_somebody_else_holds_the_job() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let with_lease = || ActivateJobs { with_lease: true, ..activation("work") };
        let first = engine.activate_with(with_lease())[0].job.clone();
        engine.advance(60_000);
        assert_eq!(engine.activate_with(with_lease()).len(), 1);
        let refused =
            engine.try_complete(first.key, first.lease.as_ref().map(|l| l.key)).expect_err("too late");
        assert_eq!(refused.code, RejectionCode::InvalidState);
    });
}

#[test]
fn a_token_that_has_run_out_still_counts_while_nobody_else_holds_the_job() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        let held = engine.activate_with(ActivateJobs { with_lease: true, ..activation("work") });
        let job = held[0].job.clone();
        engine.advance(60_000);
        let refused = engine.try_complete(job.key, Some(LeaseKey(1))).expect_err("a wrong token");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        engine.try_complete(job.key, job.lease.as_ref().map(|lease| lease.key)).expect("late but right");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_update_needs_no_token_but_a_wrong_one_is_refused() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let held = engine.activate_with(ActivateJobs { with_lease: true, ..activation("work") });
        let mut command = update(held[0].job.key);
        command.retries = Some(5);
        command.lease = Some(LeaseKey(1));
        let refused = engine.update_job(command.clone()).expect_err("a wrong token");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        command.lease = None;
        engine.update_job(command).expect("an operator needs none");
        assert_eq!(engine.job("work").retries, 5);
    });
}

#[test]
fn a_job_that_was_handed_out_again_leaves_no_lease_behind_whatever_becomes_of_the_first() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let (first, second) = (engine.start("p", "{}"), engine.start("p", "{}"));
        let jobs: Vec<_> = engine.activate("work", 2).iter().map(|job| job.job.key).collect();
        engine.try_fail(failure(jobs[1], 2)).expect("accepted");
        assert_eq!(engine.activate("work", 2).len(), 1, "the second again, under a lease of its own");
        engine.complete_job(jobs[0], "{}").expect("accepted");
        engine.expect_completed(first);
        engine.cancel(second).expect("it lives");
        engine.expect_nothing_left();
    });
}
