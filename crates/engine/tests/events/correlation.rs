//! The correlation of a message that is answered: with one instance, or not found.

use super::starts::instances;
use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_engine::Reply;
use tidemill_model::command::{CancelInstance, Command, CorrelateMessage, PublishMessage};
use tidemill_model::{Answer, RejectionCode, TenantId, Text, Variables};

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

/// A task beside which every message starts something, and that goes on waiting for the next.
fn listening() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("s")
        .service_task("work", |t| t.job_type("work"))
        .end("e")
        .boundary_message("note", "work", ("paid", "=id"))
        .non_interrupting()
        .end("noted")
}

/// How many of the correlations of a batch found an instance, and how many did not.
fn answers(engine: &mut Harness, replies: &[Reply]) -> (usize, usize) {
    let late = engine.replies.drain(..).map(|(_, answer)| answer.is_ok());
    let at_once = replies.iter().filter_map(|reply| match reply {
        Reply::Now(Answer::Correlated { .. }) => Some(true),
        Reply::Rejected(_) => Some(false),
        _ => None,
    });
    let all: Vec<bool> = late.chain(at_once).collect();
    let found = all.iter().filter(|is_found| **is_found).count();
    (found, all.len() - found)
}

#[test]
fn one_that_finds_its_instance_busy_with_another_waits_for_it() {
    scenario(|engine| {
        engine.deploy(&listening());
        let p = engine.start("p", r#"{"id":"1"}"#);
        let replies = engine.run_batch(vec![correlate(); 20]);
        assert_eq!(answers(engine, &replies), (20, 0));
        assert_eq!(engine.count("noted Completed"), 20);
        engine.cancel(p).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn one_that_waited_for_an_instance_that_goes_on_without_it_is_not_found() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let p = engine.start("p", r#"{"id":"1"}"#);
        let replies = engine.run_batch(vec![correlate(); 20]);
        assert_eq!(answers(engine, &replies), (1, 19));
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn those_that_wait_go_to_whoever_begins_to_wait_meanwhile() {
    scenario(|engine| {
        let twice = ModelBuilder::process("p")
            .start("s")
            .catch_message("first", ("paid", "=id"))
            .catch_message("second", ("paid", "=id"))
            .end("e");
        engine.deploy(&twice);
        let p = engine.start("p", r#"{"id":"1"}"#);
        let replies = engine.run_batch(vec![correlate(); 3]);
        let (found, lost) = answers(engine, &replies);
        assert!(found >= 1 && found + lost == 3, "{found} found, {lost} lost");
        if engine.is_active("second") {
            engine.correlated("paid", "1").expect("it waits again");
        }
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_message_that_nobody_keeps_reaches_a_busy_instance_too() {
    scenario(|engine| {
        engine.deploy(&listening());
        let p = engine.start("p", r#"{"id":"1"}"#);
        let publish = Command::PublishMessage(PublishMessage {
            tenant: TenantId::default(),
            name: Text::from("paid"),
            correlation_key: Text::from("1"),
            message_id: None,
            business_id: None,
            time_to_live_ms: 0,
            variables: Variables::default(),
        });
        engine.run_batch(vec![publish; 5]);
        assert_eq!(engine.count("noted Completed"), 5);
        engine.cancel(p).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn one_that_waits_is_answered_after_a_restart() {
    let mut engine = Harness::new();
    engine.deploy(&listening());
    engine.start("p", r#"{"id":"1"}"#);
    let follow_ups = engine.run_first(vec![correlate(); 3]);
    engine.reload();
    engine.run_batch(follow_ups);
    assert_eq!(answers(&mut engine, &[]), (3, 0));
    assert_eq!(engine.count("noted Completed"), 3);
}

#[test]
fn one_that_has_waited_for_too_long_is_not_correlated_any_more() {
    let mut engine = Harness::new();
    engine.deploy(&listening());
    engine.start("p", r#"{"id":"1"}"#);
    let follow_ups = engine.run_first(vec![correlate(); 3]);
    engine.now = engine.now + 60_000;
    engine.run_batch(follow_ups);
    assert_eq!(answers(&mut engine, &[]), (1, 2));
    assert_eq!(engine.count("noted Completed"), 1);
}
