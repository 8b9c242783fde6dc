//! Limits on what a model or a client can make grow. They end in a follow-up, an incident or a refusal, never in a stuck partition.

mod support;

use support::workers::failure;
use support::{Harness, ModelBuilder, Timer, piecemeal, scenario};
use tidemill_model::command::{Command, FailJob};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{Event, RejectionCode};

/// A loop of gateways only, which deployment lets pass.
fn gateways_in_a_circle() -> ModelBuilder {
    let model = ModelBuilder::process("p").start("start").exclusive("a").exclusive("b").when("=again");
    model.connect_to("a").move_to("b").otherwise().end("end")
}

#[test]
fn a_loop_that_never_waits_yields_and_ends_in_an_incident() {
    let mut engine = Harness::new();
    engine.deploy(&gateways_in_a_circle());
    let instance = engine.start("p", r#"{"again":true}"#);
    let incident = engine.incident();
    assert!(incident.message.contains("100000 elements"), "{}", incident.message);
    assert!(engine.follow_ups >= 100, "others had their turn {} times", engine.follow_ups);
    engine.set_variables(instance.scope(), r#"{"again":false}"#, false);
    engine.resolve().expect("it can be resolved");
    engine.expect_completed(instance);
    engine.expect_nothing_left();
}

#[test]
fn a_loop_that_yields_goes_on_where_it_was_even_if_everything_was_forgotten() {
    let mut engine = Harness::forgetful();
    engine.deploy(&gateways_in_a_circle());
    let instance = engine.start("p", r#"{"again":true}"#);
    assert_eq!(engine.incident().kind, IncidentKind::Unknown);
    engine.cancel(instance).expect("it lives");
    engine.expect_terminated(instance);
    engine.expect_nothing_left();
}

#[test]
fn tokens_that_double_without_a_wait_are_stopped() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p")
        .start("start")
        .exclusive("merge")
        .parallel("fork")
        .connect_to("merge")
        .move_to("fork")
        .connect_to("merge");
    engine.deploy(&model);
    let instance = engine.start("p", "{}");
    let passed = engine.records.iter().filter(|record| {
        matches!(&record.event, Event::Element { intent: tidemill_model::ElementIntent::Activating, .. })
    });
    assert!(passed.count() < 250_000, "it does not go on for ever");
    assert!(!engine.incidents().is_empty());
    engine.cancel(instance).expect("it lives");
    engine.expect_terminated(instance);
    engine.expect_nothing_left();
}

/// Each task leads to the next twenty, so that tokens multiply by twenty with each step.
#[test]
fn tokens_that_multiply_without_a_wait_are_stopped_before_they_are_many() {
    const TASKS: usize = 60;
    let mut model = ModelBuilder::process("p").start("start");
    for n in 0..TASKS {
        model = model.manual_task(&format!("t{n}"));
    }
    model = model.end("end");
    for n in 0..TASKS {
        for target in n + 2..(n + 20).min(TASKS) {
            model = model.move_to(&format!("t{n}")).connect_to(&format!("t{target}"));
        }
    }
    let mut engine = Harness::new();
    engine.deploy(&model);
    let instance = engine.start("p", "{}");
    assert!(!engine.incidents().is_empty());
    let passed = engine.records.iter().filter(|record| {
        matches!(&record.event, Event::Element { intent: tidemill_model::ElementIntent::Activating, .. })
    });
    let passed = passed.count();
    assert!(passed < 250_000, "{passed} elements were made");
    engine.cancel(instance).expect("it lives");
    engine.expect_terminated(instance);
    engine.expect_nothing_left();
}

#[test]
fn very_many_flows_at_once_are_spread_over_commands() {
    for mut engine in [Harness::new(), Harness::forgetful()] {
        let mut model =
            ModelBuilder::process("p").start("start").parallel("fork").manual_task("t").parallel("join");
        for n in 0..1_500 {
            model = model.move_to("fork").manual_task(&format!("t{n}")).connect_to("join");
        }
        engine.deploy(&model.move_to("join").end("end"));
        let instance = engine.start("p", "{}");
        assert!(engine.follow_ups >= 3, "steps were put off");
        assert_eq!(engine.count("join Completed"), 1);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    }
}

#[test]
fn a_join_beside_very_many_elements_of_its_scope_finds_out_who_can_reach_it() {
    let mut engine = piecemeal();
    let mut model = ModelBuilder::process("p")
        .start("start")
        .inclusive("split")
        .when("=true")
        .service_task("near", |t| t.job_type("near"))
        .inclusive("join")
        .end("end")
        .move_to("split")
        .when("=true")
        .service_task("far", |t| t.job_type("far"))
        .end("elsewhere")
        .move_to("split")
        .when("=true")
        .parallel("fork");
    for n in 0..130 {
        model = model.move_to("fork").user_task(&format!("t{n}"), |t| t).end(&format!("e{n}"));
    }
    model = model.move_to("fork").service_task("last", |t| t.job_type("last")).connect_to("join");
    engine.deploy(&model);
    let instance = engine.start("p", "{}");
    engine.complete("near", "{}");
    assert_eq!(engine.count("join Completed"), 0, "the last one can still come");
    engine.complete("far", "{}");
    assert_eq!(engine.count("join Completed"), 0);
    engine.complete("last", "{}");
    assert_eq!(engine.count("join Completed"), 1);
    engine.cancel(instance).expect("it lives");
    engine.expect_nothing_left();
}

#[test]
fn variables_that_do_not_fit_are_refused_at_the_door_and_an_incident_inside() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p")
        .start("start")
        .script("grow", "=for i in 1..3 return big", "huge")
        .end("end");
    engine.deploy(&model);
    let big = "x".repeat(2 * 1024 * 1024);
    let both = format!("{{\"a\":\"{big}\",\"b\":\"{big}\"}}");
    let refused = engine.create("p").variables(&both).try_go().expect_err("more than 4 MiB");
    assert_eq!(refused.code, RejectionCode::ExceededSize);
    let instance = engine.start("p", &format!("{{\"big\":\"{big}\"}}"));
    assert_eq!(engine.incident().kind, IncidentKind::MessageSizeExceeded);
    engine.set_variables(instance.scope(), r#"{"big":"small"}"#, false);
    engine.resolve().expect("it can be resolved");
    engine.expect_completed(instance);
    engine.expect_nothing_left();
}

#[test]
fn very_many_variables_cost_no_more_than_their_number() {
    let mut engine = Harness::new();
    engine
        .deploy(&ModelBuilder::process("p").start("s").service_task("work", |t| t.job_type("work")).end("e"));
    let members: Vec<String> = (0..100_000).map(|n| format!("\"variable{n}\":{n}")).collect();
    let instance = engine.start("p", &format!("{{{}}}", members.join(",")));
    let job = engine.activate("work", 1).remove(0);
    assert!(job.variables.as_str().len() > 1_000_000);
    engine.complete("work", "{}");
    engine.expect_completed(instance);
    engine.expect_nothing_left();
}

#[test]
fn names_of_variables_that_no_store_takes_are_refused() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("p").start("s").end("e"));
        for name in ["a\\u0000b".to_owned(), "n".repeat(513)] {
            let refused = engine.create("p").variables(&format!("{{\"{name}\":1}}")).try_go();
            assert_eq!(refused.expect_err("not a name").code, RejectionCode::InvalidArgument);
        }
        engine.expect_nothing_left();
    });
}

