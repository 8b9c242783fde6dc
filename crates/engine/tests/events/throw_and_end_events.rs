//! Throw and end events of the kinds without a file of their own: none, terminate, signal, message.

use crate::support::{ModelBuilder, scenario};

#[test]
fn a_none_throw_event_just_goes_on() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .throw("milestone")
            .with(|event| event.output("=1 + 1", "two"))
            .end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.expect(&["milestone Activated", "milestone Completed", "end Completed"]);
        assert_eq!(engine.variable(p, "two").as_deref(), Some("2"));
        engine.expect_completed(p);
    });
}

#[test]
fn a_terminate_end_event_ends_everything_else_and_completes_the_instance() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .parallel("fork")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .move_to("fork")
            .service_task("stop", |t| t.job_type("stop"))
            .end_terminate("all_over");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.complete("stop", "{}");
        engine.expect(&[
            "all_over Completed",
            "work Terminating",
            "job work Canceled",
            "work Terminated",
            "p Completing",
            "p Completed",
        ]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_terminate_end_event_ends_only_its_own_scope() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .parallel("outer")
            .sub_process("sub", |inside| {
                inside
                    .start("in")
                    .parallel("inner")
                    .service_task("work", |t| t.job_type("work"))
                    .end("out")
                    .move_to("inner")
                    .service_task("stop", |t| t.job_type("stop"))
                    .end_terminate("over")
            })
            .service_task("after", |t| t.job_type("after"))
            .end("end")
            .move_to("outer")
            .service_task("beside", |t| t.job_type("beside"))
            .end("beside_end")
            .boundary_error("event", "sub", None)
            .end("caught");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.complete("stop", "{}");
        engine.expect(&["work Terminated", "sub Completing", "sub Completed", "after Activated"]);
        engine.expect_never("event Activating");
        assert!(engine.is_active("beside"));
        engine.complete("after", "{}");
        engine.complete("beside", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_called_process_that_terminates_itself_has_completed() {
    scenario(|engine| {
        let called = ModelBuilder::process("called")
            .start("in")
            .parallel("fork")
            .service_task("work", |t| t.job_type("work"))
            .end("out")
            .move_to("fork")
            .end_terminate("over");
        engine.deploy(&called);
        let outer =
            ModelBuilder::process("p").start("start").call_activity("call", "called", |c| c).end("end");
        engine.deploy(&outer);
        let p = engine.start("p", "{}");
        engine.expect(&["called Completed", "call Completed", "end Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn the_output_mappings_of_a_terminate_end_event_are_ignored() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .end_terminate("over")
            .with(|event| event.output("=1", "a"));
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "a"), None);
    });
}

#[test]
fn a_terminate_end_event_closes_event_subprocesses() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end_terminate("over")
            .event_sub_process("esp", |inside| {
                inside
                    .start_signal("esp_start", "beside")
                    .non_interrupting()
                    .service_task("tidy", |t| t.job_type("tidy"))
                    .end("esp_end")
            });
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.broadcast("beside", "{}");
        engine.complete("work", "{}");
        engine.expect(&["over Completed", "tidy Terminated", "esp Terminated", "p Completed"]);
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_interruption_comes_before_a_terminate_end_event_that_was_reached_in_the_same_moment() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .parallel("fork")
            .end_terminate("over")
            .move_to("fork")
            .end_error("failed", "E")
            .event_sub_process("esp", |inside| {
                inside
                    .start_error("esp_start", Some("E"))
                    .service_task("tidy", |t| t.job_type("tidy"))
                    .end("esp_end")
            });
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert!(engine.is_active("tidy"), "\n{}", engine.log());
        engine.complete("tidy", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn message_events_fail_are_resolved_and_are_cancelled_like_jobs() {
    for (kind, model) in [
        ("end", ModelBuilder::process("p").start("s").end_message("tell", "=kind")),
        ("throw", ModelBuilder::process("p").start("s").throw_message("tell", "=kind").end("e")),
    ] {
        scenario(|engine| {
            engine.deploy(&model);
            let first = engine.start("p", "{}");
            assert_eq!(engine.incident().element_id, "tell", "{kind}");
            engine.set_variables(first.scope(), r#"{"kind":"mail"}"#, false);
            engine.resolve().expect("it can be resolved");
            engine.complete("mail", "{}");
            engine.expect_completed(first);
            let second = engine.start("p", r#"{"kind":"mail"}"#);
            engine.cancel(second).expect("it lives");
            engine.expect(&["tell Terminating", "job mail Canceled", "tell Terminated"]);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn message_events_only_create_a_job() {
    scenario(|engine| {
        let waiting =
            ModelBuilder::process("waiting").start("s").catch_message("wait", ("mail", "=1")).end("e");
        engine.deploy(&waiting);
        engine.start("waiting", "{}");
        let model = ModelBuilder::process("p").start("start").throw_message("tell", "mail").end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.complete("mail", "{}");
        engine.expect_completed(p);
        assert!(engine.is_active("wait"));
    });
}
