//! When timers fire: every kind of timer in every place it may stand, as one table.

use crate::support::{BEGIN, Harness, ModelBuilder, Timer, scenario};

/// How long and how closely each timer is watched.
const STEP_MS: i64 = 10_000;
const STEPS: i64 = 30;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Date,
    Duration,
    Cycle,
}

/// The text of the timer, the repetitions that are stored, and the seconds after which it fires within five minutes.
type Row = (Kind, &'static str, Option<i32>, &'static [i64]);

const EVERY_MINUTE: &[i64] = &[60, 120, 180, 240, 300];

const TABLE: &[Row] = &[
    (Kind::Date, "2026-01-01T00:01:00Z", None, &[60]),
    (Kind::Date, "2026-01-01T02:01:00+02:00", None, &[60]),
    (Kind::Date, "2026-01-01T01:01:00+01:00[Europe/Berlin]", None, &[60]),
    (Kind::Date, r#"=date and time("2026-01-01T00:01:00Z")"#, None, &[60]),
    (Kind::Date, r#"=date and time("2026-01-01T00:01:00")"#, None, &[60]),
    (Kind::Date, r#"=now() + duration("PT2M")"#, None, &[120]),
    (Kind::Date, "2025-06-01T00:00:00Z", None, &[0]),
    (Kind::Date, "2026-01-02T00:00:00Z", None, &[]),
    (Kind::Duration, "PT1M", None, &[60]),
    (Kind::Duration, "PT0S", None, &[0]),
    (Kind::Duration, "-PT1M", None, &[0]),
    (Kind::Duration, r#"=duration("PT1M")"#, None, &[60]),
    (Kind::Duration, r#"="PT1M""#, None, &[60]),
    (Kind::Duration, "P1Y2M", None, &[]),
    (Kind::Cycle, "R3/PT1M", Some(3), &[60, 120, 180]),
    (Kind::Cycle, "R/PT1M", Some(-1), EVERY_MINUTE),
    (Kind::Cycle, "R0/PT1M", Some(1), &[60]),
    (Kind::Cycle, "R1/PT1M", Some(1), &[60]),
    (Kind::Cycle, "R2/2026-01-01T00:02:00Z/PT1M", Some(2), &[120, 180]),
    (Kind::Cycle, "R/2026-01-01T00:04:00Z/PT30S", Some(-1), &[240, 270, 300]),
    (Kind::Cycle, r#"=cycle(2, duration("PT1M"))"#, Some(2), &[60, 120]),
    (Kind::Cycle, r#"=cycle(duration("PT1M"))"#, Some(-1), EVERY_MINUTE),
    (Kind::Cycle, "0 * * * * *", Some(-1), EVERY_MINUTE),
    (Kind::Cycle, "30 0/2 * * * ?", Some(-1), &[30, 150, 270]),
    (Kind::Cycle, "@hourly", Some(-1), &[]),
];

fn timer(kind: Kind, text: &str) -> Timer {
    match kind {
        Kind::Date => Timer::date(text),
        Kind::Duration => Timer::duration(text),
        Kind::Cycle => Timer::cycle(text),
    }
}

/// A model whose timer event is called `event`.
type MakeModel = fn(Timer) -> ModelBuilder;

fn working() -> ModelBuilder {
    ModelBuilder::process("p").start("start").service_task("work", |t| t.job_type("work")).end("end")
}

fn catching(timer: Timer) -> ModelBuilder {
    ModelBuilder::process("p").start("start").catch_timer("event", timer).end("end")
}

fn interrupting_boundary(timer: Timer) -> ModelBuilder {
    working().boundary_timer("event", "work", timer).end("late")
}

fn boundary(timer: Timer) -> ModelBuilder {
    working().boundary_timer("event", "work", timer).non_interrupting().end("late")
}

fn interrupting_event_sub_process(timer: Timer) -> ModelBuilder {
    working().event_sub_process("esp", |b| b.start_timer("event", timer).end("late"))
}

fn event_sub_process(timer: Timer) -> ModelBuilder {
    working().event_sub_process("esp", |b| b.start_timer("event", timer).non_interrupting().end("late"))
}

fn starting(timer: Timer) -> ModelBuilder {
    ModelBuilder::process("p").start_timer("event", timer).end("end")
}

/// Fires what is due, step by step, and tells the seconds at which the timer fired.
fn firings(engine: &mut Harness) -> Vec<i64> {
    let mut seconds = Vec::new();
    for step in 0..=STEPS {
        engine.advance(if step == 0 { 0 } else { STEP_MS });
        let fired = engine.count("timer event Triggered");
        seconds.resize(fired, step * STEP_MS / 1_000);
        assert_eq!(engine.now, BEGIN + step * STEP_MS);
    }
    seconds
}

fn check(place: MakeModel, takes_cycles: bool, is_start: bool) {
    for (kind, text, repetitions, expected) in TABLE {
        if *kind == Kind::Cycle && !takes_cycles {
            continue;
        }
        scenario(|engine| {
            engine.deploy(&place(timer(*kind, text)));
            if !is_start {
                engine.start("p", "{}");
            }
            let timers: Vec<_> = engine.timers().iter().map(|timer| timer.repetitions).collect();
            if repetitions.is_none() && expected.first() == Some(&0) {
                assert_eq!(timers, [], "{text} is due at once and does not wait");
            } else {
                assert_eq!(timers, [*repetitions], "{text}");
            }
            let fired = firings(engine);
            assert_eq!(fired, *expected, "{text}\n{}", engine.log());
            assert_eq!(engine.count("event Completed"), expected.len(), "{text}");
        });
    }
}

#[test]
fn of_catch_events() {
    check(catching, false, false);
}

#[test]
fn of_interrupting_boundary_events() {
    check(interrupting_boundary, false, false);
}

#[test]
fn of_non_interrupting_boundary_events() {
    check(boundary, true, false);
}

#[test]
fn of_interrupting_event_subprocesses() {
    check(interrupting_event_sub_process, false, false);
}

#[test]
fn of_non_interrupting_event_subprocesses() {
    check(event_sub_process, true, false);
}

#[test]
fn of_start_events() {
    check(starting, true, true);
}

#[test]
fn cycles_are_refused_where_an_event_can_come_only_once() {
    for place in [catching, interrupting_boundary, interrupting_event_sub_process] {
        let mut engine = Harness::new();
        let xml = place(Timer::cycle("R3/PT1M")).xml();
        engine.deploy_files(&[("p.bpmn", &xml)]).expect_err("a cycle makes no sense here");
    }
}
