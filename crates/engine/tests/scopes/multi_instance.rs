//! Multi-instance activities, all at once and one after the other.

use crate::support::{Harness, ModelBuilder, Options, Timer, scenario};
use tidemill_model::entity::IncidentKind;

fn model(options: impl Fn(Options) -> Options) -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .service_task("each", |t| options(t.job_type("work").multi_instance("=items", "item")))
        .end("end")
        .boundary_timer("late", "each", Timer::duration("PT1M"))
        .end("gave_up")
}

fn doubled(options: Options) -> Options {
    options.collect("=result", "results")
}

#[test]
fn parallel_children_see_their_item_and_give_their_result_in_order() {
    scenario(|engine| {
        engine.deploy(&model(doubled));
        let instance = engine.start("p", r#"{"items":["a","b","c"]}"#);
        let jobs = engine.activate("work", 10);
        let seen: Vec<_> = jobs.iter().map(|job| job.variables.to_string()).collect();
        assert!(seen[1].contains(r#""item":"b""#) && seen[1].contains(r#""loopCounter":2"#), "{seen:?}");
        assert!(seen[1].contains(r#""result":null"#), "the output is preset: {seen:?}");
        for (job, result) in [(2, 30), (0, 10), (1, 20)] {
            engine.complete_job(jobs[job].job.key, &format!("{{\"result\":{result}}}")).expect("accepted");
        }
        assert_eq!(engine.variable(instance, "results").as_deref(), Some("[10,20,30]"));
        assert_eq!(engine.variable(instance, "result"), None, "results stay with the children");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn sequential_children_come_one_after_the_other() {
    scenario(|engine| {
        engine.deploy(&model(|o| doubled(o.sequential())));
        let instance = engine.start("p", r#"{"items":[1,2,3]}"#);
        for n in 1..=3 {
            assert_eq!(engine.jobs().len(), 1);
            engine.complete("work", &format!("{{\"result\":{n}}}"));
        }
        assert_eq!(engine.variable(instance, "results").as_deref(), Some("[1,2,3]"));
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_empty_collection_completes_at_once_with_an_empty_list() {
    for is_sequential in [false, true] {
        scenario(|engine| {
            engine.deploy(&model(|o| doubled(if is_sequential { o.sequential() } else { o })));
            let instance = engine.start("p", r#"{"items":[]}"#);
            assert_eq!(engine.variable(instance, "results").as_deref(), Some("[]"));
            engine.expect_completed(instance);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn what_is_no_list_is_an_incident_on_the_body() {
    scenario(|engine| {
        engine.deploy(&model(doubled));
        let first = engine.start("p", r#"{"items":7}"#);
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::ExtractValueError);
        assert!(incident.message.contains("to be 'ARRAY', but was 'NUMBER'"), "{}", incident.message);
        engine.set_variables(first.scope(), r#"{"items":[1]}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.complete("work", r#"{"result":1}"#);
        engine.expect_completed(first);
        let second = engine.start("p", "{}");
        engine.cancel(second).expect("it lives");
        engine.expect_terminated(second);
        engine.expect_nothing_left();
    });
}

#[test]
fn the_completion_condition_knows_the_counters_and_ends_the_rest() {
    scenario(|engine| {
        let condition = "=numberOfInstances = 4 and numberOfActiveInstances = 2 and \
                         numberOfCompletedInstances = 2 and numberOfTerminatedInstances = 0";
        engine.deploy(&model(|o| doubled(o).completion_condition(condition)));
        let instance = engine.start("p", r#"{"items":[1,2,3,4]}"#);
        let jobs = engine.activate("work", 10);
        engine.complete_job(jobs[3].job.key, r#"{"result":40}"#).expect("accepted");
        assert!(engine.is_active("each"));
        engine.complete_job(jobs[0].job.key, r#"{"result":10}"#).expect("accepted");
        assert_eq!(engine.count("job work Canceled"), 2);
        assert_eq!(engine.variable(instance, "results").as_deref(), Some("[10,null,null,40]"));
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_completion_condition_that_is_not_boolean_stops_its_child_only() {
    scenario(|engine| {
        engine.deploy(&model(|o| o.completion_condition("=stop")));
        let instance = engine.start("p", r#"{"items":[1,2]}"#);
        engine.complete("work", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.complete("work", r#"{"stop":false}"#);
        engine.resolve().expect("it can be resolved");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn boundary_events_belong_to_the_body() {
    for is_sequential in [false, true] {
        scenario(|engine| {
            engine.deploy(&model(|o| doubled(if is_sequential { o.sequential() } else { o })));
            let first = engine.start("p", r#"{"items":[1,2,3]}"#);
            assert_eq!(engine.timers().len(), 1);
            engine.complete("work", r#"{"result":1}"#);
            engine.advance(60_000);
            engine.expect(&["each Terminating", "each Terminated", "late Activating"]);
            assert_eq!(engine.variable(first, "results"), None);
            engine.expect_completed(first);
            let second = engine.start("p", r#"{"items":[1,2,3]}"#);
            engine.complete("work", r#"{"result":1}"#);
            engine.cancel(second).expect("it lives");
            engine.expect_terminated(second);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn quirk_children_merge_from_their_own_scope_even_with_output_mappings() {
    scenario(|engine| {
        engine.deploy(&model(|o| o.output("=item * 2", "item").output("=item * 3", "triple")));
        let instance = engine.start("p", r#"{"items":[5]}"#);
        engine.complete("work", "{}");
        assert_eq!(engine.variable(instance, "item"), None, "absorbed by the child's own variable");
        assert_eq!(engine.variable(instance, "triple").as_deref(), Some("30"), "sees the mapping before it");
        engine.expect_completed(instance);
    });
}

#[test]
fn subprocesses_and_called_processes_repeat_too() {
    scenario(|engine| {
        let child =
            ModelBuilder::process("child").start("s").service_task("inner", |t| t.job_type("work")).end("e");
        let model = ModelBuilder::process("p")
            .start("start")
            .sub_process("sub", |s| s.start("in").call_activity("call", "child", |c| c).end("out"))
            .with_element("sub", |o| o.multi_instance("=[1,2]", "n").collect("=n * 10", "results"))
            .end("end");
        engine.deploy(&child);
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        engine.complete("work", "{}");
        engine.complete("work", "{}");
        assert_eq!(engine.variable(instance, "results").as_deref(), Some("[10,20]"));
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn many_children_are_spread_over_commands() {
    for mut engine in [Harness::new(), Harness::forgetful()] {
        let model =
            ModelBuilder::process("p").start("start").script("each", "=item + 1", "result").end("end");
        engine.deploy(&model.with_element("each", |o| doubled(o.multi_instance("=items", "item"))));
        let items: Vec<String> = (0..450).map(|n| n.to_string()).collect();
        let instance = engine.start("p", &format!("{{\"items\":[{}]}}", items.join(",")));
        let expected: Vec<String> = (1..=450).map(|n| n.to_string()).collect();
        assert_eq!(engine.variable(instance, "results"), Some(format!("[{}]", expected.join(","))));
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    }
}
