//! A client that creates an instance and waits for its end hears of it, and so does one that asks again under the same key.

use crate::support::*;
use tidemill_model::Answer;
use tidemill_partition::{AwaitedEnd, CallId, CommandError, Effect, Event, Read, Request};

fn retry(bench: &mut Bench) -> CallId {
    bench.create_and_await("work", keyed("k", 1))
}

/// An instance that was created under a key by somebody who waits for its end.
fn first_of_its_key(bench: &mut Bench) -> (CallId, tidemill_model::ProcessInstanceKey) {
    let first = retry(bench);
    bench.settle();
    let created = bench.effects.iter().find_map(|effect| match effect {
        Effect::Created { call, instance } if *call == first => Some(*instance),
        _ => None,
    });
    (first, created.expect("it was created"))
}

#[track_caller]
fn expect_end_for_all(bench: &mut Bench, calls: &[CallId]) {
    bench.settle();
    for call in calls {
        assert!(bench.has_ended(*call), "{call:?} hears {:?}", bench.end(*call));
    }
    assert_eq!(bench.instance_count(), 1, "it was created once");
}

#[test]
fn a_retry_before_the_end_hears_of_it() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    let second = retry(&mut bench);
    bench.settle();
    assert!(bench.end(second).is_none());
    bench.done(cancel(instance));
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn a_retry_after_the_end_hears_of_it() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    bench.done(cancel(instance));
    let second = retry(&mut bench);
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn a_retry_hears_of_an_end_in_the_same_open_batch() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    bench.send(cancel(instance));
    let second = retry(&mut bench);
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn a_retry_hears_of_an_end_in_the_batch_in_flight() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    bench.send(cancel(instance));
    bench.settle_unwritten();
    assert!(bench.closed.is_some());
    let second = retry(&mut bench);
    bench.settle_unwritten();
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn a_retry_hears_of_an_end_while_the_end_is_looked_up() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    bench.keep_back(|read| matches!(read, Read::Ends(_)));
    let second = retry(&mut bench);
    bench.settle();
    // The store is asked before the end is written, and its answer comes after.
    let before_the_end = bench.take_answer(|read| matches!(read, Read::Ends(_)));
    bench.done(cancel(instance));
    bench.offer(before_the_end);
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn a_retry_of_a_create_that_is_in_flight_and_ends_at_once_hears_of_it() {
    let mut bench = Bench::with(&[quick()]);
    let first = bench.create_and_await("quick", keyed("k", 1));
    bench.settle_unwritten();
    let second = bench.create_and_await("quick", keyed("k", 1));
    bench.settle_unwritten();
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn a_retry_hears_of_the_end_although_the_store_fails_while_it_is_looked_up() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    bench.done(cancel(instance));
    bench.keep_back(|read| matches!(read, Read::Ends(_)));
    let second = retry(&mut bench);
    bench.settle();
    assert!(bench.end(second).is_none());
    // The read of the end is among what the recovery throws away.
    bench.offer(failed_read());
    bench.keep_back(|_| false);
    expect_end_for_all(&mut bench, &[first, second]);
}

#[test]
fn the_next_owner_tells_a_retry_of_the_end() {
    let mut bench = Bench::with(&[work()]);
    let (first, instance) = first_of_its_key(&mut bench);
    bench.hand_over();
    assert!(
        matches!(bench.end(first), Some(Ok(AwaitedEnd::GoesOn(created))) if created.instance == instance)
    );
    let second = retry(&mut bench);
    bench.settle();
    bench.done(cancel(instance));
    expect_end_for_all(&mut bench, &[second]);
}

#[test]
fn whoever_waits_for_the_end_of_an_instance_is_told_when_that_is_noted() {
    let mut bench = Bench::with(&[work()]);
    let call = bench.send(create("work"));
    bench.settle();
    let Answer::Created(created) = bench.answered(call) else { panic!("a create gives an instance") };
    let instance = created.instance;
    let waiting = bench.request(Request::AwaitEnd { created });
    assert!(bench.was_noted(waiting));
    bench.done(cancel(instance));
    assert!(bench.has_ended(waiting));
}

#[test]
fn another_request_under_the_same_key_is_refused() {
    let mut bench = Bench::with(&[quick()]);
    let first = bench.send_keyed(create("quick"), "k", 1);
    let at_once = bench.send_keyed(create("quick"), "k", 2);
    bench.settle();
    let later = bench.send_keyed(create("quick"), "k", 3);
    let again = bench.send_keyed(create("quick"), "k", 1);
    bench.settle();
    bench.hand_over();
    let next = bench.send_keyed(create("quick"), "k", 4);
    let once_more = bench.send_keyed(create("quick"), "k", 1);
    bench.settle();
    for call in [at_once, later, next] {
        assert_eq!(bench.refused(call), CommandError::OtherRequest);
    }
    for call in [again, once_more] {
        assert_eq!(bench.answered(call), bench.answered(first));
    }
    assert_eq!(bench.instance_count(), 1);
}

#[test]
fn a_retry_of_a_rejected_request_gets_the_same_rejection() {
    let mut bench = Bench::with(&[quick()]);
    let first = bench.send_keyed(create("nothing"), "k", 1);
    bench.settle();
    let again = bench.send_keyed(create("nothing"), "k", 1);
    bench.settle();
    assert_eq!(bench.refused(again), bench.refused(first));
}

#[test]
fn nobody_is_kept_waiting_once_the_server_is_about_to_stop() {
    let mut bench = Bench::with(&[work(), quick()]);
    let before = bench.create_and_await("work", Default::default());
    bench.settle();
    bench.offer(Event::EndWaits);
    assert!(matches!(bench.end(before), Some(Err(CommandError::NotEnded(_)))));
    let after = bench.create_and_await("work", Default::default());
    bench.settle();
    assert!(matches!(bench.end(after), Some(Err(CommandError::NotEnded(_)))));
    let at_once = bench.create_and_await("quick", Default::default());
    bench.settle();
    assert!(bench.has_ended(at_once), "it has not waited");
}
