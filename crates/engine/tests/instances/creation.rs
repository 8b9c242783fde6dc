//! How instances are created and cancelled.

use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::command::{AssignBusinessId, Command, CompleteJob, CreateInstance, DefinitionRef};
use tidemill_model::{
    Answer, DeployedResource, ProcessInstanceKey, RejectionCode, TenantId, Text, Variables,
};

fn order(job_type: &str) -> ModelBuilder {
    ModelBuilder::process("order").start("start").service_task("pay", |t| t.job_type(job_type)).end("end")
}

#[test]
fn by_id_it_is_the_latest_version_and_a_running_one_keeps_its_own() {
    scenario(|engine| {
        engine.deploy(&order("v1"));
        let old = engine.start("order", "{}");
        engine.deploy(&order("v2"));
        let created = engine.create("order").tags(&["a", "b"]).business_id("b-1").try_go().expect("created");
        assert_eq!(
            (created.version, created.tags.len(), created.business_id.as_deref()),
            (2, 2, Some("b-1"))
        );
        assert_eq!(engine.activate("v2", 1)[0].tags, ["a", "b"]);
        engine.complete("v1", "{}");
        engine.expect_completed(old);
        let by_version = engine.create("order").version(1).try_go().expect("created");
        assert_eq!(by_version.version, 1);
        engine.complete("v1", "{}");
        engine.expect_completed(by_version.instance);
    });
}

#[test]
fn by_key_it_is_that_version() {
    scenario(|engine| {
        let deployment = engine.deploy(&order("v1"));
        engine.deploy(&order("v2"));
        let DeployedResource::Process(first) = &deployment.resources[0] else { panic!("a process") };
        let command = CreateInstance {
            definition: DefinitionRef::Key(first.key),
            tenant: TenantId::default(),
            variables: Variables::default(),
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
            is_unique: false,
        };
        let wrong_tenant = CreateInstance { tenant: TenantId(Text::from("other")), ..command.clone() };
        let created = engine.run(Command::CreateInstance(Box::new(command)));
        assert!(matches!(created, Ok(Answer::Created(created)) if created.version == 1));
        let refused = engine.run(Command::CreateInstance(Box::new(wrong_tenant))).expect_err("not theirs");
        assert_eq!(refused.code, RejectionCode::NotFound);
    });
}

#[test]
fn what_is_not_there_or_has_no_none_start_is_refused() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("listens").start_signal("start", "go").end("end"));
        let missing = engine.create("missing").try_go().expect_err("not deployed");
        assert_eq!(missing.code, RejectionCode::NotFound);
        assert_eq!(
            engine.create("listens").version(3).try_go().expect_err("none").code,
            RejectionCode::NotFound
        );
        assert_eq!(engine.create("listens").try_go().expect_err("none").code, RejectionCode::InvalidState);
        engine.expect_nothing_left();
    });
}

fn long() -> ModelBuilder {
    ModelBuilder::process("long")
        .start("start")
        .service_task("a", |t| t.job_type("a"))
        .sub_process("sub", |s| {
            s.start("in")
                .service_task("b", |t| t.job_type("b"))
                .sub_process("deep", |d| d.start("d_in").service_task("c", |t| t.job_type("c")).end("d_out"))
                .end("out")
        })
        .service_task("each", |t| t.job_type("each").multi_instance("=[1,2]", "n"))
        .end("end")
}

