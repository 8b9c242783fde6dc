//! Instances that are never in memory as a whole: more children than a page, ended by all kinds of events.

mod support;

use support::{Harness, ModelBuilder, Timer, piecemeal};
use tidemill_engine::process;
use tidemill_model::command::{Command, TriggerTimer};
use tidemill_model::{Entity, ProcessInstanceKey};

/// More than two pages of the store and of the engine.
const CHILDREN: usize = 230;

/// A multi-instance task that waits in many workers' hands, with a way out of every kind.
fn many() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .service_task("work", |t| {
            t.job_type("work").multi_instance(&format!("=for n in 1..{CHILDREN} return n"), "n")
        })
        .end("end")
        .boundary_message("message", "work", ("stop", "=1"))
        .end("message_end")
        .boundary_timer("timer", "work", Timer::duration("PT1H"))
        .end("timer_end")
        .boundary_signal("signal", "work", "stop")
        .end("signal_end")
        .boundary_error("error", "work", Some("E"))
        .end("error_end")
        .event_sub_process("esp", |b| b.start_signal("esp_start", "clear").end("esp_end"))
        .event_sub_process("beside", |b| {
            b.start_message("beside_start", ("note", "=1")).non_interrupting().end("beside_end")
        })
}

fn begin() -> (Harness, ProcessInstanceKey) {
    let mut engine = piecemeal();
    engine.deploy(&many());
    let p = engine.start("p", "{}");
    assert_eq!(engine.jobs().len(), CHILDREN);
    (engine, p)
}

/// Everything in the instance was terminated, and it went on over this event.
fn expect_way_out(engine: &Harness, p: ProcessInstanceKey, last: &str) {
    assert_eq!(engine.count("work Terminated"), CHILDREN + 1, "the body too");
    engine.expect(&[&format!("{last} Completed"), "p Completed"]);
    engine.expect_completed(p);
    engine.expect_nothing_left();
}

#[test]
fn a_cancelled_one_leaves_nothing_behind() {
    let (mut engine, p) = begin();
    engine.cancel(p).expect("it lives");
    assert_eq!(engine.count("work Terminated"), CHILDREN + 1);
    engine.expect_terminated(p);
    engine.expect_nothing_left();
}

#[test]
fn a_message_interrupts_it() {
    let (mut engine, p) = begin();
    engine.publish("stop", "1", "{}");
    expect_way_out(&engine, p, "message_end");
}

#[test]
fn a_timer_interrupts_it() {
    let (mut engine, p) = begin();
    engine.advance(3_600_000);
    expect_way_out(&engine, p, "timer_end");
}

#[test]
fn a_signal_interrupts_it() {
    let (mut engine, p) = begin();
    engine.broadcast("stop", "{}");
    expect_way_out(&engine, p, "signal_end");
}

#[test]
fn an_error_of_one_job_interrupts_it() {
    let (mut engine, p) = begin();
    engine.throw("work", "E", "{}");
    expect_way_out(&engine, p, "error_end");
}

#[test]
fn an_event_subprocess_clears_it() {
    let (mut engine, p) = begin();
    engine.broadcast("clear", "{}");
    expect_way_out(&engine, p, "esp_end");
}

