//! User tasks, managed by the engine or handed to a worker.

use crate::support::{Harness, ModelBuilder, Options, Timer, scenario};
use tidemill_model::command::{AssignUserTask, Command, CompleteUserTask, UpdateUserTask, UserTaskChanges};
use tidemill_model::entity::{IncidentKind, UserTaskState};
use tidemill_model::{Answer, DeployedResource, Rejection, RejectionCode, Text, UserTaskKey, Variables};

const FORM: &str = r#"{"id":"review","type":"default","components":[]}"#;

fn assign(
    engine: &mut Harness,
    task: UserTaskKey,
    to: Option<&str>,
    force: bool,
) -> Result<Answer, Rejection> {
    let assignee = to.map(Text::from);
    let command = AssignUserTask { task, assignee, allow_override: force, action: None };
    engine.run(Command::AssignUserTask(command))
}

fn complete(engine: &mut Harness, task: UserTaskKey, variables: &str) -> Result<Answer, Rejection> {
    let variables = Variables::parse(variables).expect("valid");
    engine.run(Command::CompleteUserTask(CompleteUserTask { task, variables, action: None }))
}

fn review() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .user_task("review", |t| {
            t.assignee("=clerk").candidate_groups("a, b").due_date("=due").priority("=80").form_id("review")
        })
        .end("end")
        .boundary_timer("late", "review", Timer::duration("P1D"))
        .end("gave_up")
}

fn deploy(engine: &mut Harness) {
    engine.deploy_files(&[("review.bpmn", &review().xml()), ("review.form", FORM)]).expect("deployed");
}

