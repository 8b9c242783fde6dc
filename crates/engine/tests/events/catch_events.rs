//! Intermediate catch events, alone and behind an event-based gateway, and links.

use crate::support::{Harness, ModelBuilder, Timer, scenario};

type Trigger = fn(&mut Harness);
type Catch = fn(ModelBuilder) -> ModelBuilder;

const KINDS: [(&str, Catch, Trigger); 3] = [
    (
        "message",
        |b| b.catch_message("event", ("go", "=id")),
        |e| {
            e.publish("go", "k", r#"{"got":1}"#);
        },
    ),
    ("timer", |b| b.catch_timer("event", Timer::duration("PT1M")), |e| e.advance(60_000)),
    ("signal", |b| b.catch_signal("event", "go"), |e| e.broadcast("go", r#"{"got":1}"#)),
];

fn model(catch: Catch) -> ModelBuilder {
    catch(ModelBuilder::process("p").start("start")).end("end")
}

#[test]
fn a_catch_event_waits_for_its_event() {
    for (kind, catch, trigger) in KINDS {
        scenario(|engine| {
            engine.deploy(&model(catch));
            let p = engine.start("p", r#"{"id":"k"}"#);
            assert!(engine.is_active("event"));
            trigger(engine);
            engine.expect(&["event Activated", "event Completing", "event Completed", "end Completed"]);
            if kind != "timer" {
                assert_eq!(engine.variable(p, "got").as_deref(), Some("1"));
            }
            engine.expect_completed(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn cancelling_closes_what_it_waits_for() {
    for (_, catch, trigger) in KINDS {
        scenario(|engine| {
            engine.deploy(&model(catch));
            let p = engine.start("p", r#"{"id":"k"}"#);
            engine.cancel(p).expect("it lives");
            engine.expect_terminated(p);
            engine.expect_nothing_left();
            trigger(engine);
            engine.expect_never("event Completing");
        });
    }
}

#[test]
fn output_mappings_that_fail_can_be_mended_after_the_event_has_come() {
    for (_, catch, trigger) in KINDS {
        scenario(|engine| {
            let model = catch(ModelBuilder::process("p").start("start"))
                .with(|event| event.output(r#"=assert(a, a != null)"#, "b"))
                .end("end");
            engine.deploy(&model);
            let p = engine.start("p", r#"{"id":"k"}"#);
            trigger(engine);
            assert_eq!(engine.incident().kind.name(), "IO_MAPPING_ERROR");
            trigger(engine);
            engine.set_variables(p.scope(), r#"{"a":5}"#, false);
            engine.resolve().expect("the incident is open");
            engine.expect_completed(p);
            assert_eq!(engine.variable(p, "b").as_deref(), Some("5"));
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn the_first_event_behind_a_gateway_decides() {
    for (kind, _, trigger) in KINDS {
        scenario(|engine| {
            let model = ModelBuilder::process("p")
                .start("start")
                .event_based("which")
                .catch_message("message", ("go", "=id"))
                .end("message_end")
                .move_to("which")
                .catch_timer("timer", Timer::duration("PT1M"))
                .end("timer_end")
                .move_to("which")
                .catch_signal("signal", "go")
                .end("signal_end");
            engine.deploy(&model);
            let p = engine.start("p", r#"{"id":"k"}"#);
            trigger(engine);
            engine.expect_exactly(
                &[
                    "which",
                    "message A",
                    "timer A",
                    "signal A",
                    "flow",
                    "message_end",
                    "timer_end",
                    "signal_end",
                ],
                &[
                    "flow f_start_which",
                    "which Activating",
                    "which Activated",
                    "which Completing",
                    "which Completed",
                    &format!("{kind} Activating"),
                    &format!("{kind} Activated"),
                    &format!("flow f_{kind}_{kind}_end"),
                    &format!("{kind}_end Activating"),
                    &format!("{kind}_end Activated"),
                    &format!("{kind}_end Completing"),
                    &format!("{kind}_end Completed"),
                ],
            );
            engine.expect_completed(p);
            engine.expect_nothing_left();
            if kind != "timer" {
                assert_eq!(engine.variable(p, "got").as_deref(), Some("1"));
            }
        });
    }
}

#[test]
fn links_go_on_at_their_catch_event() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .parallel("fork")
            .throw_link("there", "bridge")
            .move_to("fork")
            .throw_link("also_there", "bridge")
            .catch_link("here", "bridge")
            .service_task("work", |t| t.job_type("work"))
            .end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.expect(&["there Completed", "here Activated", "here Completed", "flow f_here_work"]);
        assert_eq!(engine.count("work Activated"), 2);
        engine.complete("work", "{}");
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}
