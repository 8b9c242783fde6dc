//! Definitions that this version cannot read: whoever needs one is told so, and nothing that needs one gets lost.

use crate::support::*;
use std::sync::{Arc, Mutex};
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_model::command::BroadcastSignal;
use tidemill_model::{Command, IncidentKey, ProcessInstanceKey, TenantId, Text, Variables};
use tidemill_partition::CommandError;

const BROKEN: &str = "<definitions><process id=";

/// Waits for a signal.
fn hear(process_id: &str) -> ModelBuilder {
    ModelBuilder::process(process_id).start("s").catch_signal("c", "go").end("e")
}

fn work_as(process_id: &str) -> ModelBuilder {
    ModelBuilder::process(process_id).start("s").service_task("t", |task| task.job_type("t")).end("e")
}

/// Like a file from a later version, which knows an element that this one does not.
fn from_the_future(model: &ModelBuilder) -> String {
    model.xml().replace("<bpmn:endEvent", "<bpmn:transaction id=\"x\"/><bpmn:endEvent")
}

fn broadcast() -> Command {
    let (tenant, variables) = (TenantId::default(), Variables::default());
    Command::BroadcastSignal(BroadcastSignal { tenant, name: Text::from("go"), variables })
}

impl Bench {
    /// The one incident that says that the definition of this instance cannot be read.
    #[track_caller]
    fn incident_of(&self, instance: ProcessInstanceKey) -> IncidentKey {
        let found: Vec<_> = self.incidents().into_iter().filter(|one| one.instance == instance).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains("cannot read its file"), "{found:?}");
        found[0].key
    }

    /// Every letter is run again.
    fn retry_letters(&mut self) {
        for letter in self.letters() {
            self.retry_letter(letter.number);
        }
        self.settle();
    }

    #[track_caller]
    fn expect_states(&self, expected: &[(ProcessInstanceKey, &str)]) {
        for (instance, state) in expected {
            assert_eq!(self.state_of(*instance).as_deref(), Some(*state), "{instance}");
        }
    }
}

#[test]
fn a_client_is_told_which_definition_cannot_be_read_and_why() {
    let future = from_the_future(&sleep());
    for file in [BROKEN, &future] {
        let mut bench = Bench::with(&[sleep(), quick()]);
        let key = bench.replace_file("sleep", file);
        let call = bench.send(create("sleep"));
        bench.settle();
        let refusal = bench.refused(call);
        let CommandError::Rejected(rejection) = &refusal else { panic!("{refusal:?}") };
        for part in [key.to_string(), "'sleep'".to_owned(), "version 1".to_owned()] {
            assert!(rejection.reason.contains(&part), "{part}: {}", rejection.reason);
        }
        bench.started("quick");
    }
}

#[test]
fn the_log_names_the_definition_once() {
    let logged = Arc::new(Mutex::new(Vec::new()));
    // The place in the code that logs is made known before: tests beside this one may do so at the very moment at which the log is
    // set up, and it would stay silent then.
    let mut before = Bench::with(&[sleep()]);
    before.replace_file("sleep", BROKEN);
    before.send(create("sleep"));
    before.settle();
    tracing::subscriber::with_default(ErrorLog(logged.clone()), || {
        let mut bench = Bench::with(&[sleep(), quick()]);
        bench.replace_file("sleep", BROKEN);
        for _ in 0..3 {
            bench.send(create("sleep"));
            bench.settle();
            // A deployment has the definitions looked up again.
            bench.deploy(&[listen()]);
        }
    });
    let logged = logged.lock().expect("no panic");
    let told: Vec<_> = logged.iter().filter(|line| line.contains("cannot be read")).collect();
    assert_eq!(told.len(), 1, "{logged:?}");
    for part in ["definition", "sleep", "version", "reason"] {
        assert!(told[0].contains(part), "{part}: {told:?}");
    }
}

