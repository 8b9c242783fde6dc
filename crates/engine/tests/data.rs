//! Variables and mappings: what is local, what travels upwards, what comes from outside.

mod support;

use support::{Harness, ModelBuilder, Options, scenario};
use tidemill_model::command::{ActivateJobs, Command, FailJob, SetVariables};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{Answer, ElementInstanceKey, RejectionCode, TenantId, Text, Variables};

fn task(options: impl Fn(Options) -> Options) -> ModelBuilder {
    ModelBuilder::process("p").start("start").service_task("task", |t| options(t.job_type("work"))).end("end")
}

/// Starts with these variables and tells what the worker sees.
fn seen(engine: &mut Harness, options: impl Fn(Options) -> Options, variables: &str) -> String {
    engine.deploy(&task(options));
    engine.start("p", variables);
    engine.activate("work", 1)[0].variables.to_string()
}

#[test]
fn input_mappings_run_in_order_and_give_local_variables() {
    scenario(|engine| {
        let seen =
            seen(engine, |t| t.input("=a + 1", "b").input("=b + 1", "c").input("text", "d"), r#"{"a":1}"#);
        assert_eq!(seen, r#"{"b":2,"c":3,"d":"text","a":1}"#);
    });
}

#[test]
fn plain_text_of_an_input_is_a_string_and_an_empty_source_is_null() {
    scenario(|engine| {
        let seen = seen(
            engine,
            |t| {
                let quoted = r#"a "b" \t\u0041"#;
                t.input("42", "a").input("true", "b").input("null", "c").input("", "d").input(quoted, "e")
            },
            "{}",
        );
        assert_eq!(seen, r#"{"a":"42","b":"true","c":"null","d":null,"e":"a \"b\" \tA"}"#);
    });
}

/// Cases of input mappings: sources, targets and their result. The scope around the task has `o` as {"p":{"q":1,"r":2},"s":3}.
#[track_caller]
fn inputs(mappings: &[(&str, &str)], expected: &str) {
    let variables = r#"{"o":{"p":{"q":1,"r":2},"s":3}}"#;
    scenario(|engine| {
        engine.deploy(&task(|t| mappings.iter().fold(t, |t, (source, target)| t.input(source, target))));
        engine.start("p", variables);
        let seen = engine.activate("work", 1)[0].variables.to_string();
        let mut seen: serde_json::Value = serde_json::from_str(&seen).expect("JSON");
        let expected: serde_json::Value = serde_json::from_str(expected).expect("JSON");
        seen.as_object_mut().expect("an object").retain(|name, _| expected.get(name).is_some());
        assert_eq!(seen, expected, "{mappings:?}");
    });
}

#[test]
fn a_nested_input_target_replaces_a_value_and_adds_to_what_targets_have_built() {
    inputs(&[("=1", "v"), ("=2", "v.x")], r#"{"v":{"x":2}}"#);
    inputs(&[("={y: 1}", "v"), ("=2", "v.x")], r#"{"v":{"x":2}}"#);
    inputs(&[("=1", "v.x"), ("=2", "v.y")], r#"{"v":{"x":1,"y":2}}"#);
    inputs(&[("=1", "v.x"), ("=2", "v")], r#"{"v":2}"#);
    inputs(&[("=1", "w.a"), ("=2", "w.b"), ("={c: 3}", "w"), ("=5", "w.d")], r#"{"w":{"d":5}}"#);
    inputs(&[("=1", "a.b"), ("=2", "a.b.c"), ("=3", "a.d")], r#"{"a":{"b":{"c":2},"d":3}}"#);
    inputs(&[("={c: 1}", "a.b"), ("=2", "a.b.d")], r#"{"a":{"b":{"d":2}}}"#);
    inputs(&[("=1", "a.b.c"), ("=2", "a.b"), ("=3", "a.b.d")], r#"{"a":{"b":{"d":3}}}"#);
}

#[test]
fn inputs_that_are_being_built_show_what_is_around_them_level_by_level() {
    inputs(&[("=9", "o.p.q"), ("=o", "x")], r#"{"o":{"p":{"q":9}},"x":{"p":{"q":9,"r":2},"s":3}}"#);
    inputs(&[("=9", "o.p"), ("=o", "x")], r#"{"o":{"p":9},"x":{"p":9,"s":3}}"#);
    inputs(&[("=1", "o"), ("=9", "o.t"), ("=o", "x")], r#"{"o":{"t":9},"x":{"t":9}}"#);
    inputs(&[("=1", "o.p"), ("=9", "o.p.t"), ("=o", "x")], r#"{"o":{"p":{"t":9}},"x":{"p":{"t":9},"s":3}}"#);
}

#[test]
fn quirk_a_mapping_of_a_missing_variable_stores_null() {
    scenario(|engine| {
        assert_eq!(seen(engine, |t| t.input("=nothing.at.all", "b"), "{}"), r#"{"b":null}"#);
    });
}

#[test]
fn a_nested_input_target_builds_a_new_context_while_reads_fall_through() {
    scenario(|engine| {
        let seen = seen(engine, |t| t.input("=1", "a.b").input("=a.x + a.b", "sum"), r#"{"a":{"x":10}}"#);
        assert_eq!(seen, r#"{"a":{"b":1},"sum":11}"#);
    });
}

#[test]
fn a_mapping_that_fails_applies_none_of_them() {
    scenario(|engine| {
        engine.deploy(&task(|t| t.input("=1", "a").input("=assert(x, x != null)", "b")));
        let instance = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::IoMappingError);
        engine.expect_never("a := 1");
        engine.set_variables(instance.scope(), r#"{"x":2}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.expect(&["a := 1", "b := 2", "task Activated"]);
    });
}

/// Completes the task with a result and tells two variables of the process.
fn result(
    engine: &mut Harness,
    options: impl Fn(Options) -> Options,
    variables: &str,
    names: [&str; 2],
) -> [Option<String>; 2] {
    engine.deploy(&task(options));
    let instance = engine.start("p", variables);
    engine.complete("work", r#"{"r":1,"s":{"t":2}}"#);
    engine.expect_completed(instance);
    engine.expect_nothing_left();
    names.map(|name| engine.variable(instance, name))
}

#[test]
fn a_result_without_mapping_is_merged_upwards() {
    scenario(|engine| {
        let found = result(engine, |t| t, r#"{"r":0}"#, ["r", "s"]);
        assert_eq!(found, [Some("1".into()), Some(r#"{"t":2}"#.into())]);
    });
}

#[test]
fn quirk_a_result_with_the_name_of_an_input_mapping_is_lost() {
    scenario(|engine| {
        let found = result(engine, |t| t.input("=5", "r"), "{}", ["r", "s"]);
        assert_eq!(found, [None, Some(r#"{"t":2}"#.into())]);
    });
}

#[test]
fn quirk_a_local_variable_with_the_same_value_lets_the_update_travel_on() {
    scenario(|engine| {
        let found = result(engine, |t| t.input("=1", "r"), r#"{"r":0}"#, ["r", "s"]);
        assert_eq!(found[0].as_deref(), Some("1"));
    });
}

#[test]
fn output_mappings_alone_decide_what_leaves_the_task() {
    scenario(|engine| {
        let found = result(engine, |t| t.output("=r + 1", "x").output("=x + s.t", "y"), "{}", ["y", "r"]);
        assert_eq!(found, [Some("4".into()), None]);
    });
}

#[test]
fn a_nested_output_target_keeps_its_siblings() {
    scenario(|engine| {
        let found = result(engine, |t| t.output("=r", "o.a.b"), r#"{"o":{"x":9,"a":{"c":8}}}"#, ["o", "r"]);
        assert_eq!(found, [Some(r#"{"x":9,"a":{"c":8,"b":1}}"#.into()), None]);
    });
}

#[test]
fn quirk_a_nested_output_target_over_a_plain_value_becomes_null() {
    scenario(|engine| {
        let found = result(engine, |t| t.output("=r", "o.a"), r#"{"o":5}"#, ["o", "r"]);
        assert_eq!(found[0].as_deref(), Some("null"));
    });
}

/// Cases of output mappings: the variable `o` of the process before them, the mappings, and `o` after them.
#[track_caller]
fn output(before: &str, mappings: &[(&str, &str)], expected: &str) {
    scenario(|engine| {
        let options = |t: Options| mappings.iter().fold(t, |t, (source, target)| t.output(source, target));
        let found = result(engine, options, before, ["o", "r"]);
        assert_eq!(found[0].as_deref(), Some(expected), "{mappings:?}");
    });
}

#[test]
fn nested_output_targets_begin_with_what_the_scope_has_at_each_level() {
    output("{}", &[("=1", "o"), ("=2", "o.x")], r#"{"x":2}"#);
    output(r#"{"o":{"y":0}}"#, &[("=1", "o"), ("=2", "o.x")], r#"{"y":0,"x":2}"#);
    output(r#"{"o":{"y":0}}"#, &[("=2", "o.x"), ("=1", "o")], "1");
    output(
        r#"{"o":{"y":0}}"#,
        &[("=1", "o.a"), ("=2", "o.b"), ("=3", "o"), ("=5", "o.d")],
        r#"{"y":0,"d":5}"#,
    );
    output(r#"{"o":{"a":{"c":8}}}"#, &[("=1", "o.a"), ("=2", "o.a.b")], r#"{"a":{"c":8,"b":2}}"#);
    output(r#"{"o":null}"#, &[("=1", "o.a")], r#"{"a":1}"#);
    output(r#"{"o":5}"#, &[("=1", "o.a"), ("=2", "o.b")], "null");
    output(r#"{"o":{"a":5}}"#, &[("=1", "o.a.b"), ("=2", "o.c")], r#"{"a":null,"c":2}"#);
    output("{}", &[("=1", "x.a"), ("={k: x.a}", "o.b"), ("=o.b.k + 1", "o.c")], r#"{"b":{"k":1},"c":2}"#);
}

#[test]
fn a_nested_output_target_is_merged_into_the_value_of_the_element_itself() {
    scenario(|engine| {
        let found = result(engine, |t| t.output("=r", "s.u"), r#"{"s":{"v":7}}"#, ["s", "r"]);
        assert_eq!(found[0].as_deref(), Some(r#"{"t":2,"u":1}"#), "the result of the job is nearer");
    });
}

#[test]
fn subprocesses_pass_nothing_out_by_themselves() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| {
                s.start("in").script("inner", "=x + 1", "x").script("other", "=1", "y").end("out")
            })
            .with_element("sub", |o| o.input("=1", "x"))
            .end("end");
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        assert_eq!(engine.variable(instance, "x"), None, "the subprocess has its own");
        assert_eq!(
            engine.variable(instance, "y").as_deref(),
            Some("1"),
            "nobody has it: made in the process"
        );
    });
}

fn set(
    engine: &mut Harness,
    scope: ElementInstanceKey,
    json: &str,
    is_local: bool,
) -> Result<Answer, RejectionCode> {
    let variables = Variables::parse(json).expect("valid");
    engine
        .run(Command::SetVariables(SetVariables { scope, variables, is_local }))
        .map_err(|refused| refused.code)
}

#[test]
fn variables_from_outside_are_merged_or_set_locally() {
    scenario(|engine| {
        engine.deploy(&task(|t| t.input("=1", "mine")));
        let instance = engine.start("p", r#"{"a":1}"#);
        let scope = engine.element("task").key;
        set(engine, scope, r#"{"mine":2,"a":2,"new":2}"#, false).expect("set");
        assert_eq!(engine.variable(instance, "mine"), None);
        assert_eq!(engine.variable(instance, "a").as_deref(), Some("2"));
        assert_eq!(engine.variable(instance, "new").as_deref(), Some("2"));
        set(engine, scope, r#"{"a":3}"#, true).expect("set");
        assert_eq!(engine.variable(instance, "a").as_deref(), Some("2"));
        assert!(engine.activate("work", 1)[0].variables.as_str().contains(r#""a":3"#));
        let before = engine.records.len();
        set(engine, scope, r#"{"a":3}"#, true).expect("set");
        assert_eq!(engine.records.len(), before, "an equal value is no change");
        engine.complete("work", "{}");
        assert_eq!(set(engine, scope, "{}", false), Err(RejectionCode::NotFound));
    });
}

#[test]
fn variables_of_a_failed_job_stay_with_the_task() {
    scenario(|engine| {
        engine.deploy(&task(|t| t));
        let instance = engine.start("p", "{}");
        let command = FailJob {
            job: engine.job("work").key,
            retries: 1,
            backoff_ms: 0,
            error_message: None,
            variables: Variables::parse(r#"{"why":"x"}"#).expect("valid"),
            lease: None,
        };
        engine.run(Command::FailJob(command)).expect("failed");
        assert_eq!(engine.variable(instance, "why"), None);
        assert_eq!(engine.activate("work", 1)[0].variables.as_str(), r#"{"why":"x"}"#);
    });
}

#[test]
fn a_worker_gets_only_the_variables_it_asks_for() {
    scenario(|engine| {
        engine.deploy(&task(|t| t.input("=a", "b")));
        engine.start("p", r#"{"a":1,"c":3}"#);
        let command = ActivateJobs {
            job_type: Text::from("work"),
            worker: Text::from("w"),
            timeout_ms: 1_000,
            jobs_max: 1,
            fetch_variables: vec![Text::from("b"), Text::from("c"), Text::from("missing")],
            tenants: vec![TenantId::default()],
            with_lease: false,
        };
        let Ok(Answer::Activated(jobs)) = engine.run(Command::ActivateJobs(command)) else { panic!() };
        assert_eq!(jobs[0].variables.as_str(), r#"{"b":1,"c":3}"#);
    });
}
