//! Boundary events: message, timer and signal, interrupting and not. Errors and escalations have their own files.

use crate::support::{Harness, ModelBuilder, Timer, scenario};

type Trigger = fn(&mut Harness);
type Attach = fn(ModelBuilder) -> ModelBuilder;

/// A boundary event `event` on `work`, and what triggers it.
const KINDS: [(&str, Attach, Trigger); 3] = [
    (
        "message",
        |b| b.boundary_message("event", "work", ("stop", "=id")),
        |e| {
            e.publish("stop", "k", r#"{"why":1}"#);
        },
    ),
    ("timer", |b| b.boundary_timer("event", "work", Timer::duration("PT1M")), |e| e.advance(60_000)),
    ("signal", |b| b.boundary_signal("event", "work", "stop"), |e| e.broadcast("stop", r#"{"why":1}"#)),
];

type Activity = fn(ModelBuilder) -> ModelBuilder;

/// Activities called `work` that wait for a job of type `work`.
const ACTIVITIES: [Activity; 4] = [
    |b| b.service_task("work", |t| t.job_type("work")),
    |b| b.service_task("work", |t| t.job_type("work").multi_instance("=[1,2,3]", "n")),
    |b| {
        b.sub_process("work", |inside| {
            inside.start("in").service_task("inner", |t| t.job_type("work")).end("out")
        })
    },
    |b| b.call_activity("work", "called", |c| c),
];

fn model(activity: Activity, attach: Attach, is_interrupting: bool) -> ModelBuilder {
    let begun = activity(ModelBuilder::process("p").start("start")).end("end");
    let attached = attach(begun);
    let attached = if is_interrupting { attached } else { attached.non_interrupting() };
    attached.service_task("handle", |t| t.job_type("handle")).end("handled")
}

fn deploy(engine: &mut Harness, model: &ModelBuilder) {
    let called =
        ModelBuilder::process("called").start("in").service_task("inner", |t| t.job_type("work")).end("out");
    engine.deploy(&called);
    engine.deploy(model);
}

fn each(is_interrupting: bool, play: impl Fn(&mut Harness, &str, Trigger)) {
    for (kind, attach, trigger) in KINDS {
        for activity in ACTIVITIES {
            scenario(|engine| {
                deploy(engine, &model(activity, attach, is_interrupting));
                play(engine, kind, trigger);
            });
        }
    }
}

#[test]
fn an_interrupting_event_takes_over_when_the_activity_has_terminated() {
    each(true, |engine, kind, trigger| {
        let p = engine.start("p", r#"{"id":"k"}"#);
        trigger(engine);
        engine.expect(&[
            "job work Canceled",
            "work Terminated",
            "event Activating",
            "event Activated",
            "event Completing",
            "event Completed",
            "flow f_event_handle",
            "handle Activated",
        ]);
        assert!(engine.jobs().iter().all(|job| job.job_type == "handle"));
        if kind != "timer" {
            assert_eq!(engine.variable(p, "why").as_deref(), Some("1"));
        }
        trigger(engine);
        assert_eq!(engine.count("event Activated"), 1);
        engine.complete("handle", "{}");
        engine.expect_completed(p);
        engine.expect_never("end Activating");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_non_interrupting_event_runs_beside_the_activity() {
    each(false, |engine, kind, trigger| {
        let p = engine.start("p", r#"{"id":"k"}"#);
        trigger(engine);
        trigger(engine);
        let times = if kind == "timer" { 1 } else { 2 };
        assert_eq!(engine.count("handle Activated"), times);
        assert!(engine.is_active("work"));
        while engine.jobs().iter().any(|job| job.job_type == "work") {
            engine.complete("work", "{}");
        }
        engine.expect(&["work Completed", "end Completed"]);
        engine.expect_never("p Completed");
        for _ in 0..times {
            engine.complete("handle", "{}");
        }
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn what_was_not_needed_is_closed() {
    for is_interrupting in [true, false] {
        each(is_interrupting, |engine, _, trigger| {
            let p = engine.start("p", r#"{"id":"k"}"#);
            while engine.jobs().iter().any(|job| job.job_type == "work") {
                engine.complete("work", "{}");
            }
            engine.expect_completed(p);
            engine.expect_nothing_left();
            trigger(engine);
            engine.expect_never("event Activating");
        });
    }
}

#[test]
fn cancelling_closes_them_too() {
    for is_interrupting in [true, false] {
        each(is_interrupting, |engine, _, trigger| {
            let p = engine.start("p", r#"{"id":"k"}"#);
            if !is_interrupting {
                trigger(engine);
            }
            engine.cancel(p).expect("it lives");
            engine.expect_terminated(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_activity_that_is_stuck_can_still_be_interrupted() {
    each(true, |engine, _, trigger| {
        let p = engine.start("p", r#"{"id":"k"}"#);
        engine.fail("work", 0, 0);
        trigger(engine);
        assert!(engine.incidents().is_empty(), "resolved by termination\n{}", engine.log());
        engine.complete("handle", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn subscriptions_open_before_the_job_is_created() {
    let (_, attach, _) = KINDS[0];
    scenario(|engine| {
        engine.deploy(&model(ACTIVITIES[0], attach, true));
        engine.start("p", r#"{"id":"k"}"#);
        engine.expect(&[
            "work Activating",
            "subscription stop Created",
            "job work Created",
            "work Activated",
        ]);
    });
}

#[test]
fn the_correlation_key_sees_the_input_mappings_of_the_activity() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work").input("=order.id", "id"))
            .end("end")
            .boundary_message("event", "work", ("stop", "=id"))
            .end("stopped");
        engine.deploy(&model);
        let p = engine.start("p", r#"{"order":{"id":"o-1"}}"#);
        engine.publish("stop", "o-1", "{}");
        engine.expect_completed(p);
        engine.expect(&["stopped Completed"]);
    });
}

#[test]
fn the_first_of_several_interrupting_events_wins() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .boundary_signal("first", "work", "first")
            .end("first_end")
            .boundary_timer("second", "work", Timer::duration("PT1S"))
            .end("second_end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.broadcast("first", "{}");
        engine.advance(5_000);
        engine.expect_completed(p);
        engine.expect(&["timer second Canceled", "first_end Completed"]);
        engine.expect_never("second Activating");
        engine.expect_nothing_left();
    });
}

#[test]
fn receive_tasks_wait_for_their_message_and_their_boundary_events() {
    let receive = || {
        ModelBuilder::process("p")
            .start("start")
            .receive_task("wait", ("answer", "=id"))
            .end("end")
            .boundary_message("event", "wait", ("stop", "=id"))
            .end("stopped")
    };
    scenario(|engine| {
        engine.deploy(&receive());
        let p = engine.start("p", r#"{"id":1}"#);
        engine.publish("answer", "1", r#"{"a":2}"#);
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "a").as_deref(), Some("2"));
        engine.expect_nothing_left();
    });
    scenario(|engine| {
        engine.deploy(&receive());
        let p = engine.start("p", r#"{"id":1}"#);
        engine.publish("stop", "1", "{}");
        engine.expect_completed(p);
        engine.expect(&["subscription answer Deleted", "stopped Completed"]);
        engine.expect_nothing_left();
    });
}