#[test]
fn a_timer_is_put_aside_and_fires_when_the_definition_can_be_read_again() {
    let mut bench = Bench::with(&[sleep()]);
    let instance = bench.started("sleep");
    bench.replace_file("sleep", BROKEN);
    bench.pass(SLEEP_MS);
    bench.settle();
    assert_eq!(bench.letters().len(), 1);
    assert!(bench.letters()[0].reason.contains("'sleep'"), "{:?}", bench.letters());
    bench.expect_states(&[(instance, "ACTIVE")]);
    bench.incident_of(instance);
    bench.replace_file("sleep", &sleep().xml());
    bench.retry_letters();
    bench.expect_states(&[(instance, "COMPLETED")]);
    assert!(bench.incidents().is_empty(), "they end with their instance");
    assert!(bench.letters().is_empty());
}

#[test]
fn a_message_is_put_aside_and_arrives_when_the_definition_can_be_read_again() {
    let mut bench = Bench::with(&[listen()]);
    let instance = bench.started_with(create_with("listen", r#"{"key":"k"}"#));
    bench.replace_file("listen", BROKEN);
    bench.append(correlate("k"));
    bench.settle();
    assert_eq!(bench.letters().len(), 1, "{:?}", bench.letters());
    bench.expect_states(&[(instance, "ACTIVE")]);
    bench.incident_of(instance);
    bench.replace_file("listen", &listen().xml());
    bench.retry_letters();
    bench.expect_states(&[(instance, "COMPLETED")]);
}

#[test]
fn a_signal_reaches_the_others_and_is_put_aside_for_this_one_alone() {
    let mut bench = Bench::with(&[hear("bad"), hear("good")]);
    let (first, bad, last) = (bench.started("good"), bench.started("bad"), bench.started("good"));
    bench.replace_file("bad", BROKEN);
    bench.done(broadcast());
    bench.settle();
    bench.expect_states(&[(first, "COMPLETED"), (bad, "ACTIVE"), (last, "COMPLETED")]);
    assert_eq!(bench.letters().len(), 1, "{:?}", bench.letters());
    bench.incident_of(bad);
    assert_eq!(bench.incidents().len(), 1);
    bench.replace_file("bad", &hear("bad").xml());
    bench.retry_letters();
    bench.expect_states(&[(bad, "COMPLETED")]);
}

#[test]
fn jobs_stay_where_they_are_and_hold_up_no_others_of_their_type() {
    let mut bench = Bench::with(&[work_as("bad"), work_as("good")]);
    let bad: Vec<_> = (0..30).map(|_| bench.started("bad")).collect();
    let good = bench.started("good");
    bench.replace_file("bad", BROKEN);
    let worker = bench.poll(60_000);
    bench.settle();
    let jobs = bench.jobs(worker).expect("it was served").as_ref().expect("with jobs");
    assert_eq!(jobs.iter().map(|job| job.job.origin.instance).collect::<Vec<_>>(), [good]);
    let report = bench.send(complete(bench.job_of(bad[0]).key));
    let second = bench.poll(60_000);
    bench.settle();
    bench.refused(report);
    assert_eq!(bench.job_count(second), None, "it waits for jobs that can be done");
    for instance in &bad {
        bench.incident_of(*instance);
    }
    bench.replace_file("bad", &work_as("bad").xml());
    let third = bench.poll(60_000);
    bench.settle();
    assert_eq!(bench.job_count(third), Some(10));
}

#[test]
fn jobs_that_nobody_can_get_are_incidents_at_once() {
    let mut bench = Bench::with(&[work_as("bad")]);
    let bad: Vec<_> = (0..30).map(|_| bench.started("bad")).collect();
    bench.replace_file("bad", BROKEN);
    let worker = bench.poll(60_000);
    bench.settle();
    assert_eq!(bench.job_count(worker), None);
    for instance in &bad {
        bench.incident_of(*instance);
    }
}

#[test]
fn the_incident_stays_until_the_definition_can_be_read_and_the_job_goes_on_then() {
    let mut bench = Bench::with(&[work_as("bad")]);
    let instance = bench.started("bad");
    bench.replace_file("bad", BROKEN);
    for _ in 0..3 {
        let report = bench.send(complete(bench.job_of(instance).key));
        bench.settle();
        bench.refused(report);
    }
    let incident = bench.incident_of(instance);
    let early = bench.send(resolve(incident));
    bench.settle();
    let refusal = format!("{:?}", bench.refused(early));
    assert!(refusal.contains("cannot read its file"), "{refusal}");
    assert_eq!(bench.incident_of(instance), incident);
    bench.replace_file("bad", &work_as("bad").xml());
    bench.done(resolve(incident));
    assert!(bench.incidents().is_empty());
    bench.done(complete(bench.job_of(instance).key));
    bench.expect_states(&[(instance, "COMPLETED")]);
}

#[test]
fn a_called_process_that_ends_leaves_the_incident_with_its_caller() {
    let caller = ModelBuilder::process("caller").start("s").call_activity("c", "work", |call| call).end("e");
    let mut bench = Bench::with(&[caller.clone(), work_as("work")]);
    let instance = bench.started("caller");
    let called = bench.called_by(instance);
    let job = bench.job_of(called).key;
    bench.replace_file("caller", BROKEN);
    let report = bench.send(complete(job));
    bench.settle();
    bench.refused(report);
    let incident = bench.incident_of(instance);
    bench.replace_file("caller", &caller.xml());
    bench.done(resolve(incident));
    bench.done(complete(job));
    bench.expect_states(&[(instance, "COMPLETED")]);
}

#[test]
fn a_call_of_it_is_an_incident_of_the_caller() {
    let caller = ModelBuilder::process("caller").start("s").call_activity("c", "quick", |call| call).end("e");
    let mut bench = Bench::with(&[caller, quick()]);
    bench.replace_file("quick", BROKEN);
    let instance = bench.started("caller");
    bench.expect_states(&[(instance, "ACTIVE")]);
    let incidents = bench.incidents();
    assert_eq!(incidents.len(), 1);
    assert!(incidents[0].message.contains("'quick'"), "{incidents:?}");
    bench.replace_file("quick", &quick().xml());
    bench.done(resolve(incidents[0].key));
    bench.expect_states(&[(instance, "COMPLETED")]);
}

#[test]
fn a_signal_that_starts_it_is_an_incident_of_the_instance_that_throws_it() {
    let started = ModelBuilder::process("started").start_signal("s", "go").end("e");
    let throws = ModelBuilder::process("throws").start("s").throw_signal("t", "go").end("e");
    let mut bench = Bench::with(&[throws, started.clone()]);
    bench.replace_file("started", BROKEN);
    let instance = bench.started("throws");
    bench.expect_states(&[(instance, "ACTIVE")]);
    let incident = bench.incidents().pop().expect("it waits for the definition");
    bench.replace_file("started", &started.xml());
    bench.done(resolve(incident.key));
    bench.expect_states(&[(instance, "COMPLETED")]);
    assert_eq!(bench.instance_count(), 2);
}

#[test]
fn its_instances_can_be_cancelled() {
    for (model, variables) in
        [(sleep(), "{}"), (work_as("work"), "{}"), (listen(), r#"{"key":"k"}"#), (hear("hear"), "{}")]
    {
        let process_id = model.build().processes[0].id().to_string();
        let mut bench = Bench::with(&[model]);
        let instance = bench.started_with(create_with(&process_id, variables));
        bench.replace_file(&process_id, BROKEN);
        bench.done(cancel(instance));
        bench.expect_states(&[(instance, "TERMINATED")]);
        assert!(bench.letters().is_empty(), "{process_id}: {:?}", bench.letters());
    }
}

/// Errors that were logged, each as one line.
struct ErrorLog(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for ErrorLog {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().expect("no panic").push(line.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

struct Line(String);

impl tracing::field::Visit for Line {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}
