//! Messages that start instances, and the lock that lets only one per correlation key run.

use super::starts::instances;
use crate::support::messages::message;
use crate::support::{ModelBuilder, scenario};
use tidemill_model::command::PublishMessage;
use tidemill_model::{Entity, Text};

fn started(process_id: &str) -> ModelBuilder {
    ModelBuilder::process(process_id)
        .start_message("s", "order")
        .service_task("work", |t| t.job_type("work"))
        .end("e")
}

#[test]
fn without_a_key_every_message_starts_an_instance() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        for _ in 0..3 {
            engine.publish("order", "", "{}");
        }
        assert_eq!(instances(engine).len(), 3);
    });
}

#[test]
fn with_a_key_only_one_instance_runs_and_unkept_messages_are_dropped() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        engine.publish("order", "1", "{}");
        engine.publish("order", "1", "{}");
        engine.publish("order", "2", "{}");
        assert_eq!(instances(engine).len(), 2);
        engine.complete("work", "{}");
        assert_eq!(instances(engine).len(), 2, "the second message is gone");
        engine.publish("order", "1", "{}");
        assert_eq!(instances(engine).len(), 3);
    });
}

#[test]
fn a_buffered_message_starts_the_next_instance_when_the_first_ends() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        for n in 1..=3 {
            engine.publish_for("order", "1", &format!(r#"{{"n":{n}}}"#), 60_000);
        }
        assert_eq!(instances(engine).len(), 1);
        engine.deploy(&started("p").with_element("e", |e| e.name("second version")));
        engine.complete("work", "{}");
        let next = instances(engine)[1];
        assert_eq!(engine.variable(next, "n").as_deref(), Some("2"), "the oldest first");
        let is_latest = engine.store.live().any(|entity| match entity {
            Entity::ProcessInstance(row) => row.key == next && row.start_lock.as_deref() == Some("1"),
            _ => false,
        });
        assert!(is_latest);
        engine.cancel(next).expect("it lives");
        assert_eq!(engine.variable(instances(engine)[2], "n").as_deref(), Some("3"), "however it ends");
        engine.complete("work", "{}");
        assert_eq!(instances(engine).len(), 3);
        engine.advance(60_000);
        engine.expect_nothing_left();
    });
}

#[test]
fn the_next_instance_is_of_the_latest_version() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        engine.publish_for("order", "1", "{}", 60_000);
        engine.publish_for("order", "1", "{}", 60_000);
        let second = ModelBuilder::process("p")
            .start_message("s", "order")
            .service_task("work", |t| t.job_type("new"))
            .end("e");
        engine.deploy(&second);
        engine.complete("work", "{}");
        engine.complete("new", "{}");
    });
}

#[test]
fn expired_messages_start_nothing() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        engine.publish_for("order", "1", "{}", 60_000);
        engine.publish_for("order", "1", "{}", 1_000);
        engine.advance(1_000);
        engine.complete("work", "{}");
        assert_eq!(instances(engine).len(), 1);
    });
}

#[test]
fn the_lock_counts_for_all_message_names_of_the_process() {
    scenario(|engine| {
        let model = started("p").start_message("t", "reorder").connect_to("work");
        engine.deploy(&model);
        engine.publish("order", "1", "{}");
        engine.publish_for("reorder", "1", r#"{"again":true}"#, 60_000);
        assert_eq!(instances(engine).len(), 1);
        engine.complete("work", "{}");
        assert_eq!(engine.variable(instances(engine)[1], "again").as_deref(), Some("true"));
    });
}

#[test]
fn other_processes_are_not_locked() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        engine.deploy(&started("q"));
        engine.publish("order", "1", "{}");
        assert_eq!(instances(engine).len(), 2);
    });
}

#[test]
fn the_lock_is_released_even_if_no_message_starts_the_process_any_more() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        engine.publish("order", "1", "{}");
        engine.deploy(&ModelBuilder::process("p").start("s").end("e"));
        engine.complete("work", "{}");
        engine.expect_nothing_left();
        engine.deploy(&started("p"));
        engine.publish("order", "1", "{}");
        assert_eq!(instances(engine).len(), 2);
    });
}

#[test]
fn a_new_start_event_does_not_take_buffered_messages() {
    scenario(|engine| {
        engine.publish_for("order", "1", "{}", 60_000);
        engine.deploy(&started("p"));
        assert_eq!(instances(engine).len(), 0);
    });
}

#[test]
fn a_process_gets_a_message_once_whether_it_waits_or_is_started() {
    let both = || {
        ModelBuilder::process("p")
            .start("none")
            .catch_message("wait", ("order", "=id"))
            .end("e")
            .start_message("s", "order")
            .service_task("work", |t| t.job_type("work"))
            .connect_to("wait")
    };
    scenario(|engine| {
        engine.deploy(&both());
        let waiting = engine.start("p", r#"{"id":"1"}"#);
        engine.publish_for("order", "1", "{}", 60_000);
        engine.expect_completed(waiting);
        assert_eq!(instances(engine).len(), 1, "not started as well");
    });
    scenario(|engine| {
        engine.deploy(&both());
        engine.publish_for("order", "1", r#"{"id":"1"}"#, 60_000);
        engine.complete("work", "{}");
        assert!(engine.is_active("wait"), "the message that started it is not for it again");
        engine.publish_for("order", "1", "{}", 60_000);
        engine.expect_completed(instances(engine)[0]);
    });
}

#[test]
fn a_started_instance_carries_the_business_id_of_its_message() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        let business_id = Some(Text::from("b-1"));
        engine.try_publish(PublishMessage { business_id, ..message("order", "1") }).expect("published");
        assert_eq!(engine.job("work").business_id.as_deref(), Some("b-1"));
    });
}

#[test]
fn whoever_correlates_hears_of_the_lock() {
    scenario(|engine| {
        engine.deploy(&started("p"));
        engine.publish("order", "1", "{}");
        let rejection = engine.correlated("order", "1").expect_err("an instance with this key is alive");
        assert_eq!(
            rejection.reason,
            "Expected to find subscription for message with name 'order' and correlation key '1', but no active \
             subscription was found. A process instance with this correlation key is already active for a message start \
             event with this message name in process IDs [p]. Only one active process instance per correlation key is \
             allowed for message start events."
        );
    });
}
