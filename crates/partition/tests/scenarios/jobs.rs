//! Workers: who gets which jobs, and that no job is with two of them.

use crate::support::*;
use tidemill_partition::{Effect, Event, Read, Request};

#[test]
fn a_worker_that_waits_gets_the_jobs_of_the_batch_that_makes_them() {
    let mut bench = Bench::with(&[work()]);
    let worker = bench.poll(60_000);
    bench.settle();
    assert_eq!(bench.job_count(worker), None);
    bench.send(create("work"));
    bench.settle_unwritten();
    assert_eq!(bench.job_count(worker), None, "not before the commit has landed");
    bench.settle();
    assert_eq!(bench.job_count(worker), Some(1));
}

#[test]
fn jobs_whose_lease_ran_out_during_the_commit_are_handed_out_later() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let worker = bench.poll_for(activate(2_000), Some(60_000));
    bench.settle_unwritten();
    assert!(bench.callers.of(worker).is_claimed);
    bench.pass(2_000);
    bench.land(Fate::Written);
    assert_eq!(bench.job_count(worker), None, "another worker may get the job by now");
    assert!(!bench.callers.of(worker).is_claimed, "another partition may serve the worker");
    bench.pass(SLACK_MS);
    bench.settle();
    assert_eq!(bench.job_count(worker), Some(1), "when the lease was taken back");
    let second = bench.poll(0);
    bench.settle();
    assert_eq!(bench.job_count(second), Some(0), "nobody else has it");
}

#[test]
fn jobs_whose_lease_ran_out_during_a_recovery_are_handed_out_later() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let worker = bench.poll_for(activate(2_000), Some(60_000));
    bench.settle_then(Fate::LostAfter);
    bench.turn();
    let recovered = bench.take_answer(|read| matches!(read, Read::Recovery { .. }));
    bench.pass(2_000);
    bench.offer(recovered);
    assert_eq!(bench.job_count(worker), None, "another worker may get the job by now");
    bench.pass(SLACK_MS);
    bench.settle();
    assert_eq!(bench.job_count(worker), Some(1), "when the lease was taken back");
}

#[test]
fn a_worker_that_another_partition_serves_is_left_alone_until_it_is_free() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let worker = bench.poll(60_000);
    bench.callers.of(worker).is_served_elsewhere = true;
    bench.settle();
    assert_eq!(bench.job_count(worker), None);
    let other = bench.poll(0);
    bench.settle();
    assert_eq!(bench.job_count(other), Some(1), "it does not hold up those behind it");
    bench.started("work");
    bench.settle();
    bench.callers.of(worker).is_served_elsewhere = false;
    bench.offer(Event::PollerIsFree);
    bench.settle();
    assert_eq!(bench.job_count(worker), Some(1));
}

#[test]
fn a_claim_is_given_up_while_the_jobs_are_read() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    bench.hand_over();
    bench.keep_back(|read| matches!(read, Read::Rows(_)));
    let worker = bench.poll(60_000);
    bench.settle();
    assert!(!bench.callers.of(worker).is_claimed, "nothing was handed out yet");
    bench.keep_back(|_| false);
    bench.settle();
    assert_eq!(bench.job_count(worker), Some(1));
}

#[test]
fn a_claim_is_given_up_when_the_batch_is_void() {
    for fate in [Fate::LostBefore, Fate::Refused, Fate::Fenced] {
        let mut bench = Bench::with(&[work()]);
        let instance = bench.started("work");
        bench.send(set_variables(instance, "{}"));
        let worker = bench.poll(60_000);
        bench.settle_unwritten();
        assert!(bench.callers.of(worker).is_claimed);
        bench.land(fate);
        bench.turn();
        bench.answer_read(|read| matches!(read, Read::Recovery { .. }));
        assert!(!bench.callers.of(worker).is_claimed, "after {fate:?}");
        bench.settle();
        assert_eq!(bench.job_count(worker), Some(1), "after {fate:?}");
    }
}

#[test]
fn a_claim_is_given_up_when_nobody_knows_what_became_of_the_batch() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let worker = bench.poll(60_000);
    bench.settle_then(Fate::LostBefore);
    bench.recovery_is_in_vain(None);
    assert!(!bench.callers.of(worker).is_claimed, "another partition may serve it");

    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let worker = bench.poll(60_000);
    bench.settle_then(Fate::Fatal);
    assert!(bench.core.is_finished());
    assert!(!bench.callers.of(worker).is_claimed, "another partition may serve it");
}

#[test]
fn a_worker_whose_time_is_up_is_sent_away_and_one_that_has_left_gets_nothing() {
    let mut bench = Bench::with(&[work()]);
    let (late, gone) = (bench.poll(1_000), bench.poll(60_000));
    bench.settle();
    assert_eq!(bench.core.idle_ms(&bench.moment), Some(1_000));
    bench.pass(1_000);
    bench.settle();
    assert_eq!(bench.job_count(late), Some(0));
    bench.callers.of(gone).has_left = true;
    bench.started("work");
    bench.settle();
    assert_eq!(bench.job_count(gone), None);
    let next = bench.poll(0);
    bench.settle();
    assert_eq!(bench.job_count(next), Some(1));
}

#[test]
fn watchers_hear_when_asking_is_worth_while() {
    let mut bench = Bench::with(&[work()]);
    bench.poll(0);
    bench.settle();
    let watcher = bench.request(Request::WatchJobs { job_type: "t".into() });
    bench.settle();
    let is_told = |bench: &Bench| {
        let told =
            |effect: &Effect| matches!(effect, Effect::JobsMayBeThere { call, .. } if *call == watcher);
        bench.effects.iter().any(told)
    };
    assert!(!is_told(&bench));
    bench.started("work");
    bench.settle();
    assert!(is_told(&bench));
}

#[test]
fn a_worker_that_comes_after_the_waits_were_ended_gets_what_there_is_and_does_not_wait() {
    let mut bench = Bench::with(&[work()]);
    let before = bench.poll(60_000);
    bench.settle();
    bench.offer(Event::EndWaits);
    assert_eq!(bench.job_count(before), Some(0));
    let after = bench.poll(60_000);
    bench.settle();
    assert_eq!(bench.job_count(after), Some(0));
}

#[test]
fn a_job_is_with_one_worker_at_a_time() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let workers: Vec<_> = (0..5).map(|_| bench.poll(60_000)).collect();
    bench.settle();
    let served = |bench: &Bench| workers.iter().filter(|worker| bench.job_count(**worker) == Some(1)).count();
    assert_eq!(served(&bench), 1);
    bench.pass(9_999);
    bench.settle();
    assert_eq!(served(&bench), 1);
    bench.pass(1 + SLACK_MS);
    bench.settle();
    assert_eq!(served(&bench), 2, "the lease has run out");
}
