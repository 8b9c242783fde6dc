//! A flood of one kind of work holds up none of the others.

use crate::support::*;
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_model::{Answer, Command};
use tidemill_partition::Read;

/// Many entries of the inbox.
fn flood_inbox(bench: &mut Bench, entries: usize) {
    let nobody = tidemill_model::ProcessInstanceKey(1);
    for _ in 0..entries {
        bench.append(cancel(nobody));
    }
}

/// Batches that are written until something holds.
fn batches_until(bench: &mut Bench, batches_max: usize, holds: impl Fn(&Bench) -> bool) -> usize {
    for batches in 0..batches_max {
        bench.settle_unwritten();
        if holds(bench) {
            return batches;
        }
        if bench.closed.is_some() {
            bench.land(Fate::Written);
            bench.turn();
        }
        if holds(bench) {
            return batches + 1;
        }
    }
    panic!("nothing came of it within {batches_max} batches");
}

#[test]
fn a_flood_of_the_inbox_holds_up_neither_clients_nor_timers() {
    let mut bench = Bench::with(&[quick(), sleep()]);
    bench.started("sleep");
    flood_inbox(&mut bench, 20_000);
    bench.pass(SLEEP_MS);
    bench.settle_unwritten();
    let call = bench.send(create("quick"));
    let batches = batches_until(&mut bench, 12, |bench| bench.answer(call).is_some());
    assert!(batches <= 6, "the client waited for {batches} batches");
    let batches = batches_until(&mut bench, 12, |bench| bench.times_logged(is_trigger) == 1);
    assert!(batches <= 6, "the timer waited for {batches} batches");
    assert!(bench.inbox_len() > 10_000, "the flood goes on: {}", bench.inbox_len());
}

#[test]
fn a_flood_of_heavy_entries_that_fill_every_batch_holds_up_neither_clients_nor_timers() {
    let heavy = ModelBuilder::process("heavy")
        .start("s")
        .script("c", "=count(for x in 1..9000 return x)", "n")
        .end("e");
    let mut bench = Bench::with(&[heavy, quick(), sleep()]);
    bench.started("sleep");
    for _ in 0..600 {
        bench.append(create("heavy"));
    }
    bench.settle_unwritten();
    bench.pass(SLEEP_MS);
    let call = bench.send(create("quick"));
    let done = |bench: &Bench| bench.answer(call).is_some() && bench.times_logged(is_trigger) == 1;
    let batches = batches_until(&mut bench, 4, done);
    assert!(bench.inbox_len() > 100, "the flood is over after {batches} batches: {}", bench.inbox_len());
}

#[test]
fn a_flood_of_timers_holds_up_neither_clients_nor_the_inbox() {
    let mut bench = Bench::with(&[quick(), sleep(), work()]);
    let target = bench.started("work");
    for _ in 0..6_000 {
        bench.send(create("sleep"));
    }
    bench.settle();
    bench.pass(SLEEP_MS);
    // A batch is in flight and the timers are due: wake-ups are heard all the same.
    bench.settle_unwritten();
    bench.append(cancel(target));
    let call = bench.send(create("quick"));
    let batches = batches_until(&mut bench, 12, |bench| bench.answer(call).is_some());
    assert!(batches <= 6, "the client waited for {batches} batches");
    let batches = batches_until(&mut bench, 12, |bench| bench.inbox_len() == 0);
    assert!(batches <= 6, "the inbox waited for {batches} batches");
    assert!(bench.times_logged(is_trigger) < 5_000, "the flood goes on");
}

#[test]
fn a_flood_of_clients_holds_up_neither_timers_nor_the_inbox() {
    let mut bench = Bench::with(&[quick(), sleep(), work()]);
    let target = bench.started("work");
    bench.started("sleep");
    for _ in 0..8_000 {
        bench.send(create("quick"));
    }
    bench.settle_unwritten();
    bench.pass(SLEEP_MS);
    bench.append(cancel(target));
    let batches = batches_until(&mut bench, 12, |bench| bench.times_logged(is_trigger) == 1);
    assert!(batches <= 6, "the timer waited for {batches} batches");
    let batches = batches_until(&mut bench, 12, |bench| bench.inbox_len() == 0);
    assert!(batches <= 6, "the inbox waited for {batches} batches");
}

#[test]
fn the_inbox_is_read_while_timers_are_due() {
    let mut bench = Bench::with(&[sleep(), work()]);
    let target = bench.started("work");
    for _ in 0..1_000 {
        bench.send(create("sleep"));
    }
    bench.settle();
    bench.pass(SLEEP_MS);
    bench.turn();
    bench.append(cancel(target));
    bench.turn();
    assert!(
        bench.is_reading(|read| matches!(read, Read::Inbox { .. })),
        "due timers do not hide the wake-up"
    );
}

#[test]
fn a_request_that_came_after_an_append_runs_after_it() {
    let mut bench = Bench::with(&[work()]);
    let instance = bench.started("work");
    bench.append(cancel(instance));
    let call = bench.send(set_variables(instance, "{}"));
    bench.settle();
    bench.refused(call);
    let order: Vec<_> = bench.log().into_iter().skip(2).collect();
    assert!(matches!(order[..], [Command::CancelInstance(_), ..]), "{order:?}");
}

#[test]
fn everything_of_a_flood_is_done_in_the_end() {
    let mut bench = Bench::with(&[quick(), sleep()]);
    let sleepers: Vec<_> = (0..700).map(|_| bench.send(create("sleep"))).collect();
    bench.settle();
    flood_inbox(&mut bench, 3_000);
    bench.pass(SLEEP_MS);
    let calls: Vec<_> = (0..3_000).map(|_| bench.send(create("quick"))).collect();
    bench.settle();
    assert_eq!(bench.inbox_len(), 0);
    for call in sleepers.into_iter().chain(calls) {
        assert!(matches!(bench.answered(call), Answer::Created(_)));
    }
    assert_eq!(bench.times_logged(is_trigger), 700);
}
