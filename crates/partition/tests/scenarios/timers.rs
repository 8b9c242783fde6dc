//! Timers: read beside the core, fired once whatever the store does, and a test clock that jumps.

use crate::support::*;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_model::{Answer, Change, Entity};
use tidemill_partition::{Closed, Read, Request};

fn timers(read: &Read) -> bool {
    matches!(read, Read::Timers { .. })
}

#[test]
fn a_timer_fires_when_it_is_due_and_not_before() {
    let mut bench = Bench::with(&[sleep()]);
    let instance = bench.started("sleep");
    let idle_ms = bench.core.idle_ms(&bench.moment).expect("the timer is waited for");
    assert!((10_000..=SLEEP_MS).contains(&idle_ms), "{idle_ms}");
    bench.pass(9_999);
    bench.settle();
    assert_eq!(bench.state_of(instance).as_deref(), Some("ACTIVE"));
    bench.pass(1 + SLACK_MS);
    assert!(bench.core.has_work(&bench.moment), "nothing else would wake the partition");
    bench.settle();
    assert_eq!(bench.state_of(instance).as_deref(), Some("COMPLETED"));
}

#[test]
fn a_timer_fires_once_whatever_becomes_of_the_commit() {
    for fate in [Fate::LostBefore, Fate::LostAfter, Fate::Refused] {
        let mut bench = Bench::with(&[sleep()]);
        let instances: Vec<_> = (0..3).map(|_| bench.started("sleep")).collect();
        bench.pass(SLEEP_MS);
        bench.settle_then(fate);
        bench.settle();
        for instance in instances {
            assert_eq!(bench.state_of(instance).as_deref(), Some("COMPLETED"), "after {fate:?}");
        }
        assert_eq!(bench.times_logged(is_trigger), 3, "after {fate:?}");
        assert!(bench.letters().is_empty());
    }
}

#[test]
fn a_page_that_was_read_before_a_commit_neither_hides_nor_repeats_what_that_changed() {
    let mut bench = Bench::with(&[sleep()]);
    let cancelled = bench.started("sleep");
    let stays = bench.started("sleep");
    bench.hand_over();
    bench.keep_back(timers);
    bench.settle();
    // The store is asked; then one timer goes and one comes; then the answer arrives.
    let page = bench.take_answer(timers);
    bench.done(cancel(cancelled));
    let new = bench.started("sleep");
    bench.offer(page);
    bench.keep_back(|_| false);
    bench.pass(SLEEP_MS);
    bench.settle();
    assert_eq!(bench.state_of(stays).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.state_of(new).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.times_logged(is_trigger), 2);
}

#[test]
fn a_page_that_arrives_while_a_timer_is_being_written_does_not_fire_it_twice() {
    let mut bench = Bench::with(&[sleep()]);
    let first = bench.started("sleep");
    bench.hand_over();
    bench.keep_back(timers);
    bench.send(create("sleep"));
    bench.settle_unwritten();
    assert!(bench.closed.is_some() && bench.is_reading(timers));
    let page = bench.take_answer(timers);
    let open = bench.send(create("sleep"));
    bench.settle_unwritten();
    bench.offer(page);
    bench.keep_back(|_| false);
    bench.settle();
    bench.answered(open);
    bench.pass(SLEEP_MS);
    bench.settle();
    assert_eq!(bench.times_logged(is_trigger), 3);
    assert_eq!(bench.state_of(first).as_deref(), Some("COMPLETED"));
}

#[test]
fn a_timer_that_is_cancelled_while_it_is_due_does_not_fire() {
    let mut bench = Bench::with(&[sleep()]);
    let instance = bench.started("sleep");
    bench.pass(SLEEP_MS);
    let call = bench.send(cancel(instance));
    bench.settle();
    bench.answered(call);
    let ended = bench.state_of(instance);
    assert!(ended.as_deref() == Some("TERMINATED") || ended.as_deref() == Some("COMPLETED"));
    bench.pass(60_000);
    bench.settle();
    assert_eq!(bench.core.idle_ms(&bench.moment).map(|ms| ms > 1_000), Some(true), "nothing is left to fire");
    assert!(bench.letters().is_empty());
}

#[test]
fn timers_of_a_predecessor_are_found() {
    let mut bench = Bench::with(&[sleep()]);
    let instance = bench.started("sleep");
    bench.pass(60_000);
    bench.die();
    bench.settle();
    assert_eq!(bench.state_of(instance).as_deref(), Some("COMPLETED"));
}

#[test]
fn a_clock_that_is_pinned_ahead_fires_what_is_due_by_it_and_tells_when_it_has_looked() {
    let mut bench = Bench::with(&[sleep()]);
    let instance = bench.started("sleep");
    bench.keep_back(timers);
    bench.pin_clock(Some(3_600_000));
    let told = bench.request(Request::ClockHasChanged);
    bench.settle();
    assert!(!bench.was_noted(told), "what is due by the new time was not read yet");
    bench.keep_back(|_| false);
    bench.settle();
    assert!(bench.was_noted(told));
    assert_eq!(bench.state_of(instance).as_deref(), Some("COMPLETED"));
}

