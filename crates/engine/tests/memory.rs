//! Memory keeps things by names of clients within limits only, and finds them again in the store.

mod support;

use support::{Harness, ModelBuilder};
use tidemill_model::command::{
    ActivateJobs, BroadcastSignal, Command, CorrelateMessage, PublishMessage, TriggerTimer,
};
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_model::{TenantId, Text, Variables};

const ROWS_MAX: usize = 2_000;
const NAMES: usize = 30_000;
const BATCH: usize = 500;

fn evicting() -> Harness {
    let mut engine = Harness::new();
    engine.evict_to = Some(ROWS_MAX);
    engine
}

/// Runs a command for each of very many names, many in a batch, and looks how much is kept.
fn run_many(engine: &mut Harness, command: impl Fn(usize) -> Command) {
    let mut highest = 0;
    for batch in 0..NAMES / BATCH {
        engine.run_batch((0..BATCH).map(|n| command(batch * BATCH + n)).collect());
        highest = highest.max(engine.working.entries());
        engine.records.clear();
        engine.replies.clear();
        engine.store.ended.clear();
    }
    assert!(highest < 8 * ROWS_MAX, "{highest} entries were kept");
}

fn publish(name: String, key: String) -> Command {
    Command::PublishMessage(PublishMessage {
        tenant: TenantId::default(),
        name: Text::from(name),
        correlation_key: Text::from(key),
        message_id: None,
        business_id: None,
        time_to_live_ms: 3_600_000,
        variables: Variables::default(),
    })
}

