//! Everything that callers can make grow is bounded, and whoever is turned away learns by which limit.

use crate::support::*;
use tidemill_model::Answer;
use tidemill_partition::{CallId, CommandError, Effect, Request};

#[track_caller]
fn expect_limit(bench: &Bench, call: CallId, limit: &str) {
    let told = bench.effects.iter().find_map(|effect| match effect {
        Effect::Answer { call: told, result: Err(error) }
        | Effect::Ended { call: told, result: Err(error) }
        | Effect::Jobs { call: told, result: Err(error) }
        | Effect::JobsMayBeThere { call: told, result: Err(error) }
            if *told == call =>
        {
            Some(error.clone())
        }
        _ => None,
    });
    match told {
        Some(CommandError::Overloaded { reason, .. }) => assert!(reason.contains(limit), "{reason}"),
        other => panic!("expected the limit '{limit}', but {call:?} was told {other:?}"),
    }
}

#[test]
fn requests_that_wait_are_bounded() {
    let mut bench = Bench::with(&[quick()]);
    let calls: Vec<_> = (0..8_192).map(|_| bench.send(create("quick"))).collect();
    let one_more = bench.send(create("quick"));
    let awaiting = bench.create_and_await("quick", Default::default());
    expect_limit(&bench, one_more, "8192 requests wait for partition 1");
    expect_limit(&bench, awaiting, "8192 requests wait for partition 1");
    bench.settle();
    for call in calls {
        bench.answered(call);
    }
}

#[test]
fn workers_that_wait_are_bounded() {
    let mut bench = Bench::with(&[work()]);
    let workers: Vec<_> = (0..10_000).map(|_| bench.poll(60_000)).collect();
    let one_more = bench.poll(60_000);
    expect_limit(&bench, one_more, "10000 workers wait for jobs");
    bench.settle();
    bench.pass(60_000);
    bench.settle();
    assert_eq!(bench.job_count(workers[0]), Some(0));
    let later = bench.poll(0);
    bench.settle();
    assert_eq!(bench.job_count(later), Some(0), "there is room again");
}

#[test]
fn watchers_are_bounded_and_those_who_have_left_make_room() {
    let mut bench = Bench::with(&[work()]);
    let watch = |bench: &mut Bench| bench.request(Request::WatchJobs { job_type: "t".into() });
    let watchers: Vec<_> = (0..10_000).map(|_| watch(&mut bench)).collect();
    let one_more = watch(&mut bench);
    expect_limit(&bench, one_more, "10000 workers of other nodes");
    bench.callers.of(watchers[5]).has_left = true;
    let next = watch(&mut bench);
    assert_eq!(bench.callers.of(next).answers, 0, "it waits");
}

#[test]
fn those_who_wait_for_one_instance_are_bounded() {
    let mut bench = Bench::with(&[work()]);
    let call = bench.send(create("work"));
    bench.settle();
    let Answer::Created(created) = bench.answered(call) else { panic!("a create gives an instance") };
    let waiters: Vec<_> =
        (0..1_000).map(|_| bench.request(Request::AwaitEnd { created: created.clone() })).collect();
    let one_more = bench.request(Request::AwaitEnd { created: created.clone() });
    expect_limit(&bench, one_more, "1000 requests wait for the end of the instance");
    bench.callers.of(waiters[3]).has_left = true;
    let next = bench.request(Request::AwaitEnd { created });
    assert!(bench.end(next).is_none(), "there is room again");
}

#[test]
fn instances_whose_end_is_waited_for_are_bounded() {
    let mut bench = Bench::with(&[work()]);
    let call = bench.send(create("work"));
    bench.settle();
    let Answer::Created(created) = bench.answered(call) else { panic!("a create gives an instance") };
    let of = |number: i64| {
        let instance = tidemill_model::ProcessInstanceKey(number);
        tidemill_model::CreatedInstance { instance, ..created.clone() }
    };
    for number in 0..100_000 {
        bench.request(Request::AwaitEnd { created: of(number) });
    }
    let one_more = bench.request(Request::AwaitEnd { created: of(100_000) });
    expect_limit(&bench, one_more, "the ends of 100000 instances");
}

#[test]
fn requests_with_one_key_that_wait_for_a_late_answer_are_bounded() {
    let (mut bench, _, _) = crate::late_answers::answer_on_its_way();
    let mut last = None;
    for _ in 0..1_000 {
        last = Some(bench.send_keyed(correlate("x"), "k", 1));
    }
    bench.settle();
    expect_limit(&bench, last.expect("a thousand"), "1000 requests with its key");
}
