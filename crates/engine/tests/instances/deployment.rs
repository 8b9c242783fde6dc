//! Versions, duplicates, and deployments that are refused as a whole.

use crate::support::{Harness, ModelBuilder, Timer, scenario};
use tidemill_model::{DeployedResource, Deployment, RejectionCode};

fn order(job_type: &str) -> String {
    ModelBuilder::process("order")
        .start("start")
        .service_task("pay", |t| t.job_type(job_type))
        .end("end")
        .xml()
}

const FORM: &str = r#"{"id":"form","versionTag":"t"}"#;

fn versions(deployment: &Deployment) -> Vec<(i64, i32)> {
    let describe = |resource: &DeployedResource| match resource {
        DeployedResource::Process(process) => (process.key.0, process.version),
        DeployedResource::Form(form) => (form.key.0, form.version),
        DeployedResource::Resource(resource) => (resource.key.0, resource.version),
    };
    deployment.resources.iter().map(describe).collect()
}

fn deploy(engine: &mut Harness, files: &[(&str, &str)]) -> Vec<(i64, i32)> {
    versions(&engine.deploy_files(files).unwrap_or_else(|refused| panic!("{refused}")))
}

#[test]
fn a_duplicate_keeps_key_and_version() {
    scenario(|engine| {
        let files = [("order.bpmn", &*order("a")), ("f.form", FORM), ("logo.svg", "<svg/>")];
        let first = deploy(engine, &files);
        let written = engine.count("deployed order v1");
        assert_eq!(deploy(engine, &files), first);
        assert_eq!((written, engine.count("deployed order v1")), (1, 1), "nothing is written");
        let renamed = deploy(engine, &[("other.bpmn", &order("a"))]);
        assert_eq!(renamed[0].1, 2, "another file name is another version");
    });
}

#[test]
fn quirk_one_changed_resource_gives_all_of_them_a_new_version() {
    scenario(|engine| {
        deploy(engine, &[("order.bpmn", &order("a")), ("f.form", FORM)]);
        let second = deploy(engine, &[("order.bpmn", &order("b")), ("f.form", FORM)]);
        assert_eq!(second.iter().map(|(_, version)| *version).collect::<Vec<_>>(), [2, 2]);
    });
}

#[test]
fn a_duplicate_of_an_older_version_is_a_new_one() {
    scenario(|engine| {
        deploy(engine, &[("order.bpmn", &order("a"))]);
        deploy(engine, &[("order.bpmn", &order("b"))]);
        assert_eq!(deploy(engine, &[("order.bpmn", &order("a"))])[0].1, 3);
    });
}

#[test]
fn one_bad_file_refuses_all_and_every_finding_is_told() {
    scenario(|engine| {
        let bad = order("a").replace("zeebe:taskDefinition", "zeebe:other").replace("\"order\"", "\"bad\"");
        let files = [("good.bpmn", &*order("a")), ("bad.bpmn", &*bad), ("bad.form", "{}")];
        let refused = engine.deploy_files(&files).expect_err("two are wrong");
        assert_eq!(refused.code, RejectionCode::InvalidArgument);
        assert!(refused.reason.contains("'bad.bpmn'") && refused.reason.contains("'bad.form'"), "{refused}");
        engine.create("order").try_go().expect_err("nothing is stored");
        assert_eq!(engine.store.live().count(), 0);
    });
}

#[test]
fn the_same_id_twice_is_refused() {
    scenario(|engine| {
        let refused = engine.deploy_files(&[("a.bpmn", &order("a")), ("b.bpmn", &order("b"))]);
        assert!(refused.expect_err("twice").reason.contains("'order'"));
        engine.deploy_files(&[("a.form", FORM), ("b.form", FORM)]).expect_err("twice");
    });
}

#[test]
fn what_is_bound_to_the_deployment_must_be_in_it() {
    scenario(|engine| {
        let caller = ModelBuilder::process("caller")
            .start("s")
            .call_activity("c", "order", |c| c.binding("deployment"));
        let caller = caller.end("e").xml();
        let refused = engine.deploy_files(&[("caller.bpmn", &caller)]).expect_err("it is missing");
        assert!(refused.reason.contains("'order'"), "{refused}");
        deploy(engine, &[("caller.bpmn", &caller), ("order.bpmn", &order("a"))]);
    });
}

fn listener(version: &str) -> String {
    ModelBuilder::process("listens")
        .start_message("by_message", "go")
        .service_task("work", |t| t.job_type(version))
        .end("end")
        .start_signal("by_signal", "go")
        .connect_to("work")
        .start_timer("by_timer", Timer::cycle("R/PT1H"))
        .connect_to("work")
        .xml()
}

#[test]
fn a_new_version_takes_over_what_starts_the_process() {
    scenario(|engine| {
        deploy(engine, &[("l.bpmn", &listener("v1"))]);
        deploy(engine, &[("l.bpmn", &listener("v2"))]);
        engine.publish("go", "", "{}");
        engine.broadcast("go", "{}");
        engine.advance(3_600_000);
        let types: Vec<_> = engine.jobs().iter().map(|job| job.job_type.to_string()).collect();
        assert_eq!(types, ["v2", "v2", "v2"]);
    });
}

#[test]
fn a_pure_duplicate_does_not_reset_a_start_timer() {
    scenario(|engine| {
        deploy(engine, &[("l.bpmn", &listener("v1"))]);
        engine.advance(1_800_000);
        deploy(engine, &[("l.bpmn", &listener("v1"))]);
        engine.advance(1_800_000);
        assert_eq!(engine.jobs().len(), 1, "one hour after the first deployment");
    });
}

#[test]
fn a_robots_script_goes_by_the_names_in_it() {
    scenario(|engine| {
        let script = r#"{"id":"robot","versionTag":"v7","script":"x"}"#;
        let deployment = engine.deploy_files(&[("any.rpa", script)]).expect("deployed");
        let DeployedResource::Resource(file) = &deployment.resources[0] else { panic!("{deployment:?}") };
        assert_eq!((file.resource_id.as_str(), file.version_tag.as_deref()), ("robot", Some("v7")));
        for (script, why) in [
            ("{", "Failed to parse resource JSON. 'any.rpa'"),
            ("{}", "Expected the resource id to be present, but none given"),
            (r#"{"id":" "}"#, "Expected the resource id to be filled, but it is blank"),
        ] {
            let refused = engine.deploy_files(&[("any.rpa", script)]).expect_err(script);
            assert!(refused.reason.contains(why), "{refused}");
        }
    });
}