#[test]
fn events_beside_it_do_not_touch_it() {
    let (mut engine, p) = begin();
    engine.publish("note", "1", r#"{"seen":true}"#);
    engine.expect(&["beside_end Completed", "beside Completed"]);
    assert_eq!(engine.variable(p, "seen").as_deref(), Some("true"));
    assert_eq!(engine.jobs().len(), CHILDREN);
    engine.cancel(p).expect("it lives");
    engine.expect_nothing_left();
}

#[test]
fn incidents_of_its_children_are_resolved_one_by_one_or_with_it() {
    let (mut engine, p) = begin();
    engine.fail("work", 0, 0);
    let mut update = support::workers::update(engine.incident().job.expect("of a job"));
    update.retries = Some(1);
    engine.update_job(update).expect("accepted");
    engine.resolve().expect("it has retries");
    engine.fail("work", 0, 0);
    engine.cancel(p).expect("it lives");
    engine.expect_nothing_left();
}

#[test]
fn an_interruption_after_some_have_ended_finds_the_rest() {
    let mut engine = piecemeal();
    engine.deploy(&many());
    let p = engine.start("p", "{}");
    for _ in 0..5 {
        engine.complete("work", "{}");
    }
    engine.publish("stop", "1", "{}");
    assert_eq!(engine.count("work Terminated"), CHILDREN - 5 + 1);
    engine.expect_completed(p);
    engine.expect_nothing_left();
}

#[test]
fn a_large_called_instance_is_terminated_before_its_caller_goes_on() {
    let mut engine = piecemeal();
    engine.deploy(&many());
    let outer = ModelBuilder::process("outer")
        .start("s")
        .call_activity("call", "p", |c| c)
        .end("e")
        .boundary_timer("late", "call", Timer::duration("PT1M"))
        .end("late_end");
    engine.deploy(&outer);
    let outer = engine.start("outer", "{}");
    engine.advance(60_000);
    assert_eq!(engine.count("work Terminated"), CHILDREN + 1);
    engine.expect(&["work Terminated", "p Terminated", "call Terminated", "late_end Completed"]);
    engine.expect_completed(outer);
    let jobs = engine.store.of(|entity| matches!(entity, Entity::Job(_)).then_some(()));
    assert!(jobs.is_empty());
    engine.expect_nothing_left();
}

#[test]
fn timers_of_very_many_children_fire_without_a_load_for_each() {
    const TIMERS: usize = 3_000;
    let mut engine = Harness::new();
    let inside = ModelBuilder::process("q")
        .start("s")
        .sub_process("each", |sub| sub.start("in").catch_timer("wait", Timer::duration("PT1M")).end("out"))
        .with_element("each", |o| o.multi_instance(&format!("=for n in 1..{TIMERS} return n"), "n"))
        .end("e");
    engine.deploy(&inside);
    let q = engine.start("q", "{}");
    engine.reload();
    engine.now = engine.now + 60_000;
    let (mut misses, mut loads) = (0, 0);
    let timers = engine.timers();
    assert_eq!(timers.len(), TIMERS);
    for turn in timers.chunks(250) {
        let timers = turn.iter().map(|timer| tidemill_model::entity::Timer::clone(timer));
        let commands: Vec<_> =
            timers.map(|timer| Command::TriggerTimer(TriggerTimer { timer, was_put_aside: false })).collect();
        for _ in 0..4 {
            let mut needs = Vec::new();
            for command in &commands {
                engine.working.add_first_needs(command, &mut needs);
            }
            let needs: std::collections::HashSet<tidemill_model::Need> = needs.into_iter().collect();
            loads += usize::from(!needs.is_empty());
            for need in needs {
                let supply = engine.store.answer(need);
                engine.working.supply(supply);
            }
        }
        let mut queue = std::collections::VecDeque::from(commands);
        while let Some(command) = queue.pop_front() {
            loop {
                match process(&mut engine.working, &command, engine.now) {
                    Ok(outcome) => {
                        queue.extend(outcome.follow_ups.into_iter().map(|follow_up| follow_up.command));
                        break;
                    }
                    Err(missing) => {
                        misses += 1;
                        for need in missing.rows {
                            let supply = engine.store.answer(need);
                            engine.working.supply(supply);
                        }
                    }
                }
            }
        }
        engine.commit();
    }
    assert!(!engine.is_active("each"), "all have ended");
    assert!(engine.store.live().all(|entity| !matches!(&entity, Entity::ProcessInstance(i) if i.key == q)));
    assert!(misses + loads < 100, "{misses} misses, {loads} rounds for {TIMERS} timers");
}
