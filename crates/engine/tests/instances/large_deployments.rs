//! Deployments of many files or with many start events: their work is counted, because it must not grow with the
//! square of their size.

use crate::support::{Harness, ModelBuilder, Timer};
use tidemill_model::command::DeleteResource;
use tidemill_model::entity::TimerPurpose;
use tidemill_model::{Command, Entity, RejectionCode, ResourceKey};

const FILES: usize = 900;
const STARTS: usize = 1_000;

fn files(count: usize, job_type: &str) -> Vec<(String, String)> {
    let file = |n: usize| match n % 3 {
        0 => {
            let model = ModelBuilder::process(&format!("p{n}")).start_message("s", &*format!("m{n}"));
            let model = model.service_task("work", |t| t.job_type(job_type)).end("e");
            (format!("p{n}.bpmn"), model.xml())
        }
        1 => (format!("f{n}.form"), format!(r#"{{"id":"f{n}","versionTag":"{job_type}"}}"#)),
        _ => (format!("r{n}.txt"), job_type.to_owned()),
    };
    (0..count).map(file).collect()
}

fn deploy(engine: &mut Harness, files: &[(String, String)]) {
    let files: Vec<_> = files.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
    engine.deploy_files(&files).unwrap_or_else(|refused| panic!("{refused}"));
}

#[test]
fn each_of_very_many_files_is_read_once_and_loaded_for_together() {
    let mut engine = Harness::new();
    for version in ["a", "b"] {
        engine.reload();
        let rounds = engine.rounds;
        deploy(&mut engine, &files(FILES, version));
        assert_eq!(engine.working.files_read(), FILES as u64, "version {version}");
        let rounds = engine.rounds - rounds;
        assert!(rounds <= 4, "{rounds} rounds of loading for version {version}");
    }
    let rounds = engine.rounds;
    engine.reload();
    deploy(&mut engine, &files(FILES, "b"));
    assert!(engine.rounds - rounds <= 4, "a duplicate is found in few rounds as well");
}

fn starts(count: usize, version: &str) -> String {
    let mut model = ModelBuilder::process("p");
    model = model.start("s").service_task("work", |t| t.job_type(version)).end("e");
    for n in 0..count {
        model = model.start_message(&format!("m{n}"), &*format!("message-{n}")).connect_to("work");
        model = model.start_signal(&format!("g{n}"), &format!("signal-{n}")).connect_to("work");
        model = model.start_timer(&format!("t{n}"), Timer::cycle("R/PT1H")).connect_to("work");
    }
    model.xml()
}

#[test]
fn very_many_start_events_are_handed_over_in_few_rounds() {
    let mut engine = Harness::new();
    for version in ["a", "b"] {
        engine.reload();
        let rounds = engine.rounds;
        engine.deploy_files(&[("p.bpmn", &starts(STARTS, version))]).expect("within the limits");
        assert_eq!(engine.working.files_read(), 1, "version {version}");
        let rounds = engine.rounds - rounds;
        assert!(rounds <= 4, "{rounds} rounds of loading for version {version}");
    }
    let subscriptions = engine.store.live().filter(|row| matches!(row, Entity::StartSubscription(_))).count();
    let is_start =
        |row: &Entity| matches!(row, Entity::Timer(t) if matches!(t.purpose, TimerPurpose::Start { .. }));
    let timers = engine.store.live().filter(is_start).count();
    assert_eq!((subscriptions, timers), (2 * STARTS, STARTS), "those of the second version only");
    let newest =
        engine.store.of(|row| if let Entity::ProcessDefinition(head) = row { Some(head.key) } else { None });
    let newest = newest.into_iter().max().expect("two versions");
    let rounds = engine.rounds;
    engine.reload();
    engine.run(Command::DeleteResource(DeleteResource { key: ResourceKey(newest.0) })).expect("it is there");
    let rounds = engine.rounds - rounds;
    assert!(rounds <= 6, "{rounds} rounds to hand them back to the version before");
}

#[test]
fn a_deployment_beyond_its_limits_is_refused_and_told_which() {
    let mut engine = Harness::new();
    let many: Vec<_> = (0..1_001).map(|n| (format!("{n}.txt"), String::new())).collect();
    let many: Vec<_> = many.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
    let starts = starts(1_667, "a");
    let processes: String = (0..100)
        .map(|n| format!(r#"<process id="p{n}" isExecutable="true"><startEvent id="s{n}"/></process>"#))
        .collect();
    let filler = "x".repeat(700_000);
    let repeated = format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><!--{filler}-->{processes}</definitions>"#
    );
    let cases: [(&[(&str, &str)], &str); 3] = [
        (&many, "at most 1000 files"),
        (&[("s.bpmn", &starts)], "at most 5000 message, signal and timer start events"),
        (&[("r.bpmn", &repeated)], "at most 67108864 bytes"),
    ];
    for (files, limit) in cases {
        let refused = engine.deploy_files(files).expect_err(limit);
        assert_eq!(refused.code, RejectionCode::InvalidArgument);
        assert!(refused.reason.contains(limit), "{refused}");
    }
    assert_eq!(engine.store.live().count(), 0);
}
