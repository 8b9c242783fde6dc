//! Start events of a process, side by side.

use crate::support::{Harness, ModelBuilder, Timer, scenario};
use tidemill_model::{Event, ProcessInstanceKey, RejectionCode};

/// Every kind of start event, each with its own task.
fn all_starts() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("by_request")
        .service_task("requested", |t| t.job_type("requested"))
        .end("end")
        .start_message("by_message", "order placed")
        .service_task("messaged", |t| t.job_type("messaged"))
        .connect_to("end")
        .start_signal("by_signal", "alarm")
        .service_task("signalled", |t| t.job_type("signalled"))
        .connect_to("end")
        .start_timer("by_timer", Timer::cycle("R2/PT1H"))
        .service_task("timed", |t| t.job_type("timed"))
        .connect_to("end")
}

/// The instances in the order in which they began.
pub(super) fn instances(engine: &Harness) -> Vec<ProcessInstanceKey> {
    let began = |record: &tidemill_model::Record| match &record.event {
        Event::Element { kind: tidemill_model::ElementKind::Process, intent, .. }
            if *intent == tidemill_model::ElementIntent::Activating =>
        {
            record.instance
        }
        _ => None,
    };
    engine.records.iter().filter_map(began).collect()
}

#[test]
fn each_start_event_begins_its_own_path() {
    scenario(|engine| {
        engine.deploy(&all_starts());
        engine.start("p", r#"{"by":"request"}"#);
        assert!(engine.is_active("requested"));
        engine.publish("order placed", "", r#"{"by":"message"}"#);
        assert!(engine.is_active("messaged"));
        engine.broadcast("alarm", r#"{"by":"signal"}"#);
        assert!(engine.is_active("signalled"));
        engine.advance(3_600_000);
        assert!(engine.is_active("timed"));
        let instances = instances(engine);
        assert_eq!(instances.len(), 4);
        for (instance, by) in instances.iter().zip(["request", "message", "signal"]) {
            assert_eq!(engine.variable(*instance, "by"), Some(format!("{by:?}")));
        }
        for job_type in ["requested", "messaged", "signalled", "timed"] {
            engine.complete(job_type, "{}");
        }
        for instance in instances {
            engine.expect_completed(instance);
        }
        engine.expect_nothing_left();
    });
}

#[test]
fn a_process_without_none_start_is_not_created_on_request() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start_message("start", "go").end("end");
        engine.deploy(&model);
        let refused = engine.create("p").try_go().expect_err("there is no none start");
        assert_eq!(refused.code, RejectionCode::InvalidState);
    });
}

#[test]
fn a_new_version_takes_over_all_start_events() {
    scenario(|engine| {
        engine.deploy(&all_starts());
        engine.advance(600_000);
        let second = all_starts().with_element("timed", |t| t.header("version", "2"));
        engine.deploy(&second);
        engine.broadcast("alarm", "{}");
        engine.publish("order placed", "", "{}");
        assert_eq!(instances(engine).len(), 2, "one of each, of the latest version");
        engine.expect(&["timer by_timer Canceled", "timer by_timer Created"]);
        engine.advance(3_000_000);
        assert!(!engine.is_active("timed"), "the interval begins with the new version");
        engine.advance(600_000);
        assert!(engine.is_active("timed"));
        engine.advance(36_000_000);
        assert_eq!(engine.count("timer by_timer Triggered"), 2);
    });
}

#[test]
fn the_payload_of_a_start_event_goes_through_its_output_mappings() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start_message("start", "go")
            .with(|event| event.output("=order.id", "orderId"))
            .service_task("work", |t| t.job_type("work"))
            .end("end");
        engine.deploy(&model);
        engine.publish("go", "", r#"{"order":{"id":7}}"#);
        let p = instances(engine)[0];
        assert_eq!(engine.variable(p, "orderId").as_deref(), Some("7"));
        assert_eq!(engine.variable(p, "order"), None, "only what the mapping produces");
    });
}
