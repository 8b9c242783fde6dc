//! Repeating timers over time: late, changed, failing, and gone.

use crate::support::{BEGIN, ModelBuilder, Timer, scenario};
use tidemill_model::entity::IncidentKind;

fn reminding(cycle: &str) -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .service_task("work", |t| t.job_type("work"))
        .end("end")
        .boundary_timer("remind", "work", Timer::cycle(cycle))
        .non_interrupting()
        .end("reminded")
}

#[test]
fn a_late_cycle_catches_up_one_by_one_without_drift() {
    scenario(|engine| {
        engine.deploy(&reminding("R5/PT1M"));
        engine.start("p", "{}");
        engine.now = BEGIN + 150_000;
        engine.advance(0);
        assert_eq!(engine.count("reminded Completed"), 2, "none is skipped");
        assert_eq!(engine.timers()[0].due_at, BEGIN + 180_000, "counted from the due time, not from now");
        assert_eq!(engine.timers()[0].repetitions, Some(3));
    });
}

#[test]
fn a_late_cron_counts_from_now() {
    scenario(|engine| {
        engine.deploy(&reminding("0 * * * * *"));
        engine.start("p", "{}");
        engine.now = BEGIN + 150_000;
        engine.advance(0);
        assert_eq!(engine.count("reminded Completed"), 1);
        assert_eq!(engine.timers()[0].due_at, BEGIN + 180_000);
    });
}

#[test]
fn a_cycle_whose_start_is_past_begins_at_once() {
    scenario(|engine| {
        engine.deploy(&reminding("R2/2025-12-31T23:59:30Z/PT1M"));
        engine.start("p", "{}");
        engine.advance(0);
        assert_eq!(engine.count("reminded Completed"), 1);
        engine.advance(60_000);
        assert_eq!(engine.count("reminded Completed"), 2);
        assert_eq!(engine.timers().len(), 0);
    });
}

