//! Commands that touch many things of which nothing is in memory: what they miss is asked for together, so a few rounds
//! of loading do.

use crate::support::{Harness, ModelBuilder};
use tidemill_engine::Working;
use tidemill_model::command::PublishMessage;
use tidemill_model::{Command, PartitionCount, PartitionId, TenantId, Text, Variables};

const MANY: usize = 60;

/// Processes that the same message or signal starts; each has a definition of its own.
fn deploy_many(engine: &mut Harness, model: impl Fn(&str) -> ModelBuilder) {
    let files: Vec<_> = (0..MANY).map(|n| (format!("{n}.bpmn"), model(&format!("p{n}")).xml())).collect();
    let files: Vec<_> = files.iter().map(|(name, xml)| (name.as_str(), xml.as_str())).collect();
    engine.deploy_files(&files).expect("deployed");
}

/// How many rounds of loading something takes when nothing is in memory.
fn rounds(engine: &mut Harness, act: impl FnOnce(&mut Harness)) -> usize {
    engine.reload();
    let before = engine.rounds;
    act(engine);
    engine.rounds - before
}

#[test]
fn a_signal_that_starts_many_processes() {
    let mut engine = Harness::new();
    deploy_many(&mut engine, |id| {
        ModelBuilder::process(id).start_signal("s", "go").service_task("t", |t| t.job_type("work")).end("e")
    });
    let rounds = rounds(&mut engine, |engine| engine.broadcast("go", "{}"));
    assert_eq!(engine.jobs().len(), MANY);
    assert!(rounds <= 6, "{rounds} rounds");
}

#[test]
fn a_message_that_starts_many_processes_and_jobs_of_many_definitions() {
    let mut engine = Harness::new();
    deploy_many(&mut engine, |id| {
        ModelBuilder::process(id).start_message("s", "go").service_task("t", |t| t.job_type("work")).end("e")
    });
    let published = rounds(&mut engine, |engine| {
        let _message = engine.publish("go", "", "{}");
    });
    assert!(published <= 6, "{published} rounds to publish");
    let activated = rounds(&mut engine, |engine| {
        assert_eq!(engine.activate("work", 100).len(), MANY);
    });
    assert!(activated <= 6, "{activated} rounds to activate");
}

#[test]
fn a_signal_for_waiting_instances_of_many_definitions() {
    let mut engine = Harness::new();
    deploy_many(&mut engine, |id| ModelBuilder::process(id).start("s").catch_signal("wait", "go").end("e"));
    for n in 0..MANY {
        engine.start(&format!("p{n}"), "{}");
    }
    let rounds = rounds(&mut engine, |engine| engine.broadcast("go", "{}"));
    engine.expect_nothing_left();
    assert!(rounds <= 8, "{rounds} rounds");
}

/// One round for all commands of a batch, whatever each of them needs first.
#[test]
fn what_a_batch_needs_first_is_known_before_it_runs() {
    let working = Working::new(PartitionId(1), PartitionCount::ONE);
    let publish = |n: usize| {
        Command::PublishMessage(PublishMessage {
            tenant: TenantId::default(),
            name: Text::from("go"),
            correlation_key: Text::from(n.to_string()),
            time_to_live_ms: 0,
            message_id: None,
            business_id: None,
            variables: Variables::default(),
        })
    };
    let mut needs = Vec::new();
    for n in 0..MANY {
        working.add_first_needs(&publish(n), &mut needs);
    }
    assert_eq!(needs.len(), 2 * MANY, "a box and the start events for each");
}
