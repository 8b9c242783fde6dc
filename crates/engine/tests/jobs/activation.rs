//! Which jobs are handed out, in which order, and what comes with them.

use super::one_job;
use crate::support::workers::{activation, failure, update};
use crate::support::{Harness, ModelBuilder, piecemeal, scenario};
use tidemill_engine::Reply;
use tidemill_model::command::{
    ActivateJobs, Command, CreateInstance, DefinitionRef, Deploy, ResourceFile, TriggerTimer,
};
use tidemill_model::entity::Timer;
use tidemill_model::{ActivatedJob, Answer, TenantId, Text, Variables};

fn numbers(jobs: &[ActivatedJob]) -> Vec<String> {
    jobs.iter().map(|job| job.variables.to_string()).collect()
}

#[test]
fn older_jobs_come_first() {
    scenario(|engine| {
        engine.deploy(&one_job());
        for n in 1..=3 {
            engine.start("p", &format!(r#"{{"n":{n}}}"#));
        }
        let jobs = engine.activate("work", 2);
        assert_eq!(numbers(&jobs), [r#"{"n":1}"#, r#"{"n":2}"#]);
        assert_eq!(numbers(&engine.activate("work", 2)), [r#"{"n":3}"#]);
        assert_eq!(engine.activate("work", 2).len(), 0, "all are held");
    });
}

#[test]
fn higher_priority_comes_before_age() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work").job_priority("=priority"))
            .end("end");
        engine.deploy(&model);
        for priority in [0, 5, -1, 5] {
            engine.start("p", &format!(r#"{{"priority":{priority}}}"#));
        }
        let jobs = engine.activate("work", 10);
        let priorities: Vec<_> = jobs.iter().map(|job| job.job.priority).collect();
        assert_eq!(priorities, [5, 5, 0, -1]);
        assert!(jobs[0].job.key < jobs[1].job.key);
    });
}

#[test]
fn a_changed_priority_moves_the_job() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", r#"{"n":1}"#);
        engine.start("p", r#"{"n":2}"#);
        let last = engine.jobs().last().expect("two jobs").key;
        let mut command = update(last);
        command.priority = Some(7);
        engine.update_job(command).expect("accepted");
        assert_eq!(numbers(&engine.activate("work", 1)), [r#"{"n":2}"#]);
    });
}

#[test]
fn more_jobs_than_one_page_are_all_handed_out_once() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| t.job_type("work").multi_instance("=for n in 1..250 return n", "n"))
            .end("end");
        engine.deploy(&model);
        engine.start("p", "{}");
        let mut seen = std::collections::BTreeSet::new();
        loop {
            let jobs = engine.activate("work", 60);
            if jobs.is_empty() {
                break;
            }
            for job in jobs {
                assert!(seen.insert(job.job.key), "handed out twice");
            }
        }
        assert_eq!(seen.len(), 250);
    });
}

#[test]
fn headers_and_everything_visible_come_with_the_job() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("work", |t| {
                t.job_type("=kind").retries("=1 + 1").header("a", "1").header("b", "x").input("=n + 1", "m")
            })
            .end("end");
        engine.deploy(&model);
        engine.create("p").variables(r#"{"kind":"paint","n":1}"#).tags(&["red"]).business_id("b-1").go();
        let jobs = engine.activate("paint", 1);
        let job = &jobs[0];
        assert_eq!(job.job.headers.as_ref().map(|headers| headers.as_str()), Some(r#"{"a":"1","b":"x"}"#));
        assert_eq!(job.job.retries, 2);
        assert_eq!(job.job.business_id.as_deref(), Some("b-1"));
        assert_eq!(job.tags, ["red"]);
        assert_eq!((job.process_id.as_str(), job.version), ("p", 1));
        let variables = Variables::parse(job.variables.as_str()).expect("an object");
        assert_eq!(variables.get("m").map(|value| value.as_str()), Some("2"));
        assert_eq!(variables.get("n").map(|value| value.as_str()), Some("1"));
    });
}

#[test]
fn only_the_variables_asked_for_are_fetched() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", r#"{"a":1,"b":2}"#);
        let fetch_variables = vec![Text::from("b"), Text::from("missing")];
        let jobs = engine.activate_with(ActivateJobs { fetch_variables, ..activation("work") });
        assert_eq!(jobs[0].variables.as_str(), r#"{"b":2}"#);
    });
}

