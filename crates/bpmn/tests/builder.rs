//! Every supported element, written by the builder and read back.

use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_bpmn::{Behavior, Catch, Throw, TimerKind};
use tidemill_model::{ElementIndex, ElementKind};

fn everything() -> ModelBuilder {
    ModelBuilder::process("all")
        .version_tag("v1")
        .start("start")
        .service_task("service", |task| {
            task.name("Service")
                .job_type("pay")
                .retries("=n")
                .job_priority("7")
                .header("k", "v")
                .input("=a", "b.c")
        })
        .send_task("send", |task| task.job_type("send"))
        .business_rule_task("rule", |task| task.job_type("rule"))
        .script_task("script_job", |task| task.job_type("script"))
        .script("script", "=1 + 1", "two")
        .user_task("native", |task| {
            task.assignee("ann")
                .candidate_users("a,b")
                .candidate_groups("=groups")
                .due_date("2030-01-01T00:00:00Z")
        })
        .user_task_job("by_job", |task| task.form_key("embedded"))
        .receive_task("receive", ("paid", "=id"))
        .manual_task("manual")
        .task("plain")
        .call_activity("call", "other", |task| {
            task.propagate_all_child_variables(false).binding("deployment")
        })
        .exclusive("choice")
        .when("=x > 1")
        .throw_signal("shout", "hey")
        .throw_escalation("raise", "up")
        .throw_message("tell", "tell")
        .throw("pass")
        .throw_link("jump", "there")
        .catch_link("land", "there")
        .connect_to("join")
        .move_to("choice")
        .otherwise()
        .inclusive("join")
        .event_based("wait")
        .catch_message("on_message", ("m", "=id"))
        .end("end")
        .move_to("wait")
        .catch_timer("on_timer", Timer::duration("PT5M"))
        .end_error("end_error", "broken")
        .move_to("wait")
        .catch_signal("on_signal", "go")
        .parallel("fork")
        .sub_process("sub", |inside| {
            inside
                .start("sub_start")
                .service_task("work", |task| task.job_type("w"))
                .end_escalation("sub_end", "up")
        })
        .with_element("sub", |sub| {
            sub.multi_instance("=items", "item")
                .sequential()
                .collect("=result.x", "results")
                .completion_condition("=done")
        })
        .end_signal("end_signal", "hey")
        .move_to("fork")
        .end_message("end_message", "bye")
        .move_to("fork")
        .end_terminate("stop")
        .boundary_error("on_error", "service", Some("broken"))
        .end("after_error")
        .boundary_timer("tick", "sub", Timer::cycle("R/PT1H"))
        .non_interrupting()
        .end("ticked")
        .boundary_message("nudge", "sub", ("nudge", "=id"))
        .end("nudged")
        .boundary_signal("heard", "sub", "go")
        .end("after_signal")
        .boundary_escalation("escalated", "sub", None)
        .end("after_escalation")
        .event_sub_process("cancel", |inside| {
            inside.start_message("cancelled", ("cancel", "=id")).non_interrupting().end("cancel_end")
        })
        .event_sub_process("rescue", |inside| inside.start_error("failed", None).end("rescued"))
        .start_timer("nightly", Timer::cycle("0 0 3 * * *"))
        .connect_to("service")
        .start_message("asked", "ask")
        .connect_to("service")
        .start_signal("called", "call")
        .connect_to("service")
}

#[test]
fn every_element_is_read_back() {
    let document = everything().build();
    let process = &document.processes[0];
    assert_eq!(process.id(), "all");
    assert_eq!(process.version_tag.as_deref(), Some("v1"));
    let kind = |id: &str| process.element_by_id(id).map(|element| element.kind);
    assert_eq!(kind("all"), Some(ElementKind::Process));
    assert_eq!(kind("cancel"), Some(ElementKind::EventSubProcess));
    assert_eq!(kind("native"), Some(ElementKind::UserTask));
    assert_eq!(process.starts().len(), 4);
    let start = process.element_by_id("start").expect("there").index;
    assert_eq!((start, process.none_start()), (ElementIndex(1), Some(start)));

    let behavior = |id: &str| &process.element_by_id(id).expect("there").behavior;
    let Behavior::Boundary { attached_to, is_interrupting, catch } = behavior("tick") else {
        panic!("boundary")
    };
    assert_eq!(process.element(*attached_to).id, "sub");
    assert!(!is_interrupting);
    assert!(matches!(catch, Catch::Timer(timer) if timer.kind == TimerKind::Cycle));
    let Behavior::IntermediateThrow(Throw::Link { target }) = behavior("jump") else { panic!("link") };
    assert_eq!(process.element(*target).id, "land");
    let Behavior::Exclusive { default: Some(default) } = behavior("choice") else { panic!("default") };
    assert_eq!(process.flow(*default).id, "f_choice_join");
    let Behavior::EventBased { events } = behavior("wait") else { panic!("events") };
    assert_eq!(events.len(), 3);
    assert!(
        matches!(behavior("script"), Behavior::Script { result_variable, .. } if result_variable == "two")
    );
    assert!(matches!(behavior("by_job"), Behavior::UserTaskJob(_)));

    let service = process.element_by_id("service").expect("there");
    assert_eq!(service.headers.as_ref().map(|headers| headers.as_str()), Some(r#"{"k":"v"}"#));
    assert_eq!(service.inputs[0].target, ["b", "c"]);
    assert_eq!(service.boundary_events.len(), 1);
    let loops =
        process.element_by_id("sub").and_then(|sub| sub.multi_instance.as_ref()).expect("multi-instance");
    assert!(loops.is_sequential && loops.completion_condition.is_some());
    assert_eq!(loops.output.as_ref().and_then(|output| output.preset.as_deref()), Some("result"));
    assert_eq!(process.root().event_sub_processes.len(), 2);
}

#[test]
fn several_processes_stand_in_one_file() {
    let model = ModelBuilder::process("one").start("a").end("b").and_process("two").start("c").end("d");
    let ids: Vec<_> = model.build().processes.iter().map(|process| process.id().clone()).collect();
    assert_eq!(ids, ["one", "two"]);
}
