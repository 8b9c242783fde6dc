//! Errors: thrown by jobs and end events, searched outwards, caught or not.

use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::entity::IncidentKind;

/// A subprocess that ends with an error, with more around it.
fn failing(around: impl FnOnce(ModelBuilder) -> ModelBuilder) -> ModelBuilder {
    let model = ModelBuilder::process("p")
        .start("start")
        .sub_process("sub", |inside| inside.start("in").end_error("failed", "E"))
        .end("end");
    around(model)
}

fn caught_by(engine: &Harness) -> Vec<String> {
    let brief = engine.brief();
    let is_catcher = |line: &&String| line.starts_with("by_") && line.ends_with(" Completed");
    brief.iter().filter(is_catcher).map(|line| line.replace(" Completed", "")).collect()
}

#[test]
fn an_error_end_event_interrupts_the_scope_around_it() {
    scenario(|engine| {
        engine.deploy(&failing(|m| m.boundary_error("by_code", "sub", Some("E")).end("caught")));
        let p = engine.start("p", "{}");
        engine.expect_exactly(
            &["failed", "error", "sub", "by_code", "caught"],
            &[
                "sub Activating",
                "sub Activated",
                "failed Activating",
                "failed Activated",
                "error E",
                "sub Terminating",
                "failed Terminating",
                "failed Terminated",
                "sub Terminated",
                "by_code Activating",
                "by_code Activated",
                "by_code Completing",
                "by_code Completed",
                "caught Activating",
                "caught Activated",
                "caught Completing",
                "caught Completed",
            ],
        );
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_matching_code_comes_before_a_catch_all() {
    scenario(|engine| {
        let model = failing(|m| {
            m.boundary_error("by_any", "sub", None)
                .end("any")
                .boundary_error("by_code", "sub", Some("E"))
                .end("code")
                .boundary_error("by_other", "sub", Some("F"))
                .end("other")
        });
        engine.deploy(&model);
        engine.start("p", "{}");
        assert_eq!(caught_by(engine), ["by_code"]);
    });
}

#[test]
fn a_catch_all_takes_what_no_code_matches() {
    scenario(|engine| {
        let model = failing(|m| {
            m.boundary_error("by_other", "sub", Some("F"))
                .end("other")
                .boundary_error("by_any", "sub", None)
                .end("any")
        });
        engine.deploy(&model);
        engine.start("p", "{}");
        assert_eq!(caught_by(engine), ["by_any"]);
    });
}

/// The task throws; the process can catch it in an event subprocess and on the boundary of the subprocess.
fn inside_and_outside(inside_code: Option<&'static str>, outside: Option<&'static str>) -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .sub_process("sub", |b| {
            b.start("in")
                .service_task("work", |t| t.job_type("work"))
                .end("out")
                .event_sub_process("esp", |b| b.start_error("by_esp", inside_code).end("esp_end"))
        })
        .end("end")
        .boundary_error("by_boundary", "sub", outside)
        .end("caught")
}

#[test]
fn at_equal_rank_the_event_subprocess_comes_before_the_boundary_event() {
    for (inside, outside, expected) in [
        (Some("E"), Some("E"), "by_esp"),
        (None, None, "by_esp"),
        (None, Some("E"), "by_boundary"),
        (Some("E"), None, "by_esp"),
        (Some("F"), None, "by_boundary"),
    ] {
        scenario(|engine| {
            engine.deploy(&inside_and_outside(inside, outside));
            let p = engine.start("p", "{}");
            engine.throw("work", "E", "{}");
            assert_eq!(caught_by(engine), [expected], "{inside:?} {outside:?}");
            engine.expect_completed(p);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_inner_catch_all_comes_before_an_outer_code() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |b| {
                b.start("in")
                    .service_task("work", |t| t.job_type("work"))
                    .end("out")
                    .boundary_error("by_inner", "work", None)
                    .end("inner_end")
            })
            .end("end")
            .boundary_error("by_outer", "sub", Some("E"))
            .end("outer_end");
        engine.deploy(&model);
        engine.start("p", "{}");
        engine.throw("work", "E", "{}");
        assert_eq!(caught_by(engine), ["by_inner"]);
    });
}

#[test]
fn a_job_asks_the_boundary_events_of_its_own_task_first() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .boundary_error("by_task", "work", Some("E"))
            .end("caught")
            .event_sub_process("esp", |b| b.start_error("by_process", Some("E")).end("esp_end"));
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.activate("work", 1);
        engine.throw("work", "E", "{}");
        engine.expect(&["job work ErrorThrown", "error E", "work Terminated", "by_task Completed"]);
        engine.expect_never("job work Canceled");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_error_boundary_event_keeps_its_payload_to_itself() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .boundary_error("by_task", "work", None)
            .service_task("handle", |t| t.job_type("handle"))
            .end("caught");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.throw("work", "E", r#"{"detail":7}"#);
        assert_eq!(engine.variable(p, "detail"), None);
        let mapped = model.with_element("by_task", |event| event.output("=detail", "what"));
        engine.deploy(&mapped);
        engine.complete("handle", "{}");
        let p = engine.start("p", "{}");
        engine.throw("work", "E", r#"{"detail":7}"#);
        assert_eq!(engine.variable(p, "what").as_deref(), Some("7"));
        assert_eq!(engine.variable(p, "detail"), None);
    });
}

#[test]
fn an_error_event_subprocess_passes_its_payload_on() {
    scenario(|engine| {
        engine.deploy(&inside_and_outside(Some("E"), None));
        let p = engine.start("p", "{}");
        engine.throw("work", "E", r#"{"detail":7}"#);
        assert_eq!(engine.variable(p, "detail").as_deref(), Some("7"));
    });
}

#[test]
fn errors_travel_through_call_activities() {
    scenario(|engine| {
        let innermost = ModelBuilder::process("innermost")
            .start("s")
            .service_task("work", |t| t.job_type("work"))
            .end("e");
        engine.deploy(&innermost);
        engine.deploy(
            &ModelBuilder::process("middle").start("s").call_activity("inner", "innermost", |c| c).end("e"),
        );
        let outer = ModelBuilder::process("p")
            .start("start")
            .call_activity("call", "middle", |c| c)
            .end("end")
            .boundary_error("by_call", "call", Some("E"))
            .end("caught");
        engine.deploy(&outer);
        let p = engine.start("p", "{}");
        engine.throw("work", "E", "{}");
        engine.expect(&[
            "error E",
            "work Terminated",
            "innermost Terminated",
            "inner Terminated",
            "middle Terminated",
            "call Terminated",
            "by_call Completed",
        ]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn the_search_ends_at_an_interrupted_scope_but_goes_on_in_the_calling_process() {
    let called = || {
        ModelBuilder::process("called")
            .start("s")
            .sub_process("sub", |b| {
                b.start("in")
                    .service_task("work", |t| t.job_type("work"))
                    .end("out")
                    .event_sub_process("esp", |b| b.start_error("by_esp", Some("E")).end_error("again", "E"))
            })
            .end("e")
            .boundary_error("by_sub", "sub", Some("E"))
            .end("caught")
    };
    scenario(|engine| {
        engine.deploy(&called());
        engine.start("called", "{}");
        engine.throw("work", "E", "{}");
        assert_eq!(caught_by(engine), ["by_esp"]);
        assert_eq!(engine.incident().element_id, "again");
    });
    scenario(|engine| {
        engine.deploy(&called());
        let outer = ModelBuilder::process("p")
            .start("start")
            .call_activity("call", "called", |c| c)
            .end("end")
            .boundary_error("by_call", "call", Some("E"))
            .end("caught_outside");
        engine.deploy(&outer);
        let p = engine.start("p", "{}");
        engine.throw("work", "E", "{}");
        assert_eq!(caught_by(engine), ["by_esp", "by_call"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_unhandled_error_end_event_is_an_incident_that_can_be_tried_again() {
    scenario(|engine| {
        engine.deploy(&failing(|m| m.boundary_error("by_other", "sub", Some("F")).end("other")));
        let p = engine.start("p", "{}");
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::UnhandledErrorEvent);
        assert_eq!(incident.element_id, "failed");
        assert_eq!(
            incident.message,
            "Expected to throw an error event with the code 'E', but it was not caught. Available error events are [F]"
        );
        assert!(!engine.is_active("failed"));
        let first = incident.key;
        engine.resolve().expect("it is tried again");
        assert_ne!(engine.incident().key, first, "and fails again");
        engine.cancel(p).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn the_code_of_an_end_event_may_be_an_expression() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |b| b.start("in").end_error("failed", "=code"))
            .end("end")
            .boundary_error("by_code", "sub", Some("E-1"))
            .end("caught");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.set_variables(p.scope(), r#"{"code":"E-1"}"#, false);
        engine.resolve().expect("it is tried again");
        assert_eq!(caught_by(engine), ["by_code"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_multi_instance_activity_is_interrupted_as_a_whole() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work").multi_instance("=[1,2,3]", "n"))
            .end("end")
            .boundary_error("by_body", "work", Some("E"))
            .end("caught");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.throw("work", "E", "{}");
        assert_eq!(caught_by(engine), ["by_body"]);
        assert_eq!(engine.count("work Terminated"), 4, "three and the body\n{}", engine.log());
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn other_branches_of_the_scope_go_down_with_it() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .parallel("fork")
            .service_task("work", |t| t.job_type("work"))
            .end_error("failed", "E")
            .move_to("fork")
            .service_task("other", |t| t.job_type("other"))
            .end("end")
            .event_sub_process("esp", |b| b.start_error("by_esp", Some("E")).end("esp_end"));
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.complete("work", "{}");
        engine.expect(&["error E", "other Terminated", "esp Activated", "esp Completed", "p Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_error_without_any_catch_event_around_it_says_so() {
    scenario(|engine| {
        engine.deploy(&failing(|m| m));
        engine.start("p", "{}");
        assert_eq!(
            engine.incident().message,
            "Expected to throw an error event with the code 'E', but it was not caught. No error events are available in \
             the scope."
        );
    });
}
