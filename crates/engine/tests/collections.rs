//! Output collections that are read while they fill: one entry per item, null where nothing has come yet, however
//! many there are and wherever they lie.

mod support;

use support::{Harness, ModelBuilder, piecemeal, scenario};
use tidemill_model::command::{ActivateJobs, Command};
use tidemill_model::{Answer, TenantId, Text};

const CHILDREN: usize = 3_200;

/// Many are asked; two who say yes are enough.
fn two_say_yes() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("s")
        .service_task("ask", |t| {
            t.job_type("ask")
                .multi_instance(&format!("=for n in 1..{CHILDREN} return n"), "n")
                .collect("=answer", "res")
                .completion_condition("=count(res[item = \"yes\"]) >= 2")
        })
        .end("e")
}

#[test]
fn a_completion_condition_sees_every_output_of_a_large_instance() {
    for mut engine in [Harness::new(), Harness::forgetful()] {
        engine.deploy(&two_say_yes());
        let p = engine.start("p", "{}");
        let jobs = engine.jobs();
        assert_eq!(jobs.len(), CHILDREN);
        for (n, answer) in [(7, "no"), (3_000, "yes"), (1_500, "no"), (40, "yes")] {
            engine.expect_never("p Completed");
            engine.complete_job(jobs[n].key, &format!("{{\"answer\":\"{answer}\"}}")).expect("it is taken");
        }
        engine.expect_completed(p);
        let res = engine.variable(p, "res").expect("collected");
        assert_eq!(res.matches("\"yes\"").count(), 2);
        assert_eq!(res.matches("null").count(), CHILDREN - 4);
        engine.expect_nothing_left();
    }
}

#[test]
fn a_collection_that_everybody_reads_costs_its_length_and_no_more_loads() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p")
        .start("s")
        .script("each", "=count(res[item != null])", "seen")
        .with(|o| {
            o.multi_instance(&format!("=for n in 1..{CHILDREN} return n"), "n")
                .collect("=seen", "res")
                .completion_condition("=count(res[item != null]) = 3000")
        })
        .end("e");
    engine.deploy(&model);
    engine.store.loads.set(0);
    let p = engine.start("p", "{}");
    engine.expect_completed(p);
    assert!(engine.store.loads.get() < 10, "{} loads", engine.store.loads.get());
    let res = engine.variable(p, "res").expect("collected");
    assert_eq!(res.matches("null").count(), CHILDREN - 3_000);
    engine.expect_nothing_left();
}

fn small() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("s")
        .service_task("ask", |t| {
            t.job_type("ask")
                .multi_instance("=[1,2,3]", "n")
                .collect("=answer", "res")
                .output("=count(res)", "length")
                .completion_condition("=res[1] = \"stop\"")
        })
        .end("e")
}

#[test]
fn conditions_see_the_output_of_the_instance_that_completes() {
    scenario(|engine| {
        engine.deploy(&small());
        let p = engine.start("p", "{}");
        let jobs = engine.jobs();
        engine.complete_job(jobs[0].key, r#"{"answer":"stop"}"#).expect("it is taken");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_condition_that_fails_leaves_the_output_and_goes_on_when_resolved() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("s")
            .service_task("ask", |t| {
                t.job_type("ask")
                    .multi_instance("=[1,2]", "n")
                    .collect("=answer", "res")
                    .completion_condition("=enough")
            })
            .end("e");
        engine.deploy(&model);
        let p = engine.start("p", "{}");
        engine.complete("ask", r#"{"answer":1}"#);
        engine.set_variables(p.scope(), r#"{"enough":false}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.complete("ask", r#"{"answer":2}"#);
        engine.expect_completed(p);
        assert_eq!(engine.variable(p, "res").as_deref(), Some("[1,2]"));
        engine.expect_nothing_left();
    });
}

fn seen_by_worker(engine: &mut Harness, names: &[&str]) -> String {
    let command = ActivateJobs {
        job_type: Text::from("ask"),
        worker: Text::from("worker"),
        timeout_ms: 1,
        jobs_max: 1,
        fetch_variables: names.iter().map(|name| Text::from(*name)).collect(),
        tenants: vec![TenantId::default()],
        with_lease: false,
    };
    match engine.run(Command::ActivateJobs(command)) {
        Ok(Answer::Activated(jobs)) => jobs[0].variables.to_string(),
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn a_worker_sees_it_as_it_stands() {
    scenario(|engine| {
        engine.deploy(&small());
        engine.start("p", "{}");
        engine.complete("ask", r#"{"answer":"no"}"#);
        let seen = seen_by_worker(engine, &[]);
        assert!(seen.contains(r#""res":["no",null,null]"#), "{seen}");
    });
    let mut engine = piecemeal();
    engine.deploy(&two_say_yes());
    engine.start("p", "{}");
    let first = engine.jobs()[0].key;
    engine.complete_job(first, r#"{"answer":"no"}"#).expect("it is taken");
    assert!(!seen_by_worker(&mut engine, &[]).contains("res"), "a long one is not sent with every job");
    let seen = seen_by_worker(&mut engine, &["res"]);
    assert!(seen.starts_with(r#"{"res":["no",null,null"#), "{}", &seen[..40]);
}
