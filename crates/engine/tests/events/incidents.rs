//! Incidents of events: what a message, timer, signal or mapping of an event can get wrong, and how it is mended.

use crate::support::{Harness, ModelBuilder, Timer, scenario};
use tidemill_model::Entity;
use tidemill_model::entity::{IncidentKind, SubscriptionState};

/// Starts an instance that gets stuck on the element, mends the variable `x`, and resolves the incident.
fn stuck_on(engine: &mut Harness, model: &ModelBuilder, element_id: &str, mended: &str) {
    engine.deploy(model);
    let p = engine.start("p", "{}");
    let incident = engine.incident();
    assert_eq!(incident.kind, IncidentKind::ExtractValueError, "{}", incident.message);
    assert_eq!(incident.element_id, element_id);
    let first = incident.key;
    engine.resolve().expect("it is tried again");
    assert_ne!(engine.incident().key, first, "nothing was mended: a new incident");
    engine.set_variables(p.scope(), &format!(r#"{{"x":{mended}}}"#), false);
    engine.resolve().expect("it is tried again");
    assert!(engine.incidents().is_empty(), "\n{}", engine.log());
}

#[test]
fn a_correlation_key_that_is_missing() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").catch_message("wait", ("go", "=x")).end("e");
        stuck_on(engine, &model, "wait", "1");
        assert!(engine.is_active("wait"));
        assert_eq!(engine.count("subscription go Created"), 1);
    });
}

#[test]
fn a_correlation_key_of_the_wrong_type() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").catch_message("wait", ("go", "=[x]")).end("e");
        engine.deploy(&model);
        engine.start("p", "{}");
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::ExtractValueError);
        assert!(incident.message.contains("must be either a string or a number"), "{}", incident.message);
    });
}

#[test]
fn a_correlation_key_that_no_store_could_index() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").catch_message("wait", ("go", "=x")).end("e");
        engine.deploy(&model);
        engine.start("p", &format!(r#"{{"x":"{}"}}"#, "k".repeat(513)));
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
    });
}