#[test]
fn the_expression_is_asked_again_for_each_repetition_but_not_for_the_count() {
    scenario(|engine| {
        engine.deploy(&reminding(r#"="R" + string(times) + "/" + pause"#));
        let p = engine.start("p", r#"{"times":3,"pause":"PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"times":9,"pause":"PT10M"}"#, false);
        engine.advance(60_000);
        assert_eq!(engine.timers()[0].due_at, BEGIN + 660_000);
        assert_eq!(engine.timers()[0].repetitions, Some(2));
        engine.advance(600_000);
        engine.advance(600_000);
        engine.advance(6_000_000);
        assert_eq!(engine.count("reminded Completed"), 3);
    });
}

#[test]
fn a_cycle_that_cannot_go_on_fires_once_more_and_raises_an_incident() {
    scenario(|engine| {
        engine.deploy(&reminding("=pause"));
        let p = engine.start("p", r#"{"pause":"R/PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        engine.advance(60_000);
        assert_eq!(engine.count("reminded Completed"), 1);
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        assert_eq!(engine.incident().element_id, "work");
        assert_eq!(engine.timers().len(), 0);
        engine.fail("work", 0, 0);
        assert_eq!(engine.incidents().len(), 2);
        engine.set_variables(p.scope(), r#"{"pause":"R/PT1M"}"#, false);
        let of_timer = engine.incidents().into_iter().find(|incident| incident.job.is_none());
        let incident = of_timer.expect("of the timer").key;
        let command = tidemill_model::command::ResolveIncident { incident };
        engine.run(tidemill_model::Command::ResolveIncident(command)).expect("it is open");
        let of_job = engine.incident().key;
        assert_eq!(engine.element("work").incident, Some(of_job), "the other one still stands");
        engine.cancel(p).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_cycle_goes_on_when_its_incident_is_resolved() {
    scenario(|engine| {
        engine.deploy(&reminding("=pause"));
        let p = engine.start("p", r#"{"pause":"R3/PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        engine.advance(60_000);
        engine.resolve().expect("it is open");
        assert_eq!(engine.incident().element_id, "work", "still wrong: a new incident");
        assert_eq!(engine.timers().len(), 0);
        engine.set_variables(p.scope(), r#"{"pause":"R9/PT1M"}"#, false);
        engine.advance(20_000);
        engine.resolve().expect("it is open");
        assert_eq!(engine.incidents().len(), 0);
        assert_eq!(engine.element("work").incident, None);
        assert_eq!(engine.timers()[0].due_at, BEGIN + 120_000, "counted from the last firing");
        assert_eq!(engine.timers()[0].repetitions, Some(2));
        engine.advance(600_000);
        assert_eq!(engine.count("reminded Completed"), 3);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_cycle_whose_incident_is_resolved_late_catches_up() {
    scenario(|engine| {
        engine.deploy(&reminding("=pause"));
        let p = engine.start("p", r#"{"pause":"R3/PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        engine.advance(60_000);
        engine.set_variables(p.scope(), r#"{"pause":"R3/PT1M"}"#, false);
        engine.advance(600_000);
        engine.resolve().expect("it is open");
        assert!(engine.timers()[0].due_at <= engine.now, "it is due at once");
        engine.advance(0);
        assert_eq!(engine.count("reminded Completed"), 3);
        assert_eq!(engine.timers().len(), 0);
    });
}

/// A cycle that starts an event subprocess of the process itself.
fn process_with_cycle() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("s")
        .service_task("work", |t| t.job_type("work"))
        .end("e")
        .event_sub_process("reminder", |r| {
            r.start_timer("again", Timer::cycle("=pause")).non_interrupting().end("reminded")
        })
}

#[test]
fn a_cycle_of_the_process_itself_that_cannot_go_on_is_an_incident_on_the_process() {
    scenario(|engine| {
        engine.deploy(&process_with_cycle());
        let p = engine.start("p", r#"{"pause":"R3/PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        engine.advance(60_000);
        assert_eq!(engine.count("reminded Completed"), 1);
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::ExtractValueError);
        assert_eq!((&*incident.element_id, incident.element_instance), ("p", p.scope()));
        engine.set_variables(p.scope(), r#"{"pause":"R3/PT1M"}"#, false);
        engine.resolve().expect("it is open");
        engine.advance(600_000);
        assert_eq!(engine.count("reminded Completed"), 3);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_cycle_of_a_scope_that_was_interrupted_meanwhile_does_not_go_on() {
    scenario(|engine| {
        let model = process_with_cycle().event_sub_process("stop", |s| {
            s.start_signal("stopped", "stop").service_task("tidy", |t| t.job_type("tidy")).end("tidied")
        });
        engine.deploy(&model);
        let p = engine.start("p", r#"{"pause":"R3/PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        engine.advance(60_000);
        engine.broadcast("stop", r#"{"pause":"R3/PT1M"}"#);
        engine.resolve().expect("it is open");
        assert_eq!(engine.timers().len(), 0);
        engine.complete("tidy", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_process_takes_the_incident_of_its_own_timer_with_it() {
    scenario(|engine| {
        engine.deploy(&process_with_cycle());
        for _ in 0..2 {
            let p = engine.start("p", r#"{"pause":"R3/PT1M"}"#);
            engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        }
        engine.advance(60_000);
        assert_eq!(engine.incidents().len(), 2);
        engine.complete("work", "{}");
        let second = engine.incident().origin.instance;
        engine.cancel(second).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn an_activity_takes_the_incident_of_its_timer_with_it() {
    scenario(|engine| {
        engine.deploy(&reminding("=pause"));
        let p = engine.start("p", r#"{"pause":"R/PT1M"}"#);
        engine.set_variables(p.scope(), r#"{"pause":"soon"}"#, false);
        engine.advance(60_000);
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_timer_that_was_cancelled_does_not_fire() {
    scenario(|engine| {
        engine.deploy(&reminding("R/PT1M"));
        let p = engine.start("p", "{}");
        let timer = tidemill_model::entity::Timer::clone(&engine.timers()[0]);
        engine.complete("work", "{}");
        engine.expect(&["work Completing", "timer remind Canceled", "work Completed"]);
        engine.expect_completed(p);
        let command = tidemill_model::command::TriggerTimer { timer, was_put_aside: false };
        engine.run(tidemill_model::Command::TriggerTimer(command)).expect("it is just not there any more");
        engine.expect_never("timer remind Triggered");
        engine.expect_nothing_left();
    });
}

#[test]
fn several_timers_on_one_activity_fire_in_their_order() {
    scenario(|engine| {
        let model = reminding("R/PT1M")
            .boundary_timer("early", "work", Timer::duration("PT90S"))
            .non_interrupting()
            .end("early_end")
            .boundary_timer("late", "work", Timer::duration("PT3M"))
            .end("late_end");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.advance(600_000);
        engine.expect_exactly(
            &["timer remind Trig", "timer early Trig", "timer late Trig"],
            &[
                "timer remind Triggered",
                "timer early Triggered",
                "timer remind Triggered",
                "timer late Triggered",
            ],
        );
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_timer_start_that_is_deployed_again_unchanged_is_not_reset() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start_timer("s", Timer::cycle("R/PT1M")).end("e");
        engine.deploy(&model);
        engine.advance(30_000);
        engine.deploy(&model);
        engine.advance(30_000);
        assert_eq!(engine.count("timer s Triggered"), 1);
    });
}

#[test]
fn timers_of_a_scope_are_asked_with_what_the_start_event_brought() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start_message("s", "go")
            .service_task("work", |t| t.job_type("work"))
            .end("e")
            .event_sub_process("esp", |b| b.start_timer("esp_start", Timer::duration("=limit")).end("late"));
        engine.deploy(&model);
        engine.publish("go", "", r#"{"limit":"PT5M"}"#);
        assert_eq!(engine.timers()[0].due_at, BEGIN + 300_000);
    });
}
