//! User tasks: assign, change, complete, look at.

use super::call::{Call, Handled, done, variables};
use super::findings::Findings;
use super::json::{self, Date, KeyText, RawObject, optional_key};
use super::problem::Problem;
use super::search;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidemill_model::command::{AssignUserTask, CompleteUserTask, UpdateUserTask, UserTaskChanges};
use tidemill_model::{Command, Text, UserTaskKey};
use tidemill_store::view::UserTaskView;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Assignment {
    assignee: Option<String>,
    allow_override: Option<bool>,
    action: Option<String>,
}

pub(super) async fn assign(call: Call) -> Handled {
    let task = call.key()?;
    let request: Assignment = call.required_body()?;
    let assignee = request.assignee.filter(|assignee| !assignee.trim().is_empty());
    let Some(assignee) = assignee else { return Err(Problem::invalid_argument("No assignee provided")) };
    let mut findings = Findings::default();
    let assignee = findings.text("assignee", assignee);
    let action = action(request.action, "assign", &mut findings);
    findings.finish()?;
    let allow_override = request.allow_override.unwrap_or(true);
    let command = AssignUserTask { task, assignee: Some(assignee), allow_override, action };
    call.submit(Command::AssignUserTask(command), done).await
}

/// The word for what happened: the client's own, or the usual one.
fn action(given: Option<String>, default: &'static str, findings: &mut Findings) -> Option<Text> {
    findings.optional_text("action", given).or_else(|| Some(Text::new_static(default)))
}

pub(super) async fn unassign(call: Call) -> Handled {
    let command = AssignUserTask {
        task: call.key()?,
        assignee: None,
        allow_override: true,
        action: Some(Text::new_static("unassign")),
    };
    call.submit(Command::AssignUserTask(command), done).await
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Update {
    changeset: Option<Changeset>,
    action: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Changeset {
    due_date: Option<String>,
    follow_up_date: Option<String>,
    candidate_users: Option<Vec<String>>,
    candidate_groups: Option<Vec<String>>,
    priority: Option<i32>,
}

pub(super) async fn update(call: Call) -> Handled {
    let task = call.key()?;
    let request: Update = call.body()?.unwrap_or_default();
    let mut findings = Findings::default();
    let changes = changes(request.changeset.unwrap_or_default(), &mut findings);
    if request.action.is_none() && changes == UserTaskChanges::default() && findings.is_empty() {
        findings.add(
            "No update data provided. Provide at least an \"action\" or a non-null value \
             for a supported attribute in the \"changeset\"",
        );
    }
    let action = action(request.action, "update", &mut findings);
    findings.finish()?;
    call.submit(Command::UpdateUserTask(UpdateUserTask { task, changes, action }), done).await
}

/// Null leaves an attribute as it is, the empty text or list clears it.
fn changes(changeset: Changeset, findings: &mut Findings) -> UserTaskChanges {
    let mut texts =
        |field: &str, values: Option<Vec<String>>| values.map(|values| findings.texts(field, Some(values)));
    let candidate_users = texts("candidateUsers", changeset.candidate_users);
    let candidate_groups = texts("candidateGroups", changeset.candidate_groups);
    let mut date = |field: &str, text: Option<String>| text.map(|text| findings.optional_date(field, &text));
    let due_at = date("due date", changeset.due_date);
    let follow_up_at = date("follow-up date", changeset.follow_up_date);
    let priority = changeset.priority.map(|priority| {
        findings.number("priority", priority, |n| (0..=100).contains(&n), "within the [0,100] range")
    });
    UserTaskChanges { due_at, follow_up_at, candidate_users, candidate_groups, priority }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Completion {
    variables: Option<Box<RawValue>>,
    action: Option<String>,
}

pub(super) async fn complete(call: Call) -> Handled {
    let task = call.key()?;
    let request: Completion = call.body()?.unwrap_or_default();
    let mut findings = Findings::default();
    let action = action(request.action, "complete", &mut findings);
    findings.finish()?;
    let variables = variables(request.variables.as_deref())?;
    call.submit(Command::CompleteUserTask(CompleteUserTask { task, variables, action }), done).await
}

/// The task with the key of the path.
pub(super) async fn found(call: &Call) -> Result<UserTaskView, Problem> {
    let key: UserTaskKey = call.key()?;
    let task = call.gateway.queries.user_task(key).await?;
    task.ok_or_else(|| Problem::not_found("User Task", key.0))
}

pub(super) async fn get(call: Call) -> Handled {
    Ok(json::ok(&shown(&found(&call).await?)))
}

pub(super) async fn search(call: Call) -> Handled {
    let found = call.gateway.queries.user_tasks(&search::requested(&call)?).await?;
    Ok(search::shown(found, |item, items| items.push(&shown(item))))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskItem<'a> {
    name: Option<&'a Text>,
    state: &'a str,
    assignee: Option<&'a Text>,
    element_id: &'a str,
    candidate_groups: &'a [Text],
    candidate_users: &'a [Text],
    process_definition_id: &'a str,
    creation_date: Date,
    completion_date: Option<Date>,
    follow_up_date: Option<Date>,
    due_date: Option<Date>,
    tenant_id: &'a str,
    external_form_reference: Option<&'a Text>,
    process_definition_version: i32,
    custom_headers: RawObject<'a>,
    priority: i32,
    user_task_key: KeyText,
    element_instance_key: KeyText,
    process_name: Option<&'a Text>,
    process_definition_key: KeyText,
    process_instance_key: KeyText,
    root_process_instance_key: KeyText,
    business_id: Option<&'a Text>,
    form_key: Option<KeyText>,
    tags: &'a [Text],
}

fn shown(task: &UserTaskView) -> TaskItem<'_> {
    TaskItem {
        name: task.name.as_ref(),
        state: task.state.name(),
        assignee: task.assignee.as_ref(),
        element_id: &task.element_id,
        candidate_groups: &task.candidate_groups,
        candidate_users: &task.candidate_users,
        process_definition_id: &task.process_id,
        creation_date: Date(task.created_at),
        completion_date: task.ended_at.map(Date),
        follow_up_date: task.follow_up_at.map(Date),
        due_date: task.due_at.map(Date),
        tenant_id: task.tenant.as_str(),
        external_form_reference: task.external_form_reference.as_ref(),
        process_definition_version: task.version,
        custom_headers: RawObject(task.headers.as_ref()),
        priority: task.priority,
        user_task_key: task.key.into(),
        element_instance_key: task.element_instance.into(),
        process_name: task.process_name.as_ref(),
        process_definition_key: task.definition.into(),
        process_instance_key: task.instance.into(),
        root_process_instance_key: task.root.into(),
        business_id: task.business_id.as_ref(),
        form_key: optional_key(task.form),
        tags: &task.tags,
    }
}
