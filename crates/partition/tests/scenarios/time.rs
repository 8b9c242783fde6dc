//! The time of a partition: it never falls, and durations are never short.

use crate::support::*;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_model::{Answer, ProcessInstanceKey, Timestamp};
use tidemill_partition::Read;

fn last_batch_at(bench: &Bench) -> i64 {
    bench.log_times().last().copied().expect("something was written")
}

#[test]
fn time_does_not_fall_when_the_owner_changes() {
    let mut bench = Bench::with(&[quick()]);
    bench.pass(60_000);
    bench.started("quick");
    let before = last_batch_at(&bench);
    // The next owner's clock is half a minute behind, and so is the store's.
    bench.hand_over();
    bench.set_store_clock_by(-30_000);
    bench.moment.wall = bench.moment.wall + -30_000;
    bench.hand_over();
    bench.started("quick");
    assert!(last_batch_at(&bench) >= before, "{} after {before}", last_batch_at(&bench));
}

#[test]
fn time_does_not_fall_when_the_stores_clock_is_set_back() {
    let mut bench = Bench::with(&[quick(), sleep()]);
    bench.started("sleep");
    let before = last_batch_at(&bench);
    bench.set_store_clock_by(-3_600_000);
    bench.started("quick");
    assert!(last_batch_at(&bench) >= before);
    // The ten seconds go on meanwhile, and take a hundredth longer at most.
    bench.pass(10_200);
    bench.settle();
    assert_eq!(bench.times_logged(is_trigger), 1);
}

#[test]
fn a_late_answer_from_before_the_clock_was_set_back_ends_no_duration_early() {
    let mut bench = Bench::with(&[sleep()]);
    bench.commits_tell_time = false;
    bench.started("sleep");
    let began_ms = bench.moment.elapsed_ms;
    bench.pass(1_000);
    let (asked_ms, looked_at) = (bench.moment.elapsed_ms, bench.store_now());
    bench.pass(500);
    bench.set_store_clock_by(-6_000);
    bench.settle();
    bench.pass(1_000);
    // The store has looked at its clock before that was set back, and the answer comes only now.
    bench.store_tells(looked_at, asked_ms);
    bench.settle();
    bench.pass(10);
    bench.store_tells(bench.store_now(), bench.moment.elapsed_ms);
    bench.settle();
    bench.pass(began_ms + 9_900 - bench.moment.elapsed_ms);
    bench.settle();
    assert_eq!(bench.times_logged(is_trigger), 0, "ten seconds have not passed");
    bench.pass(400);
    bench.settle();
    assert_eq!(bench.times_logged(is_trigger), 1);
}

#[test]
fn an_owner_that_comes_back_goes_on_from_the_time_of_the_one_between() {
    let mut bench = Bench::with(&[quick(), work()]);
    bench.started("work");
    bench.set_store_clock_by(-60_000);
    bench.started("quick");
    // The store is away from this node for a while. Nothing is written, but time goes on here.
    bench.keep_back(|read| matches!(read, Read::Recovery { .. }));
    bench.send(create("quick"));
    bench.settle_then(Fate::LostBefore);
    bench.settle();
    bench.pass(5_000);
    // Meanwhile another owner begins at the last batch, leases the job for three seconds, and gives the partition back.
    let leased_at_ms = bench.moment.elapsed_ms;
    bench.while_another_owns(|bench| {
        let worker = bench.poll_for(activate(3_000), None);
        bench.settle();
        assert_eq!(bench.job_count(worker), Some(1));
    });
    bench.settle();
    let worker = bench.poll(60_000);
    while bench.job_count(worker).is_none() {
        bench.settle();
        bench.pass(50);
        assert!(bench.moment.elapsed_ms < leased_at_ms + 20_000, "nobody gets the job");
    }
    let held_ms = bench.moment.elapsed_ms - leased_at_ms;
    assert!(held_ms >= 3_000, "the lease ended after {held_ms} ms");
}

