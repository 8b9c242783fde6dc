//! Taking definitions and forms back.

use crate::support::{Harness, ModelBuilder, scenario};
use tidemill_model::command::{Command, DeleteResource};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{Answer, DeployedResource, Rejection, RejectionCode, ResourceKey};

fn listener(job_type: &str) -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .service_task("work", |t| t.job_type(job_type))
        .end("end")
        .start_message("by_message", "go")
        .connect_to("work")
}

fn deploy(engine: &mut Harness, model: &ModelBuilder) -> ResourceKey {
    match &engine.deploy(model).resources[0] {
        DeployedResource::Process(process) => ResourceKey(process.key.0),
        other => panic!("unexpected {other:?}"),
    }
}

fn delete(engine: &mut Harness, key: ResourceKey) -> Result<Answer, Rejection> {
    engine.run(Command::DeleteResource(DeleteResource { key }))
}

#[test]
fn running_instances_finish_and_new_ones_are_refused() {
    scenario(|engine| {
        let key = deploy(engine, &listener("v1"));
        let instance = engine.start("p", "{}");
        delete(engine, key).expect("deleted");
        assert_eq!(engine.create("p").try_go().expect_err("gone").code, RejectionCode::NotFound);
        engine.complete("v1", "{}");
        engine.expect_completed(instance);
        assert_eq!(delete(engine, key).expect_err("gone already").code, RejectionCode::NotFound);
        assert_eq!(delete(engine, ResourceKey(42)).expect_err("never was").code, RejectionCode::NotFound);
    });
}

#[test]
fn the_next_older_version_gets_the_start_events_back() {
    scenario(|engine| {
        deploy(engine, &listener("v1"));
        let second = deploy(engine, &listener("v2"));
        delete(engine, second).expect("deleted");
        engine.publish("go", "", "{}");
        engine.start("p", "{}");
        let types: Vec<_> = engine.jobs().iter().map(|job| job.job_type.to_string()).collect();
        assert_eq!(types, ["v1", "v1"]);
    });
}

#[test]
fn an_older_version_goes_without_touching_the_latest() {
    scenario(|engine| {
        let first = deploy(engine, &listener("v1"));
        deploy(engine, &listener("v2"));
        delete(engine, first).expect("deleted");
        engine.publish("go", "", "{}");
        assert_eq!(engine.jobs()[0].job_type, "v2");
    });
}

#[test]
fn the_number_of_a_deleted_version_is_not_used_again() {
    scenario(|engine| {
        deploy(engine, &listener("v1"));
        let second = deploy(engine, &listener("v2"));
        delete(engine, second).expect("deleted");
        engine.deploy(&listener("v3"));
        assert_eq!(engine.create("p").try_go().expect("created").version, 3);
    });
}

#[test]
fn a_deleted_form_is_not_found_any_more() {
    scenario(|engine| {
        let model =
            ModelBuilder::process("p").start("start").user_task("task", |t| t.form_id("form")).end("end");
        engine.deploy(&model);
        let form = engine.deploy_files(&[("f.form", r#"{"id":"form"}"#)]).expect("deployed");
        let DeployedResource::Form(form) = &form.resources[0] else { panic!("a form") };
        engine.start("p", "{}");
        assert_eq!(engine.user_task().form, Some(form.key));
        delete(engine, ResourceKey(form.key.0)).expect("deleted");
        engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::FormNotFound);
    });
}