#[test]
fn a_name_of_a_variable_that_the_model_makes_too_long_is_an_incident() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("p").start("s").script("make", "=1", &"n".repeat(513)).end("e"));
        let instance = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.cancel(instance).expect("it lives");
        engine.expect_nothing_left();
    });
}

#[test]
fn a_collection_of_more_than_a_million_items_is_an_incident() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p").start("s").task("each").end("e");
    engine.deploy(&model.with_element("each", |o| o.multi_instance("=items", "item")));
    let instance = engine.start("p", &format!("{{\"items\":[{}0]}}", "0,".repeat(1_000_000)));
    let incident = engine.incident();
    assert_eq!(incident.kind, IncidentKind::ExtractValueError);
    assert!(incident.message.contains("1000001"), "{}", incident.message);
    engine.cancel(instance).expect("it lives");
    engine.expect_nothing_left();
}

#[test]
fn one_activation_hands_out_so_many_jobs_and_bytes() {
    let mut engine = Harness::new();
    engine
        .deploy(&ModelBuilder::process("p").start("s").service_task("work", |t| t.job_type("work")).end("e"));
    let big = "x".repeat(3 * 1024 * 1024);
    for _ in 0..2 {
        engine.start("p", &format!("{{\"big\":\"{big}\"}}"));
    }
    assert_eq!(engine.activate("work", 10).len(), 1, "two would be more than 4 MiB");
    assert_eq!(engine.activate("work", 10).len(), 1);
    for _ in 0..1_005 {
        engine.start("p", "{}");
    }
    assert_eq!(engine.activate("work", 5_000).len(), 1_000);
    assert_eq!(engine.activate("work", 5_000).len(), 5);
}

/// Every job carries the headers of its element.
#[test]
fn headers_count_among_the_bytes_of_an_activation() {
    let mut engine = Harness::new();
    let header = "x".repeat(200 * 1024);
    let task = ModelBuilder::process("p").start("s");
    engine.deploy(&task.service_task("work", |t| t.job_type("work").header("a", &header)).end("e"));
    for _ in 0..30 {
        engine.start("p", "{}");
    }
    let first = engine.activate("work", 30).len();
    assert!((10..25).contains(&first), "{first} jobs of 200 KB each");
}

