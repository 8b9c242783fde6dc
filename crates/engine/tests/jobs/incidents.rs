//! Incidents of jobs: raised, refused while nothing has changed, resolved.

use super::one_job;
use crate::support::workers::update;
use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{Entity, RejectionCode};

fn give_retries(engine: &mut Harness, job_type: &str) {
    let mut command = update(engine.job(job_type).key);
    command.retries = Some(1);
    engine.update_job(command).expect("accepted");
}

#[test]
fn without_retries_a_job_waits_for_somebody_to_resolve_its_incident() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        engine.activate("work", 1);
        engine.fail("work", 0, 0);
        let incident = engine.incident();
        assert_eq!((incident.kind, incident.message.as_str()), (IncidentKind::JobNoRetries, "it broke"));
        assert_eq!(incident.job, Some(engine.job("work").key));
        assert_eq!(engine.activate("work", 1).len(), 0);
        let refused = engine.resolve().expect_err("still no retries");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        give_retries(engine, "work");
        assert_eq!(engine.activate("work", 1).len(), 0, "not before the incident is resolved");
        engine.resolve().expect("it has retries");
        engine.expect(&[
            "job work Failed",
            "incident work JOB_NO_RETRIES",
            "job work RetriesUpdated",
            "resolved work",
        ]);
        assert_eq!(engine.activate("work", 1).len(), 1);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_that_fails_again_raises_a_new_incident() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.fail("work", 0, 0);
        let first = engine.incident().key;
        give_retries(engine, "work");
        engine.resolve().expect("it has retries");
        engine.fail("work", 0, 0);
        assert_ne!(engine.incident().key, first);
    });
}

#[test]
fn an_unhandled_error_can_be_tried_again() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        engine.throw("work", "BROKEN", r#"{"a":1}"#);
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::UnhandledErrorEvent);
        assert!(incident.message.contains("'BROKEN'"), "{}", incident.message);
        assert!(engine.is_active("work"));
        assert_eq!(engine.activate("work", 1).len(), 0);
        engine.resolve().expect("the job has retries");
        assert_eq!(engine.activate("work", 1).len(), 1, "\n{}", engine.log());
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_unhandled_error_of_a_job_without_retries_needs_some_first() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work").retries("0"))
            .end("end");
        engine.deploy(&model);
        engine.start("p", "{}");
        engine.throw("work", "BROKEN", "{}");
        let refused = engine.resolve().expect_err("no retries");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        give_retries(engine, "work");
        engine.resolve().expect("it has retries");
    });
}

#[test]
fn cancelling_resolves_the_incident() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        engine.fail("work", 0, 0);
        engine.cancel(p).expect("it lives");
        engine.expect(&["job work Canceled", "resolved work", "work Terminated", "p Terminated"]);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_incident_that_is_gone_is_not_found() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.fail("work", 0, 0);
        let incident = engine.incident().key;
        give_retries(engine, "work");
        engine.resolve().expect("it has retries");
        let command = tidemill_model::command::ResolveIncident { incident };
        let refused = engine.run(tidemill_model::Command::ResolveIncident(command)).expect_err("gone");
        assert_eq!(refused.code, RejectionCode::NotFound);
    });
}

#[test]
fn quirk_a_job_type_that_is_null_is_an_incident() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("=kind"))
            .end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        assert!(!engine.is_active("work"));
        engine.set_variables(p.scope(), r#"{"kind":"paint"}"#, false);
        engine.resolve().expect("it is tried again");
        engine.complete("paint", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn retries_that_are_no_number_are_an_incident_before_anything_is_armed() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work").retries("=tries"))
            .end("end")
            .boundary_signal("stop", "work", "stop")
            .end("stopped");
        engine.deploy(&model);
        let p = engine.start("p", r#"{"tries":"many"}"#);
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.expect_never("signal stop Subscribed");
        engine.set_variables(p.scope(), r#"{"tries":2}"#, false);
        engine.resolve().expect("it is tried again");
        assert_eq!(engine.count("signal stop Subscribed"), 1);
        assert_eq!(engine.job("work").retries, 2);
        engine.cancel(p).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn instances_above_a_called_one_know_of_its_incident() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let outer = ModelBuilder::process("outer").start("s").call_activity("call", "p", |c| c).end("e");
        engine.deploy(&outer);
        let p = engine.start("outer", "{}");
        engine.fail("work", 0, 0);
        assert_eq!(engine.element("call").incidents_below, 1);
        give_retries(engine, "work");
        engine.resolve().expect("it has retries");
        assert_eq!(engine.element("call").incidents_below, 0);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn scopes_around_an_incident_know_of_it() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| {
                s.start("in")
                    .service_task("task", |t| t.job_type("work").multi_instance("=[1]", "item"))
                    .end("out")
            })
            .end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.fail("work", 0, 0);
        let below = |engine: &mut Harness| {
            let store = engine.store.live();
            let mut counts: Vec<_> = store
                .filter_map(|entity| match entity {
                    Entity::ElementInstance(row) => Some((row.kind.name(), row.incidents_below)),
                    _ => None,
                })
                .collect();
            counts.sort();
            counts
        };
        assert_eq!(below(engine), [("MULTI_INSTANCE_BODY", 1), ("SERVICE_TASK", 0), ("SUB_PROCESS", 1)]);
        give_retries(engine, "work");
        engine.resolve().expect("it has retries");
        assert!(below(engine).iter().all(|(_, below)| *below == 0));
        engine.fail("work", 0, 0);
        engine.cancel(p).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_without_a_type_is_an_incident() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").service_task("t", |t| t.job_type("=kind")).end("e");
        engine.deploy(&model);
        let p = engine.start("p", r#"{"kind":""}"#);
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::ExtractValueError);
        assert_eq!(
            incident.message,
            "Expected result of the expression 'kind' to be a not-empty string, but was an empty string."
        );
        engine.set_variables(p.scope(), r#"{"kind":"work"}"#, false);
        engine.resolve().expect("it is tried again");
        engine.complete("work", "{}");
        engine.expect_completed(p);
    });
}

#[test]
fn a_failed_job_shows_who_had_it() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let deadline = engine.now + 60_000;
        engine.activate("work", 1);
        engine.fail("work", 1, 0);
        let held = engine.job("work").last_held.clone().expect("it was held");
        assert_eq!((held.worker.as_str(), held.deadline), ("worker", deadline));
        assert!(engine.job("work").lease.is_none());
    });
}