#[test]
fn the_assignee_of_the_model_is_set_after_creation() {
    scenario(|engine| {
        deploy(engine);
        engine.start("p", r#"{"clerk":"ann","due":"2026-03-01T12:00:00Z"}"#);
        engine.expect(&[
            "user task review Creating",
            "user task review Created",
            "user task review Assigning",
            "user task review Created",
            "review Activated",
        ]);
        let task = engine.user_task();
        assert_eq!(task.assignee.as_deref(), Some("ann"));
        assert_eq!(task.candidate_groups, ["a", "b"]);
        assert_eq!((task.priority, task.due_at.is_some(), task.form.is_some()), (80, true, true));
    });
}

#[test]
fn a_task_is_claimed_taken_over_given_back_and_completed() {
    scenario(|engine| {
        deploy(engine);
        let instance = engine.start("p", r#"{"clerk":"","due":null}"#);
        let key = engine.user_task().key;
        assert_eq!(engine.user_task().assignee, None, "an empty assignee is none");
        assign(engine, key, Some("ann"), false).expect("it is free");
        let refused = assign(engine, key, Some("bob"), false).expect_err("ann has it");
        assert_eq!(refused.code, RejectionCode::InvalidState);
        assign(engine, key, Some("ann"), false).expect("she has it already");
        assign(engine, key, Some("bob"), true).expect("assigning takes it over");
        assign(engine, key, None, true).expect("and gives it back");
        assert_eq!(engine.user_task().assignee, None);
        complete(engine, key, r#"{"approved":true}"#).expect("completed");
        engine.expect(&["user task review Completing", "user task review Completed", "approved := true"]);
        assert_eq!(engine.variable(instance, "approved").as_deref(), Some("true"));
        let gone = complete(engine, key, "{}").expect_err("it is done");
        assert_eq!(gone.code, RejectionCode::NotFound);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_update_changes_what_it_names_and_refuses_priorities_out_of_range() {
    scenario(|engine| {
        deploy(engine);
        engine.start("p", r#"{"clerk":"ann","due":"2026-03-01T12:00:00Z"}"#);
        let task = engine.user_task().key;
        let update = |changes| Command::UpdateUserTask(UpdateUserTask { task, changes, action: None });
        let users = Some(vec![Text::from("bob")]);
        let changes =
            UserTaskChanges { due_at: Some(None), candidate_users: users, ..UserTaskChanges::default() };
        engine.run(update(changes)).expect("updated");
        let now = engine.user_task();
        assert_eq!((now.due_at, now.priority, now.state), (None, 80, UserTaskState::Created));
        assert_eq!((now.candidate_users.len(), now.candidate_groups.len()), (1, 2));
        let too_high = UserTaskChanges { priority: Some(101), ..UserTaskChanges::default() };
        assert_eq!(engine.run(update(too_high)).expect_err("refused").code, RejectionCode::InvalidArgument);
        let many = |count: usize| Some((0..count).map(|n| Text::from(n.to_string())).collect());
        let too_many = UserTaskChanges { candidate_groups: many(1_001), ..UserTaskChanges::default() };
        assert_eq!(engine.run(update(too_many)).expect_err("refused").code, RejectionCode::InvalidArgument);
        let enough = UserTaskChanges { candidate_groups: many(1_000), ..UserTaskChanges::default() };
        engine.run(update(enough)).expect("updated");
    });
}

#[test]
fn an_interrupted_or_cancelled_task_is_taken_away() {
    scenario(|engine| {
        deploy(engine);
        let first = engine.start("p", r#"{"clerk":"ann","due":null}"#);
        engine.advance(24 * 3_600_000);
        engine.expect(&[
            "review Terminating",
            "user task review Canceling",
            "user task review Canceled",
            "review Terminated",
            "gave_up Completed",
        ]);
        engine.expect_completed(first);
        let second = engine.start("p", r#"{"clerk":"ann","due":null}"#);
        engine.cancel(second).expect("it lives");
        engine.expect_terminated(second);
        engine.expect_nothing_left();
    });
}

#[test]
fn only_dates_may_be_null() {
    scenario(|engine| {
        deploy(engine);
        let instance = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.expect_never("user task review Creating");
        engine.set_variables(instance.scope(), r#"{"clerk":"ann"}"#, false);
        engine.resolve().expect("it can be resolved");
        assert_eq!(engine.user_task().due_at, None);
    });
}

#[test]
fn a_missing_form_is_an_incident_until_it_is_deployed() {
    scenario(|engine| {
        engine.deploy(&review());
        let instance = engine.start("p", r#"{"clerk":"ann","due":null}"#);
        assert_eq!(engine.incident().kind, IncidentKind::FormNotFound);
        engine.deploy_files(&[("review.form", FORM)]).expect("deployed");
        engine.resolve().expect("it can be resolved");
        let task = engine.user_task().key;
        complete(engine, task, "{}").expect("completed");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn the_binding_chooses_the_version_of_the_form() {
    let with = |binding: fn(Options) -> Options, id: &str| {
        let task = |t: Options| binding(t.form_id("review-form"));
        ModelBuilder::process(id).start("start").user_task("review", task).end("end").xml()
    };
    let form =
        |name: &str, tag: &str| format!(r#"{{"id":"review-form","name":"{name}","versionTag":"{tag}"}}"#);
    scenario(|engine| {
        let tagged = engine.deploy_files(&[("f.form", &form("a", "stable"))]).expect("deployed");
        let bound = with(|t| t.binding("deployment"), "bound");
        let together = [("f.form", form("b", "")), ("bound.bpmn", bound)];
        let together = together.each_ref().map(|(name, content)| (*name, content.as_str()));
        let together = engine.deploy_files(&together).expect("deployed");
        let newest = engine.deploy_files(&[("f.form", &form("c", ""))]).expect("deployed");
        let by_tag = with(|t| t.binding("versionTag").version_tag("stable"), "by_tag");
        let latest = with(|t| t, "latest");
        engine.deploy_files(&[("t.bpmn", &by_tag), ("l.bpmn", &latest)]).expect("deployed");
        for (process, deployment) in [("by_tag", tagged), ("bound", together), ("latest", newest)] {
            let instance = engine.start(process, "{}");
            let form = |resource: &DeployedResource| match resource {
                DeployedResource::Form(form) => Some(form.key),
                _ => None,
            };
            let expected = deployment.resources.iter().find_map(form);
            assert_eq!(engine.user_task().form, expected, "{process}");
            engine.cancel(instance).expect("it lives");
        }
        engine.expect_nothing_left();
    });
}

#[test]
fn a_form_elsewhere_is_only_referred_to() {
    scenario(|engine| {
        let task = |t: Options| t.external_reference("=place");
        engine.deploy(&ModelBuilder::process("p").start("start").user_task("review", task).end("end"));
        engine.start("p", r#"{"place":"https://forms.example/7"}"#);
        let task = engine.user_task();
        assert_eq!(task.external_form_reference.as_deref(), Some("https://forms.example/7"));
        assert_eq!(task.form, None);
    });
}

#[test]
fn without_the_engine_s_own_management_it_is_a_job_with_one_retry() {
    scenario(|engine| {
        let model = ModelBuilder::process("p")
            .start("start")
            .user_task_job("review", |t| {
                t.assignee("ann").candidate_users("bob,eve").form_key("f").header("a", "b")
            })
            .end("end");
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        let job = engine.job("io.camunda.zeebe:userTask");
        assert_eq!(job.retries, 1);
        let headers = job.headers.as_ref().expect("headers").as_str();
        for expected in [
            r#""a":"b""#,
            r#""io.camunda.zeebe:assignee":"ann""#,
            r#""io.camunda.zeebe:candidateUsers":"[\"bob\",\"eve\"]""#,
            r#""io.camunda.zeebe:formKey":"f""#,
        ] {
            assert!(headers.contains(expected), "{expected} in {headers}");
        }
        engine.complete("io.camunda.zeebe:userTask", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_task_without_a_name_has_that_of_its_element() {
    scenario(|engine| {
        engine.deploy(&ModelBuilder::process("p").start("s").user_task("look", |t| t).end("e"));
        engine.start("p", "{}");
        assert_eq!(engine.user_task().name.as_deref(), Some("look"));
    });
}
