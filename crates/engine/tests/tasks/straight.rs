//! Tasks without a worker: FEEL scripts, manual and undefined tasks, receive tasks.

use crate::support::{ModelBuilder, Timer, scenario};
use tidemill_model::entity::IncidentKind;

#[test]
fn a_script_gives_its_result() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("p").start("start").script("sum", "=a + b", "c").end("end"));
        let instance = engine.start("p", r#"{"a":1,"b":2}"#);
        assert_eq!(engine.variable(instance, "c").as_deref(), Some("3"));
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_script_that_fails_leaves_no_subscription_behind_and_can_be_resolved() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("start").script("sum", "=assert(a, a != null)", "c");
        engine
            .deploy(&model.end("end").boundary_timer("late", "sum", Timer::duration("PT1M")).end("gave_up"));
        let instance = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        assert!(engine.timers().is_empty());
        engine.set_variables(instance.scope(), r#"{"a":1}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.expect(&["timer late Created", "sum Activated", "timer late Canceled", "sum Completed"]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn manual_and_undefined_tasks_are_passed() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("start").manual_task("sign").task("think").end("end");
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        engine.expect(&["sign Activated", "sign Completed", "think Activated", "think Completed"]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

fn receive() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .receive_task("wait", ("paid", "=order"))
        .end("end")
        .boundary_timer("late", "wait", Timer::duration("PT1M"))
        .end("gave_up")
}

#[test]
fn a_receive_task_waits_for_its_message() {
    scenario(|engine| {
        engine.deploy(&receive());
        let instance = engine.start("p", r#"{"order":42.9}"#);
        engine.publish("paid", "43", "{}");
        assert!(engine.is_active("wait"), "another key");
        engine.publish("paid", "42", r#"{"by":"ann"}"#);
        assert_eq!(engine.variable(instance, "by").as_deref(), Some("\"ann\""));
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_receive_task_is_interrupted_or_cancelled() {
    scenario(|engine| {
        engine.deploy(&receive());
        let first = engine.start("p", r#"{"order":"a"}"#);
        engine.advance(60_000);
        engine.expect(&[
            "wait Terminating",
            "subscription paid Deleted",
            "wait Terminated",
            "gave_up Completed",
        ]);
        engine.expect_completed(first);
        let second = engine.start("p", r#"{"order":"a"}"#);
        engine.cancel(second).expect("it lives");
        engine.expect_terminated(second);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_receive_task_without_a_correlation_key_is_an_incident() {
    scenario(|engine| {
        engine.deploy(&receive());
        let instance = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.set_variables(instance.scope(), r#"{"order":"a"}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.publish("paid", "a", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn whole_numbers_are_kept_without_a_fraction() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .script("half", "=half * 2", "whole")
            .script("list", "=for i in 1..2 return i * 1.5", "list")
            .script("made", "={total: half * 4}", "made")
            .service_task("work", |t| t.job_type("work").input("=given", "copied").input("=order", "same"))
            .end("e");
        engine.deploy(&model);
        engine.start("p", r#"{"half":0.5,"given":2.0,"order":{"sum":9.0}}"#);
        let variables = engine.activate("work", 1)[0].variables.as_str().to_owned();
        assert!(variables.contains(r#""whole":1"#) && !variables.contains(r#""whole":1."#), "{variables}");
        assert!(variables.contains(r#""list":[1.5,3]"#), "{variables}");
        assert!(variables.contains(r#""made":{"total":2}"#), "{variables}");
        assert!(variables.contains(r#""same":{"sum":9.0}"#), "as it was given: {variables}");
        assert!(variables.contains(r#""copied":2,"#) || variables.contains(r#""copied":2}"#), "{variables}");
    });
}