#[test]
fn messages_of_very_many_keys_wait_in_the_store() {
    let mut engine = evicting();
    engine.deploy(&ModelBuilder::process("p").start("s").catch_message("wait", ("paid", "=id")).end("e"));
    run_many(&mut engine, |n| publish("paid".to_owned(), format!("k{n}")));
    for id in ["k0", "k12345"] {
        let p = engine.start("p", &format!("{{\"id\":\"{id}\"}}"));
        engine.expect_completed(p);
    }
    let timer = engine.timers().into_iter().find(|timer| {
        matches!(&timer.purpose, TimerPurpose::MessageExpiry { correlation_key, .. } if correlation_key == "k777")
    });
    let timer = Timer::clone(&timer.expect("it expires"));
    engine.now = timer.due_at;
    engine.run(Command::TriggerTimer(TriggerTimer { timer, was_put_aside: false })).expect("it fires");
    engine.expect(&["message paid Expired"]);
    let late = engine.start("p", r#"{"id":"k777"}"#);
    assert!(engine.is_active("wait"));
    engine.cancel(late).expect("it lives");
}

#[test]
fn messages_of_very_many_names_wait_in_the_store() {
    let mut engine = evicting();
    engine.deploy(&ModelBuilder::process("p").start("s").catch_message("wait", ("=name", "=id")).end("e"));
    run_many(&mut engine, |n| publish(format!("name{n}"), format!("k{}", n % 300)));
    let p = engine.start("p", r#"{"name":"name317","id":"k17"}"#);
    engine.expect_completed(p);
}

#[test]
fn instances_that_wait_for_messages_are_found_again() {
    let mut engine = evicting();
    engine.deploy(&ModelBuilder::process("p").start("s").catch_message("wait", ("paid", "=id")).end("e"));
    for n in 0..3_000 {
        engine.start("p", &format!("{{\"id\":\"k{n}\"}}"));
        engine.records.clear();
    }
    assert!(engine.working.entries() < 8 * ROWS_MAX, "{} entries", engine.working.entries());
    for n in [0, 1_500, 2_999] {
        engine.correlated("paid", &format!("k{n}")).expect("it waits");
    }
    engine.correlated("paid", "k0").expect_err("it waits no longer");
}

#[test]
fn locks_of_instances_that_messages_have_started_hold() {
    let mut engine = evicting();
    let model = ModelBuilder::process("p")
        .start_message("s", "go")
        .service_task("work", |t| t.job_type("work"))
        .end("e");
    engine.deploy(&model);
    for n in 0..2_000 {
        engine.correlated("go", &format!("k{n}")).expect("it starts");
        engine.records.clear();
    }
    assert!(engine.working.entries() < 8 * ROWS_MAX, "{} entries", engine.working.entries());
    for n in [0, 999, 1_999] {
        engine.correlated("go", &format!("k{n}")).expect_err("one is running");
    }
    engine.complete("work", "{}");
    engine.correlated("go", "k0").expect("the first has ended");
}

#[test]
fn names_that_lead_nowhere_are_not_remembered_for_ever() {
    let mut engine = evicting();
    run_many(&mut engine, |n| {
        Command::CorrelateMessage(CorrelateMessage {
            tenant: TenantId::default(),
            name: Text::from(format!("message{n}")),
            correlation_key: Text::from(format!("k{n}")),
            business_id: None,
            variables: Variables::default(),
        })
    });
    run_many(&mut engine, |n| {
        let name = Text::from(format!("signal{n}"));
        let (tenant, variables) = (TenantId::default(), Variables::default());
        Command::BroadcastSignal(BroadcastSignal { tenant, name, variables })
    });
    run_many(&mut engine, |n| {
        Command::ActivateJobs(ActivateJobs {
            job_type: Text::from(format!("type{n}")),
            worker: Text::from("worker"),
            timeout_ms: 1_000,
            jobs_max: 1,
            fetch_variables: Vec::new(),
            tenants: vec![TenantId::default()],
            with_lease: false,
        })
    });
}

#[test]
fn jobs_of_very_many_types_are_handed_out_after_they_were_forgotten() {
    let mut engine = evicting();
    engine.deploy(
        &ModelBuilder::process("p").start("s").service_task("work", |t| t.job_type("=kind")).end("e"),
    );
    for n in 0..2_000 {
        engine.start("p", &format!("{{\"kind\":\"kind{n}\"}}"));
        engine.records.clear();
    }
    for n in 0..2_000 {
        assert_eq!(engine.activate(&format!("kind{n}"), 10).len(), 1, "kind{n}");
        engine.records.clear();
    }
    for n in 0..2_000 {
        assert!(engine.activate(&format!("kind{n}"), 10).is_empty(), "kind{n} is held");
    }
    assert!(engine.working.entries() < 12 * ROWS_MAX, "{} entries", engine.working.entries());
}

#[test]
fn nothing_is_kept_of_large_instances_that_have_ended() {
    let mut engine = Harness::new();
    engine.deploy(
        &ModelBuilder::process("p")
            .start("s")
            .service_task("each", |t| t.job_type("w").multi_instance("=for n in 1..600 return n", "n"))
            .end("e"),
    );
    let first = engine.start("p", "{}");
    engine.reload();
    engine.cancel(first).expect("it lives");
    let kept = engine.working.entries();
    for _ in 0..3 {
        let p = engine.start("p", "{}");
        engine.working.forget();
        engine.cancel(p).expect("it lives");
    }
    assert!(engine.working.entries() <= kept + 2, "{} entries, {kept} before", engine.working.entries());
}

#[test]
fn processes_that_nobody_runs_are_compiled_again_when_somebody_does() {
    let mut engine = evicting();
    let model = |n: usize| {
        ModelBuilder::process(&format!("p{n}")).start("s").service_task("w", |t| t.job_type("w")).end("e")
    };
    engine.deploy(&model(0));
    let first = engine.start("p0", "{}");
    let kept = engine.working.entries();
    for n in 1..1_300 {
        engine.deploy(&model(n));
        engine.records.clear();
    }
    engine.working.definitions_changed();
    assert!(engine.working.entries() < kept + 3_000, "{} entries", engine.working.entries());
    for n in [1, 700] {
        let p = engine.start(&format!("p{n}"), "{}");
        engine.cancel(p).expect("it lives");
        engine.expect_terminated(p);
    }
    engine.complete("w", "{}");
    engine.expect_completed(first);
}
