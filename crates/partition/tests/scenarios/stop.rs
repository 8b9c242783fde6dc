//! A partition that is told to stop: what was begun is answered, the rest may be sent elsewhere.

use crate::support::*;
use tidemill_partition::{AwaitedEnd, CommandError, Event, Read};

#[test]
fn what_was_begun_is_answered_and_the_rest_is_safe_to_retry() {
    let mut bench = Bench::with(&[quick(), work()]);
    let cold = bench.started("work");
    bench.hand_over();
    bench.keep_back(|read| matches!(read, Read::Rows(_)));
    let begun = bench.send(cancel(cold));
    bench.settle();
    bench.offer(Event::Stop);
    let after = bench.send(create("quick"));
    bench.settle();
    assert!(!bench.core.is_finished(), "a command waits for its rows");
    bench.keep_back(|_| false);
    bench.settle();
    assert!(bench.core.is_finished());
    bench.give_up();
    bench.answered(begun);
    assert_eq!(bench.refused(after), CommandError::Moved);
}

#[test]
fn the_batch_in_flight_is_waited_for() {
    let mut bench = Bench::with(&[quick()]);
    let call = bench.send(create("quick"));
    bench.settle_unwritten();
    bench.offer(Event::Stop);
    bench.turn();
    assert!(!bench.core.is_finished());
    bench.land(Fate::Written);
    bench.turn();
    assert!(bench.core.is_finished());
    bench.answered(call);
}

#[test]
fn a_batch_that_is_lost_during_the_stop_is_settled_first() {
    for fate in [Fate::LostBefore, Fate::LostAfter] {
        let mut bench = Bench::with(&[quick()]);
        let call = bench.send(create("quick"));
        bench.settle_unwritten();
        bench.offer(Event::Stop);
        bench.land(fate);
        bench.settle();
        assert!(bench.core.is_finished(), "after {fate:?}");
        bench.answered(call);
        assert_eq!(bench.instance_count(), 1, "after {fate:?}");
    }
}

#[test]
fn neither_timers_nor_the_inbox_are_begun_any_more() {
    let mut bench = Bench::with(&[sleep(), quick()]);
    bench.started("sleep");
    bench.offer(Event::Stop);
    bench.append(create("quick"));
    bench.pass(60_000);
    bench.settle();
    assert!(bench.core.is_finished());
    assert_eq!((bench.inbox_len(), bench.times_logged(is_trigger)), (1, 0), "the next owner finds them");
    bench.hand_over();
    bench.settle();
    assert_eq!((bench.inbox_len(), bench.times_logged(is_trigger)), (0, 1));
}

#[test]
fn those_who_wait_for_an_end_are_sent_to_the_next_owner() {
    let mut bench = Bench::with(&[work()]);
    let waiting = bench.create_and_await("work", Default::default());
    bench.settle();
    bench.offer(Event::Stop);
    let not_begun = bench.create_and_await("work", Default::default());
    bench.settle();
    bench.give_up();
    assert!(matches!(bench.end(waiting), Some(Ok(AwaitedEnd::GoesOn(_)))));
    assert!(matches!(bench.end(not_begun), Some(Err(CommandError::Moved))));
}

#[test]
fn an_owner_that_finds_another_in_its_place_answers_nothing_more() {
    let mut bench = Bench::with(&[quick()]);
    let call = bench.send(create("quick"));
    bench.settle_unwritten();
    bench.taken_by_another();
    bench.land(Fate::Written);
    bench.settle();
    assert!(bench.core.is_finished());
    bench.give_up();
    assert_eq!(bench.refused(call), CommandError::Moved);
    assert_eq!(bench.instance_count(), 0);
}

#[test]
fn a_cautious_owner_stops_as_well() {
    let mut bench = Bench::with(&[quick(), work()]);
    bench.started("work");
    bench.die();
    bench.keep_back(|read| matches!(read, Read::Note { .. }));
    bench.settle();
    let call = bench.send(create("quick"));
    bench.settle();
    let worker = bench.poll(60_000);
    bench.keep_back(|_| false);
    bench.offer(Event::Stop);
    bench.settle();
    assert!(bench.core.is_finished());
    bench.give_up();
    bench.answered(call);
    assert!(!bench.callers.of(worker).is_claimed || bench.job_count(worker).is_some());
}
