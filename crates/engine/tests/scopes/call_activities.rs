//! Call activities: bindings, what goes in and out, and what ends them.

use crate::support::{Harness, ModelBuilder, Options, Timer, scenario};
use tidemill_model::entity::IncidentKind;

fn child(job_type: &str) -> ModelBuilder {
    ModelBuilder::process("child").start("in").service_task("inner", |t| t.job_type(job_type)).end("out")
}

fn parent(options: impl Fn(Options) -> Options) -> ModelBuilder {
    ModelBuilder::process("parent")
        .start("start")
        .call_activity("call", "child", options)
        .end("end")
        .boundary_timer("late", "call", Timer::duration("PT1M"))
        .end("gave_up")
}

#[test]
fn a_called_process_runs_as_a_part_of_its_caller() {
    scenario(|engine| {
        engine.deploy(&child("work"));
        engine.deploy(&parent(|c| c));
        let instance = engine.create("parent").variables(r#"{"x":1}"#).business_id("b-1").go();
        let job = engine.job("work");
        assert_ne!(job.origin.instance, instance);
        assert_eq!((job.origin.root, job.business_id.as_deref()), (instance, Some("b-1")));
        assert_eq!(engine.activate("work", 1)[0].variables.as_str(), r#"{"x":1}"#);
        let refused = engine.cancel(job.origin.instance).expect_err("a child cannot be cancelled by itself");
        assert!(refused.reason.contains(&instance.to_string()), "{refused}");
        engine.complete("work", r#"{"y":2}"#);
        engine.expect(&["child Completed", "call Completing", "y := 2", "call Completed"]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_boundary_event_terminates_the_called_instance_first() {
    scenario(|engine| {
        engine.deploy(&child("work"));
        engine.deploy(&parent(|c| c));
        let first = engine.start("parent", "{}");
        engine.advance(60_000);
        engine.expect(&[
            "call Terminating",
            "child Terminating",
            "child Terminated",
            "call Terminated",
            "late Activating",
        ]);
        engine.expect_completed(first);
        let second = engine.start("parent", "{}");
        engine.cancel(second).expect("it lives");
        engine.expect(&["parent Terminating", "child Terminated", "call Terminated", "parent Terminated"]);
        engine.expect_nothing_left();
    });
}

/// The variables that the called instance sees, and those that come back.
fn flow_of_variables(engine: &mut Harness, options: impl Fn(Options) -> Options) -> (String, Option<String>) {
    engine.deploy(&child("work"));
    engine.deploy(&parent(options));
    let instance = engine.start("parent", r#"{"x":1}"#);
    let seen = engine.activate("work", 1)[0].variables.to_string();
    engine.complete("work", r#"{"y":2}"#);
    engine.expect_completed(instance);
    engine.expect_nothing_left();
    (seen, engine.variable(instance, "y"))
}

#[test]
fn variables_go_in_and_out_as_the_model_says() {
    scenario(|engine| {
        let (seen, back) =
            flow_of_variables(engine, |c| c.propagate_all_parent_variables(false).input("=x", "z"));
        assert_eq!((seen.as_str(), back.as_deref()), (r#"{"z":1}"#, Some("2")));
    });
    scenario(|engine| {
        let (seen, back) = flow_of_variables(engine, |c| c.propagate_all_child_variables(false));
        assert_eq!((seen.as_str(), back), (r#"{"x":1}"#, None));
    });
    scenario(|engine| {
        let (_, back) = flow_of_variables(engine, |c| c.output("=y * 10", "y"));
        assert_eq!(back.as_deref(), Some("20"));
    });
    scenario(|engine| {
        let (_, back) = flow_of_variables(engine, |c| c.output("=y * 10", "other"));
        assert_eq!(back, None, "with an output mapping only what it gives");
    });
}

#[test]
fn a_process_that_is_not_there_is_an_incident_until_it_is_deployed() {
    scenario(|engine| {
        engine.deploy(&parent(|c| c));
        let instance = engine.start("parent", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::CalledElementError);
        assert!(engine.timers().is_empty());
        engine.deploy(&child("work"));
        engine.resolve().expect("it can be resolved");
        engine.complete("work", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_process_without_a_none_start_cannot_be_called() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("child").start_signal("in", "go").end("out"));
        engine.deploy(&parent(|c| c));
        engine.start("parent", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::CalledElementError);
    });
}

#[test]
fn a_missing_version_tag_is_named() {
    scenario(|engine| {
        engine.deploy(&child("work"));
        engine.deploy(&parent(|c| c.binding("versionTag").version_tag("stable")));
        engine.start("parent", "{}");
        assert_eq!(
            engine.incident().message,
            "Expected to call process with BPMN process id 'child' and version tag 'stable', but no such process found. \
             To resolve this incident, deploy a process with the given process id and version tag."
        );
    });
}

#[test]
fn bindings_choose_the_version() {
    scenario(|engine| {
        let tagged = child("tagged").version_tag("stable");
        engine.deploy_files(&[("child.bpmn", &tagged.xml())]).expect("deployed");
        let bound = parent(|c| c.binding("deployment")).xml().replace("parent", "bound");
        engine
            .deploy_files(&[("child.bpmn", &child("together").xml()), ("bound.bpmn", &bound)])
            .expect("deployed");
        engine.deploy_files(&[("child.bpmn", &child("newest").xml())]).expect("deployed");
        let by_tag =
            parent(|c| c.binding("versionTag").version_tag("stable")).xml().replace("parent", "by_tag");
        let latest = parent(|c| c).xml().replace("parent", "latest");
        engine.deploy_files(&[("by_tag.bpmn", &by_tag), ("latest.bpmn", &latest)]).expect("deployed");
        for (process, job_type) in [("bound", "together"), ("by_tag", "tagged"), ("latest", "newest")] {
            let instance = engine.start(process, "{}");
            engine.complete(job_type, "{}");
            engine.expect_completed(instance);
        }
        engine.expect_nothing_left();
    });
}

#[test]
fn a_process_that_calls_itself_without_end_stops_at_a_thousand() {
    let mut engine = Harness::new();
    let model = ModelBuilder::process("again").start("start").call_activity("call", "=id", |c| c).end("end");
    engine.deploy(&model);
    let instance = engine.start("again", r#"{"id":"again"}"#);
    let incident = engine.incident();
    assert_eq!(incident.kind, IncidentKind::CalledElementError);
    assert_eq!(engine.count("call Activated"), 1_000);
    engine.cancel(instance).expect("it lives");
    engine.expect_terminated(instance);
    engine.expect_nothing_left();
}

/// The business id of an instance that is called by one with the id `b-1`.
fn called_with(engine: &mut Harness, expression: &str) -> Option<String> {
    engine.deploy(&child("work"));
    engine.deploy(&parent(|c| c.called_business_id(expression)));
    engine.create("parent").variables(r#"{"id":"c-2","n":5}"#).business_id("b-1").go();
    engine.job("work").business_id.as_ref().map(ToString::to_string)
}

#[test]
fn a_call_can_give_another_business_id() {
    for (expression, expected) in
        [("=id", Some("c-2")), ("fixed", Some("fixed")), ("=null", None), ("=\"\"", None), ("", Some("b-1"))]
    {
        scenario(|engine| assert_eq!(called_with(engine, expression).as_deref(), expected, "{expression}"));
    }
}

#[test]
fn a_business_id_that_cannot_be_one_is_an_incident() {
    for (expression, reason) in [
        ("=n", "Expected the business id for the call activity to resolve to a string, but expression 'n'"),
        (
            "=missing",
            "Expected to resolve the business id for the call activity from expression 'missing', but",
        ),
        (
            "=string join(for i in 1..257 return \"x\")",
            "Expected to resolve a valid business id for the call activity, but it exceeds the max length of 256.",
        ),
    ] {
        scenario(|engine| {
            engine.deploy(&child("work"));
            engine.deploy(&parent(|c| c.called_business_id(expression)));
            engine.create("parent").variables(r#"{"n":5}"#).go();
            let incident = engine.incident();
            assert_eq!(incident.kind, IncidentKind::ExtractValueError);
            assert!(incident.message.starts_with(reason), "{}", incident.message);
        });
    }
}

#[test]
fn without_mappings_nothing_of_a_loop_goes_in() {
    scenario(|engine| {
        engine.deploy(&child("work"));
        engine.deploy(&parent(|c| c.propagate_all_parent_variables(false).multi_instance("=[7]", "item")));
        engine.start("parent", r#"{"x":1}"#);
        assert_eq!(engine.activate("work", 1)[0].variables.as_str(), "{}");
        engine.deploy(&parent(|c| {
            c.propagate_all_parent_variables(false).multi_instance("=[8]", "item").input("=item", "i")
        }));
        engine.start("parent", "{}");
        let variables = engine.activate("work", 1)[0].variables.as_str().to_owned();
        assert!(variables.contains(r#""i":8"#) && variables.contains(r#""item":8"#), "{variables}");
    });
}
