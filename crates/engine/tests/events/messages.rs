//! Messages for waiting instances: found by name and key, buffered, expired, taken once per process.

use crate::support::messages::message;
use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::command::{CancelInstance, Command, PublishMessage};
use tidemill_model::entity::MessageCorrelation;
use tidemill_model::{Entity, ProcessInstanceKey, RejectionCode, Text};

fn waiting(process_id: &str) -> ModelBuilder {
    ModelBuilder::process(process_id).start("s").catch_message("wait", ("paid", "=id")).end("e")
}

fn correlations(engine: &Harness) -> Vec<MessageCorrelation> {
    let pick = |entity: &Entity| match entity {
        Entity::MessageCorrelation(row) => Some(MessageCorrelation::clone(row)),
        _ => None,
    };
    engine.store.ended.iter().filter_map(pick).collect()
}

fn is_waiting(engine: &Harness, instance: ProcessInstanceKey) -> bool {
    engine.store.live().any(|entity| matches!(entity, Entity::ProcessInstance(row) if row.key == instance))
}

#[test]
fn name_and_key_must_match() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let p = engine.start("p", r#"{"id":"1"}"#);
        engine.publish("paid", "2", "{}");
        engine.publish("unpaid", "1", "{}");
        assert!(engine.is_active("wait"));
        engine.publish("paid", "1", r#"{"sum":3}"#);
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "sum").as_deref(), Some("3"));
        let correlations = correlations(engine);
        assert_eq!(correlations.len(), 1);
        assert_eq!(correlations[0].element_id, "wait");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_number_as_key_is_cut_to_an_integer() {
    for (id, key) in [("7", "7"), ("7.9", "7"), ("-7.9", "-7"), ("1e3", "1000"), (r#""007""#, "007")] {
        scenario(|engine| {
            engine.deploy(&waiting("p"));
            let p = engine.start("p", &format!(r#"{{"id":{id}}}"#));
            engine.publish("paid", key, "{}");
            engine.expect_completed(p);
        });
    }
}

#[test]
fn a_message_that_does_not_live_is_gone() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        engine.publish("paid", "1", "{}");
        engine.start("p", r#"{"id":"1"}"#);
        assert!(engine.is_active("wait"));
        assert_eq!(engine.timers().len(), 0);
    });
}

#[test]
fn a_buffered_message_waits_for_its_subscription() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        engine.publish_for("paid", "1", r#"{"n":1}"#, 1_000);
        engine.publish_for("paid", "1", r#"{"n":2}"#, 1_000);
        engine.advance(999);
        let p = engine.start("p", r#"{"id":"1"}"#);
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "n").as_deref(), Some("1"), "the oldest first");
        let q = engine.start("p", r#"{"id":"1"}"#);
        assert_eq!(engine.variable(q, "n").as_deref(), Some("2"), "each process has a message once");
        engine.advance(1);
        assert_eq!(engine.count("message paid Expired"), 2);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_expired_message_is_not_handed_out_even_before_it_is_cleared_away() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        engine.publish_for("paid", "1", "{}", 1_000);
        engine.now = engine.now + 1_000;
        engine.start("p", r#"{"id":"1"}"#);
        assert!(engine.is_active("wait"));
    });
}

#[test]
fn each_process_id_gets_a_message_once_over_all_versions() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let first = engine.start("p", r#"{"id":"1"}"#);
        engine.deploy(&waiting("p").with_element("e", |e| e.name("second version")));
        let second = engine.start("p", r#"{"id":"1"}"#);
        engine.deploy(&waiting("q"));
        let other = engine.start("q", r#"{"id":"1"}"#);
        engine.publish_for("paid", "1", "{}", 60_000);
        engine.expect_completed(first);
        engine.expect_completed(other);
        assert!(is_waiting(engine, second));
        let third = engine.start("q", r#"{"id":"1"}"#);
        assert!(is_waiting(engine, third), "still buffered, but q has had it");
        engine.publish("paid", "1", "{}");
        engine.expect_completed(second);
        engine.expect_completed(third);
    });
}

#[test]
fn a_message_id_is_taken_while_its_message_is_buffered() {
    scenario(|engine| {
        let publish = |name: &str, key: &str, id: &str| PublishMessage {
            message_id: Some(Text::from(id)),
            time_to_live_ms: 1_000,
            ..message(name, key)
        };
        engine.try_publish(publish("paid", "1", "id-1")).expect("the first");
        let refused = engine.try_publish(publish("paid", "1", "id-1")).expect_err("the same again");
        assert_eq!(refused.code, RejectionCode::AlreadyExists);
        engine.try_publish(publish("paid", "2", "id-1")).expect("another key");
        engine.try_publish(publish("sent", "1", "id-1")).expect("another name");
        engine.try_publish(publish("paid", "1", "id-2")).expect("another id");
        engine.advance(1_000);
        engine.try_publish(publish("paid", "1", "id-1")).expect("the first has expired");
        let unkept = PublishMessage { time_to_live_ms: 0, ..publish("paid", "3", "id-3") };
        engine.try_publish(unkept.clone()).expect("not kept");
        engine.try_publish(unkept).expect("so not known");
    });
}

#[test]
fn a_non_interrupting_subscription_takes_one_buffered_message_after_the_other() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .boundary_message("note", "work", ("note", "=1"))
            .non_interrupting()
            .end("noted");
        engine.deploy(&model);
        for n in 1..=3 {
            engine.publish_for("note", "1", &format!(r#"{{"n":{n}}}"#), 60_000);
        }
        let p = engine.start("p", "{}");
        assert_eq!(engine.count("noted Completed"), 3, "\n{}", engine.log());
        assert_eq!(engine.variable(p, "n").as_deref(), Some("3"));
        engine.publish("note", "1", "{}");
        assert_eq!(engine.count("noted Completed"), 4);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.advance(60_000);
        engine.expect_nothing_left();
    });
}

/// The message and the cancellation in one batch, the cancellation first on its way to the instance.
fn publish_while_cancelling(engine: &mut Harness, publish: PublishMessage, cancelled: ProcessInstanceKey) {
    let cancel = Command::CancelInstance(CancelInstance { instance: cancelled });
    engine.run_batch(vec![Command::PublishMessage(publish), cancel]);
}

#[test]
fn a_message_for_an_instance_that_ended_a_moment_before_goes_to_the_next() {
    for time_to_live_ms in [0, 60_000] {
        scenario(|engine| {
            engine.deploy(&waiting("p"));
            let first = engine.start("p", r#"{"id":"1"}"#);
            let second = engine.start("p", r#"{"id":"1"}"#);
            let publish = PublishMessage { time_to_live_ms, ..message("paid", "1") };
            publish_while_cancelling(engine, publish, first);
            engine.expect_terminated(first);
            engine.expect_completed(second);
            engine.advance(60_000);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn a_buffered_message_that_nobody_took_stays_for_the_next_subscription() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let first = engine.start("p", r#"{"id":"1"}"#);
        let publish = PublishMessage { time_to_live_ms: 60_000, ..message("paid", "1") };
        publish_while_cancelling(engine, publish, first);
        engine.expect_terminated(first);
        let second = engine.start("p", r#"{"id":"1"}"#);
        engine.expect_completed(second);
    });
}

#[test]
fn a_business_id_narrows_a_message_to_its_instances() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let a = engine.create("p").variables(r#"{"id":"1"}"#).business_id("a").go();
        let b = engine.create("p").variables(r#"{"id":"1"}"#).business_id("b").go();
        let none = engine.start("p", r#"{"id":"1"}"#);
        let business_id = Some(Text::from("b"));
        engine.try_publish(PublishMessage { business_id, ..message("paid", "1") }).expect("published");
        assert!(is_waiting(engine, a));
        assert!(is_waiting(engine, none));
        engine.expect_completed(b);
        engine.publish("paid", "1", "{}");
        engine.expect_completed(a);
    });
}

#[test]
fn a_refused_message_is_offered_on_to_the_same_business_id_only() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let first = engine.create("p").variables(r#"{"id":"1"}"#).business_id("a").go();
        let other = engine.create("p").variables(r#"{"id":"1"}"#).business_id("b").go();
        let second = engine.create("p").variables(r#"{"id":"1"}"#).business_id("a").go();
        let publish = PublishMessage { business_id: Some(Text::from("a")), ..message("paid", "1") };
        publish_while_cancelling(engine, publish, first);
        engine.expect_completed(second);
        assert!(is_waiting(engine, other));
    });
}

#[test]
fn name_and_key_are_fixed_when_the_subscription_opens() {
    scenario(|engine| {
        engine.deploy(&waiting("p"));
        let p = engine.start("p", r#"{"id":"1"}"#);
        engine.set_variables(p.scope(), r#"{"id":"2"}"#, false);
        engine.publish("paid", "2", "{}");
        assert!(engine.is_active("wait"));
        engine.publish("paid", "1", "{}");
        engine.expect_completed(p);
    });
}