#[test]
fn what_a_worker_says_of_a_failure_is_cut() {
    let mut engine = Harness::new();
    engine
        .deploy(&ModelBuilder::process("p").start("s").service_task("work", |t| t.job_type("work")).end("e"));
    engine.start("p", "{}");
    let job = engine.activate("work", 1).remove(0).job.key;
    let said = Some("x".repeat(1_000_000).into());
    engine.run(Command::FailJob(FailJob { error_message: said, ..failure(job, 1) })).expect("it fails");
    let kept = engine.job("work").error_message.clone().expect("it is kept");
    assert!(kept.len() == 10_003 && kept.ends_with("..."), "{} bytes", kept.len());
}

/// Places where an expression names something that stores must keep and find again.
fn named_by_expression() -> Vec<(&'static str, ModelBuilder)> {
    let begin = || ModelBuilder::process("p").start("s");
    vec![
        ("job type", begin().service_task("at", |t| t.job_type("=x")).end("e")),
        ("message name", begin().catch_message("at", ("=x", "=1")).end("e")),
        ("correlation key", begin().catch_message("at", ("go", "=x")).end("e")),
        ("signal name", begin().catch_signal("at", "=x").end("e")),
        ("thrown signal", begin().throw_signal("at", "=x").end("e")),
        ("escalation code", begin().throw_escalation("at", "=x").end("e")),
        ("error code", begin().end_error("at", "=x")),
        ("called process", begin().call_activity("at", "=x", |c| c).end("e")),
        ("assignee", begin().user_task("at", |t| t.assignee("=x")).end("e")),
        ("candidates", begin().user_task("at", |t| t.candidate_groups("=[x]")).end("e")),
        ("form", begin().user_task("at", |t| t.form_id("=x")).end("e")),
    ]
}

#[test]
fn names_that_are_too_long_or_hold_a_nul_are_incidents() {
    for (what, model) in named_by_expression() {
        for value in ["n".repeat(513), "a\\u0000b".to_owned()] {
            scenario(|engine| {
                engine.deploy(&model);
                let instance = engine.start("p", &format!("{{\"x\":\"{value}\"}}"));
                let incident = engine.incident();
                assert_eq!(incident.kind, IncidentKind::ExtractValueError, "{what}: {}", incident.message);
                assert_eq!(incident.element_id, "at", "{what}");
                assert!(!incident.message.contains('\0'), "{what}: {}", incident.message);
                engine.cancel(instance).expect("it lives");
                engine.expect_nothing_left();
            });
        }
    }
}

#[test]
fn an_incident_quotes_no_more_than_fits_and_nothing_that_no_store_takes() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").catch_timer("at", Timer::duration("=x")).end("e");
        engine.deploy(&model);
        let text = format!("\\u0000{}", "ü".repeat(100_000));
        engine.start("p", &format!("{{\"x\":\"{text}\"}}"));
        let message = engine.incident().message.clone();
        assert!(!message.contains('\0'));
        let characters = message.chars().count();
        assert!(message.ends_with("...") && characters == 10_003, "{characters} characters");
    });
}

/// A batch of the server ends after two million units of work, or after 1,024 commands.
#[test]
fn work_is_counted_so_that_a_thousand_small_commands_fit_into_a_batch_and_few_heavy_ones() {
    let mut engine = Harness::new();
    let model = |source: &str| {
        let task = ModelBuilder::process("p")
            .start("s")
            .service_task("t", |t| t.job_type("work").input(source, "r"));
        task.end("e")
    };
    engine.deploy(&model("=1 + 1"));
    engine.work_max = 0;
    engine.start("p", "{}");
    engine.activate("work", 1);
    engine.complete("work", "{}");
    assert!(engine.work_max < 2_000_000 / 1_024, "{} for a small command", engine.work_max);
    engine.deploy(&model("=count(for n in 1..200000 return n)"));
    engine.work_max = 0;
    engine.start("p", "{}");
    assert!(engine.work_max > 200_000, "{} for a heavy one", engine.work_max);
    engine.work_max = 0;
    let jobs: String = (0..100).map(|n| format!("{n},")).collect();
    engine.deploy(
        &ModelBuilder::process("many")
            .start("s")
            .service_task("t", |t| t.job_type("many"))
            .with_element("t", |o| o.multi_instance(&format!("=[{}]", jobs.trim_end_matches(',')), "n"))
            .end("e"),
    );
    engine.start("many", "{}");
    engine.work_max = 0;
    assert_eq!(engine.activate("many", 100).len(), 100);
    assert!(engine.work_max > 100 * 16, "{} for many rows", engine.work_max);
}
