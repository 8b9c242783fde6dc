//! A process that calls itself without end: it is stopped by a limit, others get their turn, and after it was
//! cancelled nothing of it begins any more.

mod support;

use std::collections::VecDeque;
use support::{Harness, ModelBuilder};
use tidemill_engine::{Reply, process};
use tidemill_model::command::{CancelInstance, Command, CreateInstance, DefinitionRef};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{
    Answer, ElementIntent, ElementKind, Event, ProcessInstanceKey, TenantId, Text, Variables,
};

const RECURSIVE_CALLS_MAX: usize = 10_000;
const STEPS_MAX: usize = 1_000;

/// Calls itself twice each time.
fn runaway() -> ModelBuilder {
    ModelBuilder::process("again")
        .start("start")
        .call_activity("call", "=id", |c| c.multi_instance("=[1,2]", "n"))
        .end("end")
}

fn create(process_id: &str) -> Command {
    Command::CreateInstance(Box::new(CreateInstance {
        definition: DefinitionRef::Latest(Text::from(process_id)),
        tenant: TenantId::default(),
        variables: Variables::parse(r#"{"id":"again"}"#).expect("JSON"),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }))
}

/// Runs commands one at a time, so that a test can put others between them.
struct Loop {
    engine: Harness,
    queue: VecDeque<Command>,
    commands: usize,
    runs: usize,
    instances_begun: usize,
}

impl Loop {
    fn new(engine: Harness) -> Loop {
        Loop { engine, queue: VecDeque::new(), commands: 0, runs: 0, instances_begun: 0 }
    }

    fn run(&mut self, command: &Command) -> Reply {
        self.commands += 1;
        if let Command::Continue(command) = command {
            assert!(command.steps.len() <= STEPS_MAX, "{} steps in one command", command.steps.len());
        }
        let engine = &mut self.engine;
        let outcome = loop {
            self.runs += 1;
            match process(&mut engine.working, command, engine.now) {
                Ok(outcome) => break outcome,
                Err(missing) => missing.rows.into_iter().for_each(|need| {
                    let supply = engine.store.answer(need);
                    engine.working.supply(supply);
                }),
            }
        };
        engine.commit();
        let begun = outcome.records.iter().filter(|record| {
            matches!(
                record.event,
                Event::Element { kind: ElementKind::Process, intent: ElementIntent::Activating, .. }
            )
        });
        self.instances_begun += begun.count();
        self.queue.extend(outcome.follow_ups.into_iter().map(|follow_up| follow_up.command));
        outcome.reply
    }

    fn run_next(&mut self) -> bool {
        let Some(command) = self.queue.pop_front() else { return false };
        self.run(&command);
        true
    }

    fn run_all(&mut self) {
        while self.run_next() {
            assert!(self.commands < 5_000, "it goes on for ever");
        }
    }

    fn start(&mut self, process_id: &str) -> ProcessInstanceKey {
        match self.run(&create(process_id)) {
            Reply::Now(Answer::Created(created)) => created.instance,
            other => panic!("unexpected {other:?}"),
        }
    }
}

#[test]
fn it_stops_at_a_limit_that_its_incidents_name() {
    let mut engine = Harness::new();
    engine.deploy(&runaway());
    let mut turns = Loop::new(engine);
    let root = turns.start("again");
    turns.run_all();
    assert_eq!(turns.instances_begun, 1 + RECURSIVE_CALLS_MAX);
    let incidents = turns.engine.incidents();
    assert!(!incidents.is_empty());
    for incident in &incidents {
        assert_eq!(incident.kind, IncidentKind::CalledElementError);
        assert!(incident.message.starts_with("Expected at most 10000 instances"), "{}", incident.message);
    }
    turns.run(&Command::CancelInstance(CancelInstance { instance: root }));
    turns.run_all();
    turns.engine.expect_nothing_left();
}

#[test]
fn a_cancelled_one_begins_nothing_more_and_ends_in_proportion_to_what_lives() {
    for (mut engine, rounds) in [(Harness::new(), 12), (Harness::forgetful(), 6)] {
        engine.deploy(&runaway());
        let small = ModelBuilder::process("small").start("s").end("e");
        engine.deploy(&small);
        let mut turns = Loop::new(engine);
        let root = turns.start("again");
        for _ in 0..rounds {
            assert!(turns.run_next(), "it would go on");
            let other = turns.start("small");
            assert!(turns.engine.working.rows() > 0 || other.0 > 0);
        }
        turns.run(&Command::CancelInstance(CancelInstance { instance: root }));
        let live = turns.engine.store.live().count();
        (turns.instances_begun, turns.commands, turns.runs) = (0, 0, 0);
        turns.run_all();
        assert_eq!(turns.instances_begun, 0, "after the cancellation was answered");
        assert!(turns.commands < 50 + live / 50, "{} commands for {live} rows", turns.commands);
        turns.engine.expect_nothing_left();
    }
}

#[test]
fn calls_that_only_spread_out_are_not_counted() {
    let mut engine = Harness::new();
    engine.deploy(&ModelBuilder::process("child").start("s").service_task("w", |t| t.job_type("w")).end("e"));
    let parent = ModelBuilder::process("parent")
        .start("s")
        .call_activity("call", "child", |c| c.multi_instance("=for n in 1..10100 return n", "n"))
        .end("e");
    engine.deploy(&parent);
    let mut turns = Loop::new(engine);
    let root = turns.start("parent");
    turns.run_all();
    assert_eq!(turns.instances_begun, 1 + 10_100);
    assert!(turns.engine.incidents().is_empty());
    turns.run(&Command::CancelInstance(CancelInstance { instance: root }));
    turns.run_all();
    turns.engine.expect_nothing_left();
}

#[test]
fn a_long_chain_that_is_not_in_memory_is_not_begun_again_for_every_miss() {
    let mut engine = Harness::new();
    let once = ModelBuilder::process("again").start("start").call_activity("call", "=id", |c| c).end("end");
    engine.deploy(&once);
    let mut turns = Loop::new(engine);
    let root = turns.start("again");
    turns.run_all();
    turns.engine.reload();
    (turns.commands, turns.runs) = (0, 0);
    turns.engine.store.loads.set(0);
    turns.run(&Command::CancelInstance(CancelInstance { instance: root }));
    turns.run_all();
    turns.engine.expect_nothing_left();
    assert!(turns.runs < 4_000, "{} runs of {} commands", turns.runs, turns.commands);
}