#[test]
fn a_message_name_that_is_missing() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").receive_task("wait", ("=x", "=1")).end("e");
        stuck_on(engine, &model, "wait", r#""go""#);
        engine.publish("go", "1", "{}");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_timer_that_cannot_be_read() {
    for timer in [Timer::date("=x"), Timer::duration("=x")] {
        scenario(|engine| {
            let model = ModelBuilder::process("p").start("s").catch_timer("wait", timer.clone()).end("e");
            engine.deploy(&model);
            engine.start("p", r#"{"x":"soon"}"#);
            assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
            assert!(engine.timers().is_empty());
        });
    }
}

#[test]
fn a_duration_that_is_missing() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").catch_timer("wait", Timer::duration("=x")).end("e");
        stuck_on(engine, &model, "wait", r#""PT1S""#);
        engine.advance(1_000);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_boundary_event_that_cannot_be_armed_stops_its_activity() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .service_task("work", |t| t.job_type("work"))
            .end("e")
            .boundary_signal("fine", "work", "fine")
            .end("fine_end")
            .boundary_message("broken", "work", ("go", "=x"))
            .end("broken_end");
        engine.deploy(&model);
        engine.start("p", "{}");
        assert!(engine.jobs().is_empty(), "nothing after the failing step has happened");
        engine.expect_never("signal fine Subscribed");
        let p = engine.incident().origin.instance;
        engine.set_variables(p.scope(), r#"{"x":1}"#, false);
        engine.resolve().expect("it is tried again");
        assert_eq!(engine.count("signal fine Subscribed"), 1);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_script_that_fails_does_not_arm_its_boundary_events_twice() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .script("work", "=assert(x, x != null)", "y")
            .end("e")
            .boundary_signal("event", "work", "stop")
            .end("stopped");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().element_id, "work");
        engine.set_variables(p.scope(), r#"{"x":1}"#, false);
        engine.resolve().expect("it is tried again");
        engine.expect_completed(p);
        assert_eq!(engine.count("signal stop Subscribed"), 1, "\n{}", engine.log());
        engine.expect_nothing_left();
    });
}

#[test]
fn an_event_subprocess_that_cannot_be_armed_stops_the_start_event() {
    for is_nested in [false, true] {
        scenario(|engine| {
            let scope = |b: ModelBuilder| {
                b.start("in")
                    .service_task("work", |t| t.job_type("work"))
                    .end("out")
                    .event_sub_process("esp", |b| b.start_message("esp_start", ("go", "=x")).end("esp_end"))
            };
            let process = ModelBuilder::process("p");
            let model = if is_nested {
                process.start("s").sub_process("sub", scope).end("e")
            } else {
                scope(process)
            };
            stuck_on(engine, &model, "in", "1");
            assert!(engine.is_active("work"));
            engine.publish("go", "1", "{}");
            engine.expect(&["work Terminated", "esp Completed", "p Completed"]);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_event_based_gateway_opens_all_or_nothing() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .event_based("which")
            .catch_signal("a", "a")
            .end("a_end")
            .move_to("which")
            .catch_timer("b", Timer::duration("=x"))
            .end("b_end");
        stuck_on(engine, &model, "which", r#""PT1M""#);
        assert_eq!(engine.count("signal a Subscribed"), 1);
        engine.advance(60_000);
        engine.expect(&["b_end Completed", "p Completed"]);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_signal_that_cannot_be_named_is_not_thrown() {
    for is_end in [true, false] {
        scenario(|engine| {
            let model = ModelBuilder::process("p").start("s");
            let model = if is_end {
                model.end_signal("shout", "=x")
            } else {
                model.throw_signal("shout", "=x").end("e")
            };
            stuck_on(engine, &model, "shout", r#""alarm""#);
            assert_eq!(engine.count("signal alarm Broadcast"), 1);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_input_mapping_of_an_event_that_fails() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .end_signal("shout", "alarm")
            .with(|event| event.input("=assert(x, x != null)", "level"));
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::IoMappingError);
        engine.expect_never("signal alarm Broadcast");
        engine.set_variables(p.scope(), r#"{"x":1}"#, false);
        engine.resolve().expect("it is tried again");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_output_mapping_of_a_boundary_event_that_fails() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .service_task("work", |t| t.job_type("work"))
            .end("e")
            .boundary_message("event", "work", ("stop", "=1"))
            .with(|event| event.output("=assert(x, x != null)", "y"))
            .end("stopped");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.publish("stop", "1", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::IoMappingError);
        assert_eq!(engine.incident().element_id, "event");
        engine.set_variables(p.scope(), r#"{"x":1}"#, false);
        engine.resolve().expect("it is tried again");
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "y").as_deref(), Some("1"));
        engine.expect_nothing_left();
    });
}

#[test]
fn a_subprocess_stuck_on_its_way_out_takes_no_more_events() {
    stuck_on_its_way_out(|start| start.non_interrupting());
    stuck_on_its_way_out(|start| start);
}

fn stuck_on_its_way_out(kind: fn(ModelBuilder) -> ModelBuilder) {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .sub_process("sub", |b| {
                b.start("in").end("out").event_sub_process("esp", |b| {
                    kind(b.start_message("esp_start", ("note", "=1"))).end("esp_end")
                })
            })
            .with_element("sub", |sub| sub.output("=assert(x, x != null)", "y"))
            .end("e");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().element_id, "sub");
        engine.publish("note", "1", "{}");
        engine.expect_never("esp Activating");
        engine.expect_never("subscription note Correlated");
        engine.set_variables(p.scope(), r#"{"x":1}"#, false);
        engine.resolve().expect("it is tried again");
        engine.expect_completed(p);
        engine.expect(&["subscription note Deleted"]);
        let is_correlated = |entity: &Entity| matches!(entity, Entity::MessageSubscription(row) if row.state == SubscriptionState::Correlated);
        assert!(!engine.store.ended.iter().any(is_correlated));
        engine.expect_nothing_left();
    });
}

#[test]
fn cancelling_resolves_incidents_of_events() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").catch_message("wait", ("go", "=x")).end("e");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.cancel(p).expect("it lives");
        engine.expect(&["wait Terminating", "resolved wait", "wait Terminated", "p Terminated"]);
        engine.expect_nothing_left();
    });
}