#[test]
fn a_clock_that_is_pinned_during_a_commit_counts_as_well() {
    let mut bench = Bench::with(&[sleep()]);
    let instance = bench.started("sleep");
    bench.send(create("sleep"));
    bench.settle_unwritten();
    bench.keep_back(timers);
    bench.pin_clock(Some(3_600_000));
    let told = bench.request(Request::ClockHasChanged);
    bench.land(Fate::Written);
    bench.settle();
    assert!(!bench.was_noted(told), "what is due by the new time was not read yet");
    bench.keep_back(|_| false);
    bench.settle();
    assert!(bench.was_noted(told));
    assert_eq!(bench.state_of(instance).as_deref(), Some("COMPLETED"));
}

#[test]
fn a_clock_that_is_set_back_makes_timers_wait_again() {
    let mut bench = Bench::with(&[sleep()]);
    bench.pin_clock(Some(60_000));
    bench.settle();
    let instance = bench.started("sleep");
    bench.pin_clock(Some(0));
    bench.settle();
    bench.pin_clock(Some(69_999));
    bench.settle();
    assert_eq!(bench.state_of(instance).as_deref(), Some("ACTIVE"));
    bench.pin_clock(Some(70_000));
    bench.settle();
    assert_eq!(bench.state_of(instance).as_deref(), Some("COMPLETED"));
    bench.pin_clock(None);
    bench.settle();
    assert_eq!(bench.times_logged(is_trigger), 1);
}

#[test]
fn a_cycle_goes_on_after_each_firing() {
    let model = ModelBuilder::process("tick")
        .start_timer("s", Timer::cycle("R3/PT10S"))
        .service_task("t", |task| task.job_type("t"))
        .end("e");
    let mut bench = Bench::with(&[model]);
    for fate in [Fate::LostBefore, Fate::LostAfter, Fate::Written] {
        bench.pass(SLEEP_MS);
        bench.settle_then(fate);
        bench.settle();
    }
    bench.pass(60_000);
    bench.settle();
    assert_eq!(bench.instance_count(), 3);
}

/// Waits for no time, again and again, until it has done so `rounds` times.
fn spin() -> ModelBuilder {
    let model = ModelBuilder::process("spin").start("s").exclusive("again");
    let model = model.script("count", "=if done = null then 1 else done + 1", "done");
    let model = model.catch_timer("c", Timer::duration("PT0S")).exclusive("enough");
    model.when("=done < rounds").connect_to("again").move_to("enough").otherwise().end("e")
}

/// Follow-ups of one command take a bounded part of a batch: the rest waits for its turn in the inbox.
#[test]
fn timers_that_are_always_due_leave_room_for_others() {
    let mut bench = Bench::with(&[spin(), quick()]);
    let spinning = bench.send(create_with("spin", r#"{"rounds": 20000}"#));
    bench.turn();
    let others: Vec<_> = (0..20).map(|_| bench.send(create("quick"))).collect();
    while others.iter().any(|call| bench.answer(*call).is_none()) {
        let commits = bench.log_times().len();
        assert!(commits < 10, "{commits} commits before the others are answered");
        bench.settle_unwritten();
        bench.land(Fate::Written);
    }
    bench.settle();
    let Answer::Created(created) = bench.answered(spinning) else { panic!("it was created") };
    assert_eq!(bench.state_of(created.instance).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.times_logged(is_trigger), 20_000);
    assert!(bench.letters().is_empty());
}

/// The budget of a batch may be used up: the timer is then in the inbox and stored as well, and fires once.
#[test]
fn a_due_timer_that_found_no_room_fires_once() {
    let mut bench = Bench::with(&[spin()]);
    let call = bench.send(create_with("spin", r#"{"rounds": 20000}"#));
    for fate in [Fate::LostBefore, Fate::LostAfter, Fate::Written] {
        bench.settle_then(fate);
    }
    bench.settle();
    let Answer::Created(created) = bench.answered(call) else { panic!("it was created") };
    assert_eq!(bench.state_of(created.instance).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.variable_values("done"), ["20000"]);
}

#[test]
fn a_timer_that_is_due_when_it_is_created_fires_with_the_same_batch_and_is_never_written() {
    let model = ModelBuilder::process("due").start("s").catch_timer("c", Timer::duration("PT0S"));
    let model = model.catch_timer("d", Timer::date("2020-01-01T00:00:00Z")).end("e");
    let mut bench = Bench::with(&[model]);
    let batches = bench.log_times().len();
    let call = bench.send(create("due"));
    bench.settle_unwritten();
    let Some((Closed::Commit(batch), _)) = &bench.closed else { panic!("a batch goes to the store") };
    let is_timer =
        |change: &&Change| matches!(change, Change::Put(Entity::Timer(_)) | Change::Remove(Entity::Timer(_)));
    assert_eq!(batch.changes.iter().find(is_timer), None);
    bench.settle();
    let Answer::Created(created) = bench.answered(call) else { panic!("it was created") };
    assert_eq!(bench.state_of(created.instance).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.log_times().len(), batches + 1, "one commit");
}
