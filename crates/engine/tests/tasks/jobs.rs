//! Tasks that a worker does: service, send, script and business rule tasks.

use crate::support::{Harness, ModelBuilder, Timer, scenario};
use tidemill_model::entity::IncidentKind;

type Task = fn(ModelBuilder) -> ModelBuilder;

/// A task `work` of each kind, with the retries and the header that each may have.
const KINDS: [(&str, Task); 4] = [
    ("SERVICE_TASK", |b| b.service_task("work", |t| t.job_type("=kind").retries("=2+3").header("a", "b"))),
    ("SEND_TASK", |b| b.send_task("work", |t| t.job_type("=kind").retries("=2+3").header("a", "b"))),
    ("SCRIPT_TASK", |b| b.script_task("work", |t| t.job_type("=kind").retries("=2+3").header("a", "b"))),
    ("BUSINESS_RULE_TASK", |b| {
        b.business_rule_task("work", |t| t.job_type("=kind").retries("=2+3").header("a", "b"))
    }),
];

fn each(play: impl Fn(&mut Harness, &str)) {
    for (kind, task) in KINDS {
        scenario(|engine| {
            let model = task(ModelBuilder::process("p").start("start")).end("end");
            engine.deploy(&model.boundary_timer("late", "work", Timer::duration("PT1M")).end("gave_up"));
            play(engine, kind);
        });
    }
}

#[test]
fn a_worker_completes_it() {
    each(|engine, kind| {
        let instance = engine.start("p", r#"{"kind":"pack"}"#);
        let job = engine.job("pack");
        assert_eq!((job.retries, job.headers.as_ref().map(|h| h.as_str())), (5, Some(r#"{"a":"b"}"#)));
        assert_eq!(engine.element("work").kind.name(), kind);
        engine.complete("pack", r#"{"done":1}"#);
        engine.expect(&[
            "job pack Created",
            "work Activated",
            "job pack Completed",
            "done := 1",
            "work Completed",
        ]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_boundary_event_interrupts_it() {
    each(|engine, _| {
        let instance = engine.start("p", r#"{"kind":"pack"}"#);
        engine.advance(60_000);
        engine.expect(&["work Terminating", "job pack Canceled", "work Terminated", "gave_up Completed"]);
        engine.expect_never("end Activating");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_type_that_is_no_string_is_an_incident_until_it_is_mended() {
    each(|engine, _| {
        let instance = engine.start("p", r#"{"kind":7}"#);
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::ExtractValueError);
        assert!(incident.message.contains("'kind' to be 'STRING', but was 'NUMBER'"), "{}", incident.message);
        engine.expect_never("timer late Created");
        engine.expect_never("work Activated");
        engine.set_variables(instance.scope(), r#"{"kind":"pack"}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.complete("pack", "{}");
        assert_eq!(engine.count("work Activating"), 1);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_without_retries_waits_for_somebody_to_resolve_it() {
    each(|engine, _| {
        let instance = engine.start("p", r#"{"kind":"pack"}"#);
        engine.fail("pack", 0, 0);
        engine.expect(&["job pack Failed", "incident work JOB_NO_RETRIES"]);
        engine.resolve().expect_err("no retries are left");
        engine.cancel(instance).expect("it lives");
        engine.expect(&["work Terminating", "job pack Canceled", "resolved work", "work Terminated"]);
        engine.expect_terminated(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_failing_output_mapping_stops_the_completion_and_not_the_timer() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("pack").output("=assert(total, total != null)", "sum"))
            .end("end")
            .boundary_timer("late", "work", Timer::duration("PT1M"))
            .end("gave_up");
        engine.deploy(&model);
        let first = engine.start("p", "{}");
        engine.complete("pack", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::IoMappingError);
        engine.set_variables(first.scope(), r#"{"total":3}"#, false);
        engine.resolve().expect("it can be resolved");
        assert_eq!(engine.variable(first, "sum").as_deref(), Some("3"));
        engine.expect_completed(first);
        let second = engine.start("p", "{}");
        engine.complete("pack", "{}");
        engine.advance(60_000);
        engine.expect(&[
            "work Completing",
            "incident work IO_MAPPING_ERROR",
            "resolved work",
            "work Terminated",
        ]);
        engine.expect_completed(second);
        engine.expect_nothing_left();
    });
}
