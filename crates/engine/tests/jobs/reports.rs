//! Completing, failing, throwing and updating: what is accepted when, and what is answered otherwise.

use super::one_job;
use crate::support::workers::{failure, update};
use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::entity::JobEvent;
use tidemill_model::{Answer, JobKey, Rejection, RejectionCode, Text, Variables};

type Report = fn(&mut Harness, JobKey) -> Result<Answer, Rejection>;

const REPORTS: [(&str, Report); 3] = [
    ("complete", |engine, job| engine.try_complete(job, None)),
    ("fail", |engine, job| engine.try_fail(failure(job, 1))),
    ("throw an error for", |engine, job| engine.try_throw(job, "E")),
];

fn expect_refused(
    answer: Result<Answer, Rejection>,
    code: RejectionCode,
    verb: &str,
    job: JobKey,
    reason: &str,
) {
    let refused = answer.expect_err("refused");
    assert_eq!(refused.code, code);
    assert_eq!(refused.reason, format!("Expected to {verb} job with key '{job}', but {reason}"));
}

#[test]
fn a_job_that_is_gone_is_not_found() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.job("work").key;
        engine.complete("work", "{}");
        for (verb, report) in REPORTS {
            expect_refused(report(engine, job), RejectionCode::NotFound, verb, job, "no such job was found");
        }
        let mut command = update(job);
        command.retries = Some(1);
        let answer = engine.update_job(command);
        expect_refused(answer, RejectionCode::NotFound, "update", job, "no such job was found");
    });
}

#[test]
fn a_failed_job_takes_no_reports_until_its_incident_is_resolved() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.fail("work", 0, 0);
        let job = engine.job("work").key;
        for (verb, report) in REPORTS {
            let answer = report(engine, job);
            expect_refused(answer, RejectionCode::InvalidState, verb, job, "it is in state 'FAILED'");
        }
    });
}

#[test]
fn a_job_in_its_back_off_counts_as_failed() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.fail("work", 3, 1_000);
        let job = engine.job("work").key;
        for (verb, report) in REPORTS {
            let answer = report(engine, job);
            expect_refused(answer, RejectionCode::InvalidState, verb, job, "it is in state 'FAILED'");
        }
    });
}

#[test]
fn a_job_with_an_unhandled_error_takes_no_reports() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.throw("work", "E", "{}");
        let job = engine.job("work").key;
        for (verb, report) in REPORTS {
            let answer = report(engine, job);
            expect_refused(answer, RejectionCode::InvalidState, verb, job, "it is in state 'ERROR_THROWN'");
        }
    });
}

#[test]
fn a_waiting_job_can_be_reported_on_without_being_activated() {
    for (_, report) in REPORTS {
        scenario(|engine| {
            engine.deploy(&one_job());
            engine.start("p", "{}");
            let job = engine.job("work").key;
            report(engine, job).expect("accepted");
        });
    }
}

#[test]
fn variables_of_a_failure_stay_with_the_task() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", r#"{"a":1}"#);
        let mut command = failure(engine.job("work").key, 1);
        command.variables = Variables::parse(r#"{"a":2,"b":3}"#).expect("an object");
        engine.try_fail(command).expect("accepted");
        assert_eq!(engine.variable(p, "a").as_deref(), Some("1"));
        assert_eq!(engine.variable(p, "b"), None);
        let jobs = engine.activate("work", 1);
        assert_eq!(jobs[0].variables.as_str(), r#"{"a":2,"b":3}"#);
    });
}

#[test]
fn retries_must_stay_positive() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.job("work").key;
        for retries in [0, -1] {
            let mut command = update(job);
            command.retries = Some(retries);
            let refused = engine.update_job(command).expect_err("refused");
            assert_eq!(refused.code, RejectionCode::InvalidArgument);
            assert!(refused.reason.contains("with a positive amount of retries"), "{refused}");
        }
    });
}

#[test]
fn an_update_tells_everything_that_is_wrong_at_once() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let mut command = update(engine.job("work").key);
        command.retries = Some(0);
        command.timeout_ms = Some(1_000);
        let refused = engine.update_job(command).expect_err("refused");
        assert!(refused.reason.contains("positive amount of retries"), "{refused}");
        assert!(refused.reason.contains("it is not active"), "{refused}");
    });
}

#[test]
fn an_update_changes_what_is_given_and_shows_as_the_last_event() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        engine.activate("work", 1);
        let mut command = update(engine.job("work").key);
        command.retries = Some(9);
        engine.update_job(command.clone()).expect("accepted");
        assert_eq!(engine.job("work").last_event, JobEvent::RetriesUpdated);
        command.timeout_ms = Some(1_000);
        engine.update_job(command.clone()).expect("accepted");
        assert_eq!(engine.job("work").last_event, JobEvent::TimeoutUpdated);
        command.priority = Some(4);
        engine.update_job(command).expect("accepted");
        let job = engine.job("work");
        assert_eq!((job.retries, job.priority, job.last_event), (9, 4, JobEvent::PriorityUpdated));
        engine.expect(&["job work RetriesUpdated", "job work TimeoutUpdated", "job work PriorityUpdated"]);
    });
}

#[test]
fn a_failure_without_a_message_says_that_no_retries_are_left() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.job("work").key;
        engine.try_fail(failure(job, 0)).expect("accepted");
        assert_eq!(engine.incident().message, "No more retries left.");
        engine.resolve().expect_err("no retries");
    });
}

#[test]
fn negative_retries_count_as_none() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let mut command = failure(engine.job("work").key, -3);
        command.error_message = Some(Text::from("out of paint"));
        engine.try_fail(command).expect("accepted");
        assert_eq!(engine.incident().message, "out of paint");
        assert_eq!(engine.activate("work", 1).len(), 0);
    });
}

#[test]
fn thrown_and_final_messages_are_jobs() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .throw_message("tell", "mail")
            .end_message("goodbye", "mail");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.complete("mail", r#"{"first":true}"#);
        assert!(engine.is_active("goodbye"));
        engine.fail("mail", 0, 0);
        let mut command = update(engine.job("mail").key);
        command.retries = Some(1);
        engine.update_job(command).expect("accepted");
        engine.resolve().expect("it has retries again");
        engine.complete("mail", r#"{"last":true}"#);
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "first").as_deref(), Some("true"));
        assert_eq!(engine.variable(p, "last").as_deref(), Some("true"));
        engine.expect_nothing_left();
    });
}

#[test]
fn what_a_worker_says_about_its_failure_is_cut_and_may_be_empty() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.activate("work", 1)[0].job.key;
        let mut command = failure(job, 0);
        command.error_message = Some(Text::from("x".repeat(20_000)));
        engine.try_fail(command).expect("failed");
        let expected = format!("{}...", "x".repeat(10_000));
        assert_eq!(engine.job("work").error_message.as_deref(), Some(expected.as_str()));
        assert_eq!(engine.incident().message, expected);
    });
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let mut command = failure(engine.activate("work", 1)[0].job.key, 0);
        command.error_message = Some(Text::default());
        engine.try_fail(command).expect("failed");
        assert_eq!(engine.incident().message, "No more retries left.");
    });
}
