//! Embedded subprocesses and what ends them. Event subprocesses have their scenarios among the events.

use crate::support::{ModelBuilder, Timer, scenario};
use tidemill_model::entity::IncidentKind;

fn nested() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .sub_process("sub", |s| {
            s.start("in")
                .parallel("fork")
                .service_task("a", |t| t.job_type("a"))
                .end("out")
                .move_to("fork")
                .service_task("b", |t| t.job_type("b"))
        })
        .with_element("sub", |o| o.input("=x + 1", "y").output("=y + z", "sum"))
        .end("end")
        .boundary_timer("late", "sub", Timer::duration("PT1M"))
        .end("gave_up")
}

#[test]
fn a_subprocess_completes_when_everything_in_it_has() {
    scenario(|engine| {
        engine.deploy(&nested());
        let instance = engine.start("p", r#"{"x":1}"#);
        engine.complete("a", r#"{"z":5}"#);
        assert!(engine.is_active("sub"));
        engine.complete("b", "{}");
        engine.expect(&[
            "in Completed",
            "a Activating",
            "b Completed",
            "sub Completing",
            "sum := 7",
            "sub Completed",
        ]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_interrupted_subprocess_ends_with_its_children_first() {
    scenario(|engine| {
        engine.deploy(&nested());
        let instance = engine.start("p", r#"{"x":1}"#);
        engine.advance(60_000);
        engine.expect(&[
            "sub Terminating",
            "b Terminated",
            "a Terminated",
            "sub Terminated",
            "late Activating",
        ]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn boundary_events_are_armed_when_the_start_event_completes() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| {
                s.start("in").with(|o| o.output("=\"k\"", "order")).service_task("a", |t| t.job_type("a"))
            })
            .end("end")
            .boundary_message("stop", "sub", ("stop", "=order"))
            .end("stopped");
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        engine.expect(&["in Completing", "order := \"k\"", "subscription stop Created", "in Completed"]);
        engine.publish("stop", "k", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_failure_to_arm_is_an_incident_on_the_start_event() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| s.start("in").service_task("a", |t| t.job_type("a")))
            .end("end")
            .boundary_message("stop", "sub", ("stop", "=order"))
            .end("stopped");
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        let incident = engine.incident();
        assert_eq!((incident.element_id.as_str(), incident.kind), ("in", IncidentKind::ExtractValueError));
        engine.set_variables(instance.scope(), r#"{"order":"k"}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.complete("a", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_failing_input_mapping_keeps_the_inside_from_beginning() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| s.start("in").end("out"))
            .with_element("sub", |o| o.input("=assert(x, x != null)", "y"))
            .end("end");
        engine.deploy(&model);
        let first = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::IoMappingError);
        engine.expect_never("in Activating");
        engine.set_variables(first.scope(), r#"{"x":1}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.expect_completed(first);
        let second = engine.start("p", "{}");
        engine.cancel(second).expect("it lives");
        engine.expect_terminated(second);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_terminate_end_completes_its_own_scope_only() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| {
                let s = s.start("in").parallel("fork").service_task("a", |t| t.job_type("a")).end("out");
                let s = s.move_to("fork").manual_task("passing").service_task("b", |t| t.job_type("b"));
                s.move_to("fork").end_terminate("stop")
            })
            .service_task("after", |t| t.job_type("after"))
            .end("end")
            .boundary_timer("late", "sub", Timer::duration("PT1M"))
            .end("gave_up");
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        engine.expect(&["stop Completed", "a Terminated", "sub Completed", "after Activated"]);
        engine.complete("after", "{}");
        engine.expect_never("late Activating");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn quirk_output_mappings_of_a_terminate_end_are_ignored() {
    scenario(|engine| {
        let model =
            ModelBuilder::process("p").start("start").end_terminate("end").with(|o| o.output("=1", "x"));
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        assert_eq!(engine.variable(instance, "x"), None);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}