/// Sends a create, lets it run, and gives the time by the steady clock from sending to firing.
fn time_to_fire(seed: u64) -> u64 {
    let mut dice = Dice::new(seed);
    let mut bench = Bench::new();
    bench.commits_tell_time = false;
    // The store's answer to whoever took the partition was slow as well.
    let first_ms = dice.below(3_000);
    let looked_at = bench.store_now() + dice.below(first_ms + 1) as i64;
    bench.pass(first_ms);
    bench.store_tells(looked_at, 0);
    // And the clock of its node is an hour behind.
    bench.moment.wall = bench.moment.wall + -3_600_000;
    bench.hand_over();
    bench.deploy(&[sleep()]);
    pass_with_answers(&mut bench, &mut dice, 2_000);
    let sent_ms = bench.moment.elapsed_ms;
    let call = bench.send(create("sleep"));
    bench.settle();
    let instance: ProcessInstanceKey = match bench.answered(call) {
        Answer::Created(created) => created.instance,
        other => panic!("unexpected answer {other:?}"),
    };
    while bench.state_of(instance).as_deref() == Some("ACTIVE") {
        pass_with_answers(&mut bench, &mut dice, 1_500);
        bench.settle();
        assert!(bench.moment.elapsed_ms < sent_ms + 60_000, "seed {seed}: it never fires");
    }
    bench.moment.elapsed_ms - sent_ms
}

/// Time passes, and the store tells its time with an answer that took some of it.
fn pass_with_answers(bench: &mut Bench, dice: &mut Dice, ms_max: u64) {
    let asked_ms = bench.moment.elapsed_ms;
    let way_there_ms = dice.below(ms_max);
    bench.pass(way_there_ms);
    let looked_at = bench.store_now();
    let way_back_ms = dice.below(ms_max);
    for _ in 0..4 {
        bench.pass(way_back_ms / 4);
        bench.turn_quietly();
    }
    bench.store_tells(looked_at, asked_ms);
}

#[test]
fn durations_are_never_short_whatever_the_latency_of_answers() {
    for seed in 0..400 {
        let elapsed_ms = time_to_fire(seed);
        assert!(elapsed_ms >= 10_000, "seed {seed}: ten seconds took {elapsed_ms} ms");
    }
}

/// Waits for a date.
fn appointment() -> ModelBuilder {
    ModelBuilder::process("appointment").start("s").catch_timer("c", Timer::date("=until")).end("e")
}

fn create_appointment(bench: &mut Bench, in_ms: i64) -> ProcessInstanceKey {
    let until = Timestamp(bench.store_now() + in_ms);
    bench.started_with(create_with("appointment", &format!("{{\"until\": \"{until}\"}}")))
}

#[test]
fn dates_wait_for_a_clock_that_was_set_back_while_durations_go_on() {
    let mut bench = Bench::with(&[sleep(), appointment()]);
    let date = create_appointment(&mut bench, 20_000);
    let duration = bench.started("sleep");
    bench.set_store_clock_by(-60_000);
    let mut turns = bench.live(40_000);
    assert_eq!(bench.state_of(duration).as_deref(), Some("COMPLETED"), "ten seconds have passed");
    // The date has come by the partition's time. It is written and waited for by the next owner as well.
    assert_eq!(bench.state_of(date).as_deref(), Some("ACTIVE"));
    bench.hand_over();
    turns += bench.live(39_900);
    assert_eq!(bench.state_of(date).as_deref(), Some("ACTIVE"), "the clock shows 100 ms less");
    turns += bench.live(200);
    assert_eq!(bench.state_of(date).as_deref(), Some("COMPLETED"));
    assert!(turns < 200, "{turns} turns: nobody waits in circles");
}

#[test]
fn dates_that_wait_for_the_clock_come_when_it_is_set_right_again() {
    let mut bench = Bench::with(&[appointment()]);
    let dates: Vec<_> = (0..3).map(|at| create_appointment(&mut bench, 20_000 + at)).collect();
    bench.set_store_clock_by(-3_600_000);
    bench.live(40_000);
    bench.done(cancel(dates[1]));
    bench.set_store_clock_by(3_600_000);
    bench.live(1_000);
    let states: Vec<_> = dates.iter().filter_map(|date| bench.state_of(*date)).collect();
    assert_eq!(states, ["COMPLETED", "TERMINATED", "COMPLETED"]);
    assert_eq!(bench.times_logged(is_trigger), 2);
}

#[test]
fn a_date_that_is_past_by_a_clock_that_was_set_back_fires_at_once() {
    let mut bench = Bench::with(&[appointment()]);
    bench.set_store_clock_by(-60_000);
    let past = create_appointment(&mut bench, -1_000);
    let to_come = create_appointment(&mut bench, 1_000);
    assert_eq!(bench.state_of(past).as_deref(), Some("COMPLETED"));
    assert_eq!(
        bench.state_of(to_come).as_deref(),
        Some("ACTIVE"),
        "the partition's time is past it, the clock is not"
    );
    bench.live(1_100);
    assert_eq!(bench.state_of(to_come).as_deref(), Some("COMPLETED"));
}
