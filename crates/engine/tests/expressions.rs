//! The cost of expressions in a command, and the values that they draw at random.

mod support;

use std::collections::HashSet;
use support::{Harness, ModelBuilder, Options, Timer, scenario};
use tidemill_model::entity::IncidentKind;

/// Searches a megabyte of text so many times, which costs 16,384 steps each time and little time.
fn searches(count: usize) -> String {
    format!("=count((for i in 1..{count} return contains(text, \"b\"))[not(item)])")
}

fn text() -> String {
    format!("{{\"text\":\"{}\"}}", "a".repeat(1 << 20))
}

fn mappings(options: Options, count: usize, searches_each: usize) -> Options {
    (0..count).fold(options, |options, n| options.input(&searches(searches_each), &format!("r{n}")))
}

fn chain_of_tasks(tasks: usize, mappings_each: usize, searches_each: usize) -> ModelBuilder {
    let model = ModelBuilder::process("p").start("start");
    let task = |model: ModelBuilder, n| {
        model.manual_task(&format!("t{n}")).with(|options| mappings(options, mappings_each, searches_each))
    };
    (0..tasks).fold(model, task).end("end")
}

#[test]
fn heavy_expressions_give_others_their_turn_between_elements() {
    let mut engine = Harness::new();
    engine.deploy(&chain_of_tasks(30, 10, 30));
    let instance = engine.start("p", &text());
    engine.expect_completed(instance);
    assert!(engine.follow_ups >= 29, "others had their turn {} times", engine.follow_ups);
    assert!(engine.feel_steps_max > 4_000_000, "{} steps for an element", engine.feel_steps_max);
    assert!(engine.feel_steps_max < 10_000_000, "{} steps in one command", engine.feel_steps_max);
}

#[test]
fn light_expressions_share_a_command() {
    let mut engine = Harness::new();
    engine.deploy(&chain_of_tasks(30, 1, 1));
    let instance = engine.start("p", &text());
    engine.expect_completed(instance);
    assert!(engine.follow_ups < 3, "{} commands followed", engine.follow_ups);
}

#[test]
fn the_expressions_of_one_element_have_a_limit_together() {
    let mut engine = Harness::new();
    engine.deploy(&chain_of_tasks(1, 30, 30));
    let instance = engine.start("p", &text());
    let incident = engine.incident();
    assert_eq!(incident.kind, IncidentKind::IoMappingError);
    assert!(incident.message.contains("8000000 steps together"), "{}", incident.message);
    assert!(engine.feel_steps_max < 10_000_000, "{} steps in one command", engine.feel_steps_max);
    engine.set_variables(instance.scope(), r#"{"text":"short"}"#, false);
    engine.resolve().expect("it can be resolved");
    engine.expect_completed(instance);
}

#[test]
fn reading_and_writing_of_large_variables_is_work() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p").start("start");
    let copies =
        (0..20).fold(model, |model, n| model.script(&format!("s{n}"), "=items", &format!("copy{n}")));
    engine.deploy(&copies.end("end"));
    let items = vec!["12345678"; 100_000].join(",");
    let instance = engine.start("p", &format!("{{\"items\":[{items}]}}"));
    engine.expect_completed(instance);
    // 900,000 bytes are read and 100,000 values written, 64 bytes for a step.
    assert!(engine.feel_steps_max > 900_000, "{} steps", engine.feel_steps_max);
}

#[test]
fn later_mappings_do_not_read_again_what_earlier_ones_hide() {
    let mut engine = Harness::new();
    let large = format!("{{{}}}", (0..2_000).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(","));
    let model = ModelBuilder::process("p").start("start").manual_task("t");
    let model =
        model.with(|options| (0..50).fold(options, |o, n| o.input(&format!("={n}"), &format!("a.v{n}"))));
    engine.deploy(&model.end("end"));
    let instance = engine.start("p", &format!("{{\"a\":{large}}}"));
    engine.expect_completed(instance);
    assert!(engine.feel_steps_max < 200_000, "{} steps", engine.feel_steps_max);
}

#[test]
fn the_results_of_mappings_have_a_limit_together() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p").start("start").manual_task("t");
    let model =
        model.with(|options| (0..10).fold(options, |options, n| options.input("=items", &format!("r{n}"))));
    engine.deploy(&model.end("end"));
    engine.start("p", &format!("{{\"items\":[{}]}}", vec!["1"; 300_000].join(",")));
    let incident = engine.incident();
    assert!(incident.message.contains("67108864 bytes together"), "{}", incident.message);
}

#[test]
fn a_mapping_cannot_make_what_cannot_be_read_again() {
    scenario(|engine| {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let model = ModelBuilder::process("p").start("start").manual_task("t");
        engine.deploy(&model.with(|options| options.input("=deep", "a.b")).end("end"));
        engine.start("p", &format!("{{\"deep\":{deep}}}"));
        assert!(engine.incident().message.contains("at most 200 deep"), "{}", engine.incident().message);
    });
}

