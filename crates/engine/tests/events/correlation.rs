//! The correlation of a message that is answered: with one instance, or not found.

use super::starts::instances;
use crate::support::{ModelBuilder, scenario};
use tidemill_model::command::{CancelInstance, Command, CorrelateMessage};
use tidemill_model::{RejectionCode, TenantId, Text, Variables};

fn waiting(process_id: &str) -> ModelBuilder {
    ModelBuilder::process(process_id).start("s").catch_message("wait", ("paid", "=id")).end("e")
}

fn started() -> ModelBuilder {
    ModelBuilder::process("started")
        .start_message("s", "paid")
        .service_task("work", |t| t.job_type("work"))
        .end("e")
}

#[test]
fn it_answers_with_the_instance_that_waits() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let p = engine.start("p", r#"{"id":"1"}"#);
        assert_eq!(engine.correlated("paid", "1"), Ok(p));
        engine.expect_completed(p);
        engine.expect_nothing_left();
        assert!(engine.replies.is_empty());
    });
}

#[test]
fn it_is_not_kept_for_anybody() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let refused = engine.correlated("paid", "1").expect_err("nobody waits");
        assert_eq!(refused.code, RejectionCode::NotFound);
        engine.start("p", r#"{"id":"1"}"#);
        assert!(engine.is_active("wait"));
    });
}

#[test]
fn a_started_instance_is_the_preferred_answer() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        engine.deploy(&started());
        let p = engine.start("p", r#"{"id":"1"}"#);
        let answered = engine.correlated("paid", "1").expect("two take it");
        assert_eq!(answered, instances(engine)[1]);
        engine.expect_completed(p);
        assert!(engine.is_active("work"));
    });
}

#[test]
fn a_locked_start_event_does_not_take_it() {
    scenario(|engine| {
        engine.deploy(&started());
        engine.correlated("paid", "1").expect("started");
        let refused = engine.correlated("paid", "1").expect_err("one is running");
        assert_eq!(refused.code, RejectionCode::NotFound);
    });
}

#[test]
fn the_business_id_must_match() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let p = engine.create("p").variables(r#"{"id":"1"}"#).business_id("b").go();
        let correlate = |business_id: &str| CorrelateMessage {
            tenant: TenantId::default(),
            name: Text::from("paid"),
            correlation_key: Text::from("1"),
            business_id: Some(Text::from(business_id)),
            variables: Variables::default(),
        };
        let refused = engine.correlated_with(correlate("a")).expect_err("another id");
        assert_eq!(refused.code, RejectionCode::NotFound);
        assert_eq!(engine.correlated_with(correlate("b")), Ok(p));
    });
}

#[test]
fn an_instance_that_ended_a_moment_before_is_passed_over() {
    let correlate = || {
        Command::CorrelateMessage(CorrelateMessage {
            tenant: TenantId::default(),
            name: Text::from("paid"),
            correlation_key: Text::from("1"),
            business_id: None,
            variables: Variables::default(),
        })
    };
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let first = engine.start("p", r#"{"id":"1"}"#);
        let second = engine.start("p", r#"{"id":"1"}"#);
        engine.run_batch(vec![correlate(), Command::CancelInstance(CancelInstance { instance: first })]);
        let answers: Vec<_> = engine.replies.drain(..).map(|(_, answer)| answer).collect();
        assert_eq!(answers.len(), 1);
        let answered = format!("{:?}", answers[0]);
        assert!(answered.contains(&format!("{second:?}")), "{answered}");
        engine.expect_completed(second);
        engine.expect_nothing_left();
    });
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let only = engine.start("p", r#"{"id":"1"}"#);
        engine.run_batch(vec![correlate(), Command::CancelInstance(CancelInstance { instance: only })]);
        let (_, answer) = engine.replies.pop().expect("answered");
        assert_eq!(answer.expect_err("nobody is left").code, RejectionCode::NotFound);
        engine.expect_nothing_left();
    });
}
