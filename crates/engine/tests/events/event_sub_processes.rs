//! Event subprocesses: interrupting or beside the rest, whatever triggers them.

use crate::support::{Harness, ModelBuilder, Timer, scenario};

type Trigger = fn(&mut Harness);
type Start = fn(ModelBuilder) -> ModelBuilder;

/// A way to start an event subprocess, and what triggers it.
const KINDS: [(&str, Start, Trigger); 3] = [
    (
        "message",
        |b| b.start_message("esp_start", ("stop", "=id")),
        |e| {
            e.publish("stop", "k", r#"{"why":1}"#);
        },
    ),
    ("timer", |b| b.start_timer("esp_start", Timer::duration("PT1M")), |e| e.advance(60_000)),
    ("signal", |b| b.start_signal("esp_start", "stop"), |e| e.broadcast("stop", r#"{"why":1}"#)),
];

fn model(start: Start, is_interrupting: bool) -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .service_task("work", |t| t.job_type("work"))
        .end("end")
        .event_sub_process("esp", |inside| {
            let begun = start(inside);
            let begun = if is_interrupting { begun } else { begun.non_interrupting() };
            begun.service_task("tidy", |t| t.job_type("tidy")).end("esp_end")
        })
}

#[test]
fn an_interrupting_one_terminates_everything_else_in_its_scope() {
    for (kind, start, trigger) in KINDS {
        scenario(|engine| {
            engine.deploy(&model(start, true));
            let p = engine.start("p", r#"{"id":"k"}"#);
            trigger(engine);
            engine.expect_exactly(
                &["work Term", "job work Can", "esp", "tidy"],
                &[
                    "work Terminating",
                    "job work Canceled",
                    "work Terminated",
                    "esp Activating",
                    "esp Activated",
                    "esp_start Activating",
                    "esp_start Activated",
                    "esp_start Completing",
                    "esp_start Completed",
                    "tidy Activating",
                    "tidy Activated",
                ],
            );
            if kind != "timer" {
                assert_eq!(engine.variable(p, "why").as_deref(), Some("1"));
            }
            trigger(engine);
            assert_eq!(engine.count("esp Activated"), 1, "later triggers are dropped");
            engine.complete("tidy", "{}");
            engine.expect(&["esp_end Completed", "esp Completing", "esp Completed", "p Completed"]);
            engine.expect_completed(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn a_non_interrupting_one_runs_beside_and_may_run_many_times() {
    for (kind, start, trigger) in KINDS {
        scenario(|engine| {
            engine.deploy(&model(start, false));
            let p = engine.start("p", r#"{"id":"k"}"#);
            trigger(engine);
            assert!(engine.is_active("work"));
            assert!(engine.is_active("tidy"));
            trigger(engine);
            let times = if kind == "timer" { 1 } else { 2 };
            assert_eq!(engine.count("tidy Activated"), times, "{kind}");
            engine.complete("work", "{}");
            engine.expect_never("p Completed");
            for _ in 0..times {
                engine.complete("tidy", "{}");
            }
            engine.expect_completed(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn untouched_ones_go_with_their_scope() {
    for (_, start, trigger) in KINDS {
        for is_interrupting in [true, false] {
            scenario(|engine| {
                engine.deploy(&model(start, is_interrupting));
                let p = engine.start("p", r#"{"id":"k"}"#);
                engine.complete("work", "{}");
                engine.expect_completed(p);
                engine.expect_nothing_left();
                trigger(engine);
                engine.expect_never("esp Activating");
            });
        }
    }
}

#[test]
fn cancelling_takes_running_ones_with_it() {
    for (_, start, trigger) in KINDS {
        for is_interrupting in [true, false] {
            scenario(|engine| {
                engine.deploy(&model(start, is_interrupting));
                let p = engine.start("p", r#"{"id":"k"}"#);
                trigger(engine);
                engine.cancel(p).expect("it lives");
                engine.expect(&["tidy Terminated", "esp Terminated", "p Terminated"]);
                engine.expect_terminated(p);
                engine.expect_nothing_left();
            });
        }
    }
}

#[test]
fn they_are_armed_when_the_start_event_completes() {
    scenario(|engine| {
        let start: Start = |b| b.start_message("esp_start", ("stop", "=id"));
        engine.deploy(&model(start, true));
        engine.start("p", r#"{"id":"k"}"#);
        engine.expect(&["start Completing", "subscription stop Created", "start Completed"]);
    });
}

#[test]
fn one_in_a_subprocess_interrupts_only_that() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .parallel("fork")
            .sub_process("sub", |inside| {
                inside
                    .start("sub_start")
                    .service_task("work", |t| t.job_type("work"))
                    .end("sub_end")
                    .event_sub_process("esp", |inside| {
                        inside
                            .start_signal("esp_start", "stop")
                            .service_task("tidy", |t| t.job_type("tidy"))
                            .end("esp_end")
                    })
            })
            .end("end")
            .move_to("fork")
            .service_task("other", |t| t.job_type("other"))
            .end("other_end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.broadcast("stop", "{}");
        assert!(engine.is_active("other"));
        assert!(engine.is_active("sub"));
        assert!(!engine.is_active("work"));
        engine.complete("tidy", "{}");
        engine.expect(&["esp Completed", "sub Completing", "sub Completed", "end Completed"]);
        engine.complete("other", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn boundary_events_of_an_interrupted_subprocess_stay_armed() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |inside| {
                inside
                    .start("sub_start")
                    .service_task("work", |t| t.job_type("work"))
                    .end("sub_end")
                    .event_sub_process("esp", |inside| {
                        inside
                            .start_signal("esp_start", "stop")
                            .service_task("tidy", |t| t.job_type("tidy"))
                            .end("esp_end")
                    })
            })
            .end("end")
            .boundary_message("escape", "sub", ("escape", "=id"))
            .end("escaped");
        engine.deploy(&model);
        let p = engine.start("p", r#"{"id":1}"#);
        engine.broadcast("stop", "{}");
        engine.publish("escape", "1", "{}");
        engine.expect(&[
            "tidy Terminated",
            "esp Terminated",
            "sub Terminated",
            "escape Completed",
            "escaped Completed",
        ]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_event_subprocess_can_hold_another() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .event_sub_process("outer", |inside| {
                inside
                    .start_signal("outer_start", "first")
                    .service_task("tidy", |t| t.job_type("tidy"))
                    .end("outer_end")
                    .event_sub_process("inner", |inside| {
                        inside.start_signal("inner_start", "second").end("inner_end")
                    })
            });
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.broadcast("second", "{}");
        engine.expect_never("inner Activating");
        engine.broadcast("first", "{}");
        engine.broadcast("second", "{}");
        engine.expect(&["tidy Terminated", "inner Activated", "inner Completed", "outer Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn two_interrupting_ones_exclude_each_other() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .event_sub_process("a", |inside| {
                inside.start_signal("a_start", "both").service_task("ta", |t| t.job_type("ta")).end("a_end")
            })
            .event_sub_process("b", |inside| {
                inside
                    .start_message("b_start", ("b", "=1"))
                    .service_task("tb", |t| t.job_type("tb"))
                    .end("b_end")
            });
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.publish("b", "1", "{}");
        engine.broadcast("both", "{}");
        assert!(engine.is_active("tb"));
        engine.expect_never("a Activating");
        engine.complete("tb", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}