#[test]
fn every_evaluation_draws_other_numbers() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("p").start("start").service_task("each", |task| {
        let each = task.job_type("work").multi_instance("=[1, 2, 3, 4, 5]", "n");
        each.input("=uuid()", "id").input("=uuid()", "other").input("=random number()", "dice")
    });
    let model = model.end("end");
    engine.deploy(&model);
    engine.start("p", r#"{}"#);
    engine.start("p", r#"{}"#);
    let jobs = engine.activate("work", 20);
    assert_eq!(jobs.len(), 10);
    let value = |job: &tidemill_model::ActivatedJob, name: &str| {
        let variables: serde_json::Value = serde_json::from_str(job.variables.as_str()).expect("JSON");
        variables[name].to_string()
    };
    let drawn: HashSet<_> =
        jobs.iter().flat_map(|job| ["id", "other", "dice"].map(|name| value(job, name))).collect();
    assert_eq!(drawn.len(), 30, "{drawn:?}");
}

/// Gateways create no keys that last: their commands must not draw what the command before has drawn.
#[test]
fn commands_without_new_keys_draw_other_numbers() {
    let mut engine = Harness::new();
    engine.deploy(
        &ModelBuilder::process("p").start("start").script("s", "=[uuid(), random number()]", "r").end("e"),
    );
    let first = engine.start("p", "{}");
    let second = engine.start("p", "{}");
    assert_ne!(engine.variable(first, "r"), engine.variable(second, "r"));
}

/// A command that misses something runs again from its start, and draws the same numbers.
#[test]
fn a_command_that_runs_again_draws_the_same_numbers() {
    let draw = |mut engine: Harness| {
        let model = ModelBuilder::process("p").start("start").script("s", "=[uuid(), random number()]", "r");
        engine.deploy(
            &model.service_task("t", |task| task.job_type("work")).script("s2", "=uuid()", "q").end("end"),
        );
        let instance = engine.start("p", "{}");
        engine.complete("work", "{}");
        (engine.variable(instance, "r"), engine.variable(instance, "q"))
    };
    assert_eq!(draw(Harness::new()), draw(Harness::forgetful()));
}

#[test]
fn expressions_know_their_instance() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .service_task("task", |t| {
                t.job_type("work")
                    .input("=camunda.processInstance.key", "a")
                    .input("=camunda.processInstance.businessId", "b")
                    .input("=get value(camunda.processInstance, \"businessId\")", "c")
            })
            .end("end");
        engine.deploy(&model);
        let instance = engine.create("p").business_id("b-1").go();
        let job = engine.activate("work", 1).remove(0);
        assert_eq!(job.variables.as_str(), format!(r#"{{"a":{},"b":"b-1","c":"b-1"}}"#, instance.0));
        engine.complete("work", "{}");
        engine.start("p", r#"{"camunda":{"processInstance":{"key":1}}}"#);
        let job = engine.activate("work", 1).remove(0);
        assert!(job.variables.as_str().starts_with(r#"{"a":1,"b":null"#), "{}", job.variables);
    });
}

#[test]
fn incidents_tell_what_the_evaluation_warned_of() {
    for (model, message) in [
        (
            ModelBuilder::process("p").start("start").exclusive("choice").when("=x > 5").end("end"),
            "Expected result of the expression 'x > 5' to be 'BOOLEAN', but was 'NULL'. The evaluation reported the \
             following warnings:\n[NO_VARIABLE_FOUND] No variable found with name 'x'\n[NOT_COMPARABLE] Can't compare \
             'null' with '5'",
        ),
        (
            ModelBuilder::process("p").start("start").catch_timer("wait", Timer::duration("=x")).end("end"),
            "Expected result of the expression 'x' to be one of '[DURATION, PERIOD, STRING]', but was 'NULL'. The \
             evaluation reported the following warnings:\n[NO_VARIABLE_FOUND] No variable found with name 'x'",
        ),
        (
            ModelBuilder::process("p").start("start").catch_timer("wait", Timer::date("=5")).end("end"),
            "Expected result of the expression '5' to be one of '[DATE_TIME, STRING]', but was 'NUMBER'.",
        ),
        (
            ModelBuilder::process("p")
                .start("start")
                .manual_task("task")
                .with(|options| options.input("=assert(x, x != null)", "y"))
                .end("end"),
            "Assertion failure on evaluate the expression 'assert(x, x != null)': The condition is not fulfilled The \
             evaluation reported the following warnings:\n[NO_VARIABLE_FOUND] No variable found with name \
             'x'\n[NO_VARIABLE_FOUND] No variable found with name 'x'\n[ASSERT_FAILURE] The condition is not fulfilled",
        ),
    ] {
        scenario(|engine| {
            engine.deploy(&model);
            engine.start("p", "{}");
            assert_eq!(engine.incident().message, message);
        });
    }
}
