//! Escalations: like errors, but nobody has to catch them.

use crate::support::{ModelBuilder, scenario};

/// A subprocess that escalates and then goes on to a task.
fn escalating() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .sub_process("sub", |b| {
            b.start("in")
                .throw_escalation("tell", "LATE")
                .service_task("work", |t| t.job_type("work"))
                .end("out")
        })
        .end("end")
}

#[test]
fn uncaught_it_changes_nothing() {
    scenario(|engine| {
        engine.deploy(&escalating());
        let p = engine.start("p", "{}");
        engine.expect(&["tell Activated", "escalation LATE", "tell Completed", "work Activated"]);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_interrupting_boundary_event_terminates_the_throwing_event() {
    scenario(|engine| {
        engine.deploy(&escalating().boundary_escalation("caught", "sub", Some("LATE")).end("escalated"));
        let p = engine.start("p", "{}");
        engine.expect(&["tell Activated", "escalation LATE", "tell Terminated", "sub Terminated"]);
        engine.expect_never("tell Completed");
        engine.expect(&["caught Completed", "escalated Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_non_interrupting_boundary_event_runs_beside() {
    scenario(|engine| {
        let model =
            escalating().boundary_escalation("caught", "sub", None).non_interrupting().end("escalated");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.expect(&["tell Completed"]);
        engine.expect(&["caught Completed", "escalated Completed"]);
        assert!(engine.is_active("work"));
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn event_subprocesses_catch_them_too() {
    for is_interrupting in [true, false] {
        scenario(|engine| {
            let model = ModelBuilder::process("p")
                .start("start")
                .throw_escalation("tell", "LATE")
                .service_task("work", |t| t.job_type("work"))
                .end("end")
                .event_sub_process("esp", |b| {
                    let start = b.start_escalation("esp_start", Some("LATE"));
                    let start = if is_interrupting { start } else { start.non_interrupting() };
                    start.service_task("tidy", |t| t.job_type("tidy")).end("esp_end")
                });
            engine.deploy(&model);
            let p = engine.start("p", "{}");
            assert_eq!(engine.is_active("work"), !is_interrupting);
            assert_eq!(engine.count("tell Terminated"), usize::from(is_interrupting));
            engine.complete("tidy", "{}");
            if !is_interrupting {
                engine.complete("work", "{}");
            }
            engine.expect_completed(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_escalation_end_event_ends_its_path_unless_interrupted() {
    let ending = || {
        ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |b| b.start("in").end_escalation("tell", "LATE"))
            .end("end")
    };
    scenario(|engine| {
        engine.deploy(&ending());
        let p = engine.start("p", "{}");
        engine.expect(&["tell Completed", "sub Completed", "end Completed"]);
        engine.expect_completed(p);
    });
    scenario(|engine| {
        engine.deploy(&ending().boundary_escalation("caught", "sub", None).end("escalated"));
        let p = engine.start("p", "{}");
        engine.expect(&["tell Terminated", "sub Terminated", "escalated Completed"]);
        engine.expect_never("end Activating");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
    scenario(|engine| {
        let model = ending().boundary_escalation("caught", "sub", None).non_interrupting().end("escalated");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.expect(&["tell Completed"]);
        engine.expect(&["sub Completed", "end Completed"]);
        engine.expect(&["escalated Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn codes_come_before_catch_alls_and_errors_are_something_else() {
    scenario(|engine| {
        let model = escalating()
            .boundary_escalation("by_any", "sub", None)
            .end("any")
            .boundary_escalation("by_code", "sub", Some("LATE"))
            .end("code")
            .boundary_error("by_error", "sub", Some("LATE"))
            .end("error");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.expect(&["by_code Completed"]);
        engine.expect_never("by_any Activating");
        engine.expect_never("by_error Activating");
        engine.expect_completed(p);
    });
}

#[test]
fn they_travel_through_call_activities() {
    for is_interrupting in [true, false] {
        scenario(|engine| {
            let called = ModelBuilder::process("called")
                .start("s")
                .throw_escalation("tell", "LATE")
                .service_task("work", |t| t.job_type("work"))
                .end("e");
            engine.deploy(&called);
            let outer = ModelBuilder::process("p")
                .start("start")
                .call_activity("call", "called", |c| c)
                .end("end")
                .boundary_escalation("caught", "call", Some("LATE"));
            let outer = if is_interrupting { outer } else { outer.non_interrupting() };
            engine.deploy(&outer.end("escalated"));
            let p = engine.start("p", "{}");
            engine.expect(&["escalated Completed"]);
            assert_eq!(engine.is_active("work"), !is_interrupting);
            if !is_interrupting {
                engine.complete("work", "{}");
                engine.expect(&["call Completed", "end Completed"]);
            }
            engine.expect_completed(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn from_an_interrupting_event_subprocess_they_reach_the_boundary_of_its_scope() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |b| {
                b.start("in")
                    .service_task("work", |t| t.job_type("work"))
                    .end("out")
                    .event_sub_process("esp", |b| {
                        b.start_signal("esp_start", "stop").end_escalation("tell", "LATE")
                    })
            })
            .end("end")
            .boundary_escalation("caught", "sub", Some("LATE"))
            .end("escalated");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.broadcast("stop", "{}");
        engine.expect(&["tell Terminated", "sub Terminated", "escalated Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_code_that_is_no_string_is_an_incident() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("start").throw_escalation("tell", "=code").end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().kind.name(), "EXTRACT_VALUE_ERROR");
        engine.set_variables(p.scope(), r#"{"code":"LATE"}"#, false);
        engine.resolve().expect("it is tried again");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}
