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
        assert!(engine.replies.is_empty(), "the one answer was given: {:?}", engine.replies);
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

fn correlate() -> Command {
    Command::CorrelateMessage(CorrelateMessage {
        tenant: TenantId::default(),
        name: Text::from("paid"),
        correlation_key: Text::from("1"),
        business_id: None,
        variables: Variables::default(),
    })
}

#[test]
fn of_several_processes_that_take_it_one_answers() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        engine.deploy(&waiting("q"));
        let instances = [engine.start("p", r#"{"id":"1"}"#), engine.start("q", r#"{"id":"1"}"#)];
        let answered = engine.correlated("paid", "1").expect("two take it");
        assert!(instances.contains(&answered));
        assert!(engine.replies.is_empty(), "one answer is enough: {:?}", engine.replies);
        instances.iter().for_each(|instance| engine.expect_completed(*instance));
        engine.expect_nothing_left();
    });
}

#[test]
fn the_duty_to_answer_passes_to_another_process_that_takes_it() {
    for ended in ["p", "q"] {
        scenario(|engine| {
            engine.deploy(&waiting("p"));
            engine.deploy(&waiting("q"));
            let instances = ["p", "q"].map(|id| (id, engine.start(id, r#"{"id":"1"}"#)));
            let pick = |is_ended| instances.iter().find(|(id, _)| (*id == ended) == is_ended).expect("two").1;
            let cancel = Command::CancelInstance(CancelInstance { instance: pick(true) });
            engine.run_batch(vec![correlate(), cancel]);
            let answers: Vec<_> = engine.replies.drain(..).map(|(_, answer)| answer).collect();
            assert_eq!(answers.len(), 1, "{answers:?}");
            let answered = format!("{:?}", answers[0]);
            assert!(answered.contains(&format!("{:?}", pick(false))), "{answered}");
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_instance_that_ended_a_moment_before_is_passed_over() {
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