#[test]
fn a_failed_job_with_retries_left_is_handed_out_again() {
    scenario(|engine| {
        engine.deploy(&one_job());
        engine.start("p", "{}");
        let job = engine.activate("work", 1)[0].job.key;
        engine.try_fail(failure(job, 2)).expect("accepted");
        let again = engine.activate("work", 1);
        assert_eq!(again[0].job.key, job);
        assert_eq!(again[0].job.retries, 2);
    });
}

#[test]
fn a_back_off_holds_the_job_back() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        engine.fail("work", 1, 5_000);
        assert_eq!(engine.activate("work", 1).len(), 0);
        engine.advance(4_999);
        assert_eq!(engine.activate("work", 1).len(), 0);
        engine.advance(1);
        let jobs = engine.activate("work", 1);
        assert_eq!(jobs.len(), 1, "\n{}", engine.log());
        engine.complete_job(jobs[0].job.key, "{}").expect("accepted");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_back_off_goes_with_its_job() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        engine.fail("work", 1, 5_000);
        assert_eq!(engine.timers().len(), 1);
        engine.cancel(p).expect("it lives");
        engine.expect_terminated(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_back_off_that_fires_a_moment_after_its_job_has_gone_passes_unnoticed() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        engine.fail("work", 1, 5_000);
        let timer = Timer::clone(&engine.timers()[0]);
        engine.cancel(p).expect("it lives");
        engine
            .run(Command::TriggerTimer(TriggerTimer { timer, was_put_aside: false }))
            .expect("nothing happens");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_job_that_came_back_from_its_back_off_can_fail_again() {
    scenario(|engine| {
        engine.deploy(&one_job());
        let p = engine.start("p", "{}");
        for _ in 0..2 {
            engine.fail("work", 1, 5_000);
            engine.advance(5_000);
            assert_eq!(engine.timers().len(), 0);
        }
        engine.complete("work", "{}");
        engine.expect_completed(p);
        engine.expect_nothing_left();
    });
}

#[test]
fn jobs_of_other_tenants_are_not_in_the_way() {
    let mut engine = piecemeal();
    for tenant in ["a", "b"] {
        let tenant = TenantId(Text::from(tenant));
        let content = one_job().xml();
        let files = vec![ResourceFile { name: Text::from("p.bpmn"), content: content.into_bytes().into() }];
        engine.run(Command::Deploy(Deploy { tenant: tenant.clone(), files })).expect("deployed");
        for _ in 0..150 {
            let command = CreateInstance {
                definition: DefinitionRef::Latest(Text::from("p")),
                tenant: tenant.clone(),
                variables: Variables::default(),
                start: Vec::new(),
                terminate_after: Vec::new(),
                tags: Vec::new(),
                business_id: None,
                is_unique: false,
            };
            engine.run(Command::CreateInstance(Box::new(command))).expect("created");
        }
    }
    let tenants = vec![TenantId(Text::from("b"))];
    let jobs = engine.activate_with(ActivateJobs { tenants, ..activation("work") });
    assert_eq!(jobs.len(), 10);
    assert!(jobs.iter().all(|job| job.job.origin.tenant.as_str() == "b"));
}

#[test]
fn jobs_that_are_made_behind_what_is_known_of_their_type_are_handed_out_once_each() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p")
        .start("s")
        .service_task("work", |t| t.job_type("work").job_priority("=priority"))
        .end("e");
    engine.deploy(&model);
    for n in 0..250 {
        engine.start("p", &format!("{{\"priority\":{}}}", n % 5));
    }
    engine.reload();
    let mut seen: Vec<_> = engine.activate("work", 50).iter().map(|job| job.job.key).collect();
    // In one batch with an activation that must go beyond the first page: some in front of it, some behind.
    let create = |priority: i32| {
        Command::CreateInstance(Box::new(CreateInstance {
            definition: DefinitionRef::Latest(Text::from("p")),
            tenant: TenantId::default(),
            variables: Variables::parse(&format!("{{\"priority\":{priority}}}")).expect("JSON"),
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
            is_unique: false,
        }))
    };
    let activate = Command::ActivateJobs(ActivateJobs {
        job_type: Text::from("work"),
        worker: Text::from("worker"),
        timeout_ms: 60_000,
        jobs_max: 60,
        fetch_variables: Vec::new(),
        tenants: vec![TenantId::default()],
        with_lease: false,
    });
    let mut commands: Vec<Command> = (-5..10).map(create).collect();
    commands.extend(vec![activate; 12]);
    for reply in engine.run_batch(commands) {
        if let Reply::Now(Answer::Activated(jobs)) = reply {
            seen.extend(jobs.iter().map(|job| job.job.key));
        }
    }
    assert_eq!(seen.len(), 265);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 265, "none twice");
}