#[test]
fn start_instructions_begin_at_the_given_elements_in_their_scopes() {
    scenario(|engine| {
        engine.deploy(&long());
        let instance = engine.create("long").at("c").at("b").go();
        engine.expect_never("start Activating");
        engine.expect_never("in Activating");
        assert_eq!(engine.count("sub Activating"), 1, "both stand in the same subprocess");
        engine.complete("c", "{}");
        assert!(engine.is_active("sub"));
        engine.complete("b", "{}");
        engine.complete("c", "{}");
        engine.complete("each", "{}");
        engine.complete("each", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_process_without_none_start_can_begin_by_instruction() {
    scenario(|engine| {
        let model =
            ModelBuilder::process("p").start_signal("start", "go").service_task("a", |t| t.job_type("a"));
        engine.deploy(&model.end("end"));
        let instance = engine.create("p").at("a").go();
        engine.complete("a", "{}");
        engine.expect_completed(instance);
    });
}

#[test]
fn some_elements_cannot_be_begun_at() {
    scenario(|engine| {
        let model = long()
            .boundary_signal("stop", "a", "stop")
            .event_based("race")
            .catch_signal("x", "x")
            .end("x_end")
            .move_to("race")
            .catch_signal("y", "y")
            .end("y_end");
        let model = model.event_sub_process("aside", |e| e.start_signal("e_in", "e").end("e_out"));
        engine.deploy(&model);
        for id in ["start", "stop", "x", "aside", "e_in", "nothing"] {
            let refused = engine.create("long").at(id).try_go().expect_err(id);
            assert_eq!(refused.code, RejectionCode::InvalidArgument, "{id}: {refused}");
            assert!(refused.reason.contains(&format!("'{id}'")), "{refused}");
        }
        engine.expect_nothing_left();
    });
}

#[test]
fn an_instance_can_be_told_to_stop_after_an_element() {
    scenario(|engine| {
        engine.deploy(&long());
        let instance = engine.create("long").terminate_after("b").go();
        engine.complete("a", "{}");
        engine.complete("b", "{}");
        engine.expect(&["b Completed", "long Terminating", "sub Terminated", "long Terminated"]);
        engine.expect_never("deep Activating");
        engine.expect_terminated(instance);
        let unknown = engine.create("long").terminate_after("nothing").try_go().expect_err("no such element");
        assert_eq!(unknown.code, RejectionCode::InvalidArgument);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_instance_that_would_stop_after_an_element_can_be_cancelled_in_it() {
    scenario(|engine| {
        engine.deploy(&long());
        let instance = engine.create("long").terminate_after("a").go();
        engine.cancel(instance).expect("it lives");
        engine.expect_terminated(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_instance_stops_after_a_terminate_end() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("p").start("start").end_terminate("end"));
        let instance = engine.create("p").terminate_after("end").go();
        engine.expect_terminated(instance);
        engine.expect_nothing_left();
    });
}

fn cancelled(engine: &mut Harness) -> RejectionCode {
    engine.deploy(&order("work"));
    let instance = engine.start("order", "{}");
    engine.complete("work", "{}");
    engine.cancel(instance).expect_err("it has ended").code
}

#[test]
fn whoever_awaits_an_instance_is_told_how_it_ended() {
    scenario(|engine| {
        let model =
            ModelBuilder::process("p").start("s").service_task("work", |t| t.job_type("work")).end("e");
        engine.deploy(&model);
        let (first, second) = (engine.start("p", "{}"), engine.start("p", "{}"));
        assert!(engine.ended.is_empty(), "both still run");
        engine.complete("work", "{}");
        engine.cancel(second).expect("it lives");
        let told: Vec<_> = engine.ended.iter().map(|end| (end.instance, end.is_completed)).collect();
        assert_eq!(told, [(first, true), (second, false)]);
    });
}

#[test]
fn what_has_ended_cannot_be_cancelled() {
    scenario(|engine| assert_eq!(cancelled(engine), RejectionCode::NotFound));
}

fn assign(
    engine: &mut Harness,
    instance: ProcessInstanceKey,
    id: &str,
) -> Result<(), (RejectionCode, String)> {
    let command = AssignBusinessId { instance, business_id: Text::from(id) };
    let outcome = engine.run(Command::AssignBusinessId(command));
    outcome.map(drop).map_err(|refused| (refused.code, refused.reason))
}

fn waiting() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("s")
        .service_task("one", |t| t.job_type("one"))
        .service_task("two", |t| t.job_type("two"))
        .end("e")
}

#[test]
fn a_running_instance_gets_a_business_id_once() {
    scenario(|engine| {
        engine.deploy(&waiting());
        let instance = engine.start("p", "{}");
        let (code, reason) = assign(engine, instance, "").expect_err("empty");
        assert_eq!(code, RejectionCode::InvalidArgument);
        assert!(reason.ends_with("but the provided business id is empty"), "{reason}");
        let (_, reason) = assign(engine, instance, &"x".repeat(257)).expect_err("too long");
        assert!(reason.ends_with("but the business id exceeds the max length of 256"), "{reason}");
        assign(engine, instance, "b-1").expect("it has none yet");
        let (code, reason) = assign(engine, instance, "b-1").expect_err("it has one");
        assert_eq!(code, RejectionCode::InvalidState);
        assert!(reason.ends_with("but it already has a business id assigned"), "{reason}");
        assert_eq!(engine.job("one").business_id, None, "made before");
        engine.complete("one", "{}");
        assert_eq!(engine.job("two").business_id.as_deref(), Some("b-1"));
        let element = ProcessInstanceKey(engine.element("two").key.0);
        let (code, reason) = assign(engine, element, "b-2").expect_err("an element");
        assert_eq!(code, RejectionCode::NotFound);
        assert!(reason.contains("the element with this key is not a process instance"), "{reason}");
        engine.complete("two", "{}");
        let (code, _) = assign(engine, instance, "b-2").expect_err("it has ended");
        assert_eq!(code, RejectionCode::NotFound);
    });
}

#[test]
fn the_completion_of_a_job_can_bring_the_business_id() {
    scenario(|engine| {
        engine.deploy(&waiting());
        engine.start("p", "{}");
        let complete = |engine: &mut Harness, job_type: &str| {
            let job = engine.job(job_type).key;
            let business_id = Some(Text::from("b-1"));
            let command = CompleteJob { job, variables: Variables::default(), lease: None, business_id };
            engine.run(Command::CompleteJob(command))
        };
        complete(engine, "one").expect("it has none yet");
        assert_eq!(engine.job("two").business_id.as_deref(), Some("b-1"));
        let refused = complete(engine, "two").expect_err("it has one");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        assert!(engine.is_active("two"), "a refused completion changes nothing");
    });
}
