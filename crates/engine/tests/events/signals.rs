//! Signals reach everybody who waits, start what they start, and are not kept.

use super::starts::instances;
use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::Command;
use tidemill_model::command::BroadcastSignal;
use tidemill_model::{TenantId, Text, Variables};

fn waiting() -> ModelBuilder {
    ModelBuilder::process("waiting").start("s").catch_signal("wait", "alarm").end("e")
}

#[test]
fn a_signal_reaches_more_than_one_page_of_instances() {
    scenario(|engine| {
        engine.deploy(&waiting());
        let all: Vec<_> = (0..230).map(|_| engine.start("waiting", "{}")).collect();
        engine.broadcast("alarm", r#"{"loud":true}"#);
        for instance in &all {
            engine.expect_completed(*instance);
        }
        assert_eq!(engine.variable(all[229], "loud").as_deref(), Some("true"));
        engine.expect_nothing_left();
    });
}

#[test]
fn a_page_of_instances_that_ended_a_moment_ago_does_not_stop_a_signal() {
    let mut engine = Harness::new();
    engine.deploy(&waiting());
    let all: Vec<_> = (0..150).map(|_| engine.start("waiting", "{}")).collect();
    engine.reload();
    let mut batch: Vec<_> = all[..120]
        .iter()
        .map(|instance| {
            Command::CancelInstance(tidemill_model::command::CancelInstance { instance: *instance })
        })
        .collect();
    batch.push(Command::BroadcastSignal(BroadcastSignal {
        tenant: TenantId::default(),
        name: Text::from("alarm"),
        variables: Variables::default(),
    }));
    engine.run_batch(batch);
    for instance in &all[120..] {
        engine.expect_completed(*instance);
    }
    engine.expect_nothing_left();
}

#[test]
fn nothing_is_kept_for_those_who_come_later() {
    scenario(|engine| {
        engine.deploy(&waiting());
        engine.broadcast("alarm", "{}");
        engine.start("waiting", "{}");
        assert!(engine.is_active("wait"));
    });
}

#[test]
fn a_thrown_signal_brings_its_local_variables_only() {
    for is_end in [false, true] {
        scenario(|engine| {
            engine.deploy(&waiting());
            let started = ModelBuilder::process("started")
                .start_signal("s", "alarm")
                .service_task("work", |t| t.job_type("work"))
                .end("e");
            engine.deploy(&started);
            let throwing = ModelBuilder::process("p").start("start");
            let throwing = if is_end {
                throwing.end_signal("shout", "alarm").with(|event| event.input("=secret + 1", "level"))
            } else {
                throwing
                    .throw_signal("shout", "alarm")
                    .with(|event| event.input("=secret + 1", "level"))
                    .end("end")
            };
            engine.deploy(&throwing);
            let waiting = engine.start("waiting", "{}");
            let p = engine.start("p", r#"{"secret":1}"#);
            engine.expect_completed(p);
            engine.expect_completed(waiting);
            let started = instances(engine)[2];
            for reached in [waiting, started] {
                assert_eq!(engine.variable(reached, "level").as_deref(), Some("2"));
                assert_eq!(engine.variable(reached, "secret"), None);
            }
        });
    }
}

#[test]
fn a_signal_does_not_reach_what_waits_behind_it() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .throw_signal("shout", "alarm")
            .catch_signal("listen", "alarm")
            .end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert!(engine.is_active("listen"));
        engine.broadcast("alarm", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn one_signal_can_interrupt_a_scope_and_what_is_inside_at_once() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work"))
            .end("end")
            .boundary_signal("on_task", "work", "alarm")
            .end("task_end")
            .event_sub_process("esp", |b| b.start_signal("esp_start", "alarm").end("esp_end"));
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.broadcast("alarm", "{}");
        engine.expect(&["work Terminated", "esp Completed"]);
        engine.expect_never("on_task Activating");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn only_the_latest_version_is_started() {
    scenario(|engine| {
        let model = |job: &str| {
            ModelBuilder::process("p")
                .start_signal("s", "alarm")
                .service_task("t", |t| t.job_type(job))
                .end("e")
        };
        engine.deploy(&model("old"));
        engine.deploy(&model("new"));
        engine.broadcast("alarm", "{}");
        assert_eq!(instances(engine).len(), 1);
        assert_eq!(engine.jobs().len(), 1);
        assert_eq!(engine.jobs()[0].job_type, "new");
    });
}

#[test]
fn a_signal_name_may_come_from_a_variable_where_it_is_caught_or_thrown() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("start").catch_signal("listen", "=channel").end("end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        assert_eq!(engine.incident().kind.name(), "EXTRACT_VALUE_ERROR");
        engine.set_variables(p.scope(), r#"{"channel":"c-1"}"#, false);
        engine.resolve().expect("it is tried again");
        engine.broadcast("c-1", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}
