//! One task: what is known, who does it, and its completion.

use super::{Shown, key};
use crate::Sources;
use crate::frame::{Page, Place};
use crate::pages::instance_parts::value;
use crate::parts::{Action, Step, json_field, optional_time, text_field, time};
use crate::problem::Problem;
use axum::extract::{Path, State};
use maud::{Markup, html};
use serde_json::json;
use std::sync::Arc;
use tidemill_model::UserTaskKey;
use tidemill_model::entity::UserTaskState;
use tidemill_store::view::{UserTaskView, VariableView};

pub(crate) async fn show(State(sources): State<Arc<Sources>>, Path(text): Path<String>) -> Shown {
    let key = UserTaskKey(key("task", &text)?);
    let Some(task) = sources.store.user_task(key).await? else {
        return Err(Problem::not_found("task", &text));
    };
    let variables = sources.store.visible_variables(task.element_instance).await?;
    let name = task.name.as_deref().unwrap_or(&task.element_id);
    let is_open = task.state == UserTaskState::Created;
    let content = html! {
        h1 { (name) }
        dl.facts {
            dt { "State" } dd { (task.state.name()) }
            dt { "Process" } dd { a href={ "/ui/instances/" (task.instance) } { (task.process_name.as_deref().unwrap_or(&task.process_id)) " " (task.instance) } }
            dt { "Assignee" } dd { (task.assignee.as_deref().unwrap_or("nobody")) }
            dt { "Candidates" } dd { (candidates(&task)) }
            dt { "Created" } dd { (time(task.created_at)) }
            dt { "Due" } dd { (optional_time(task.due_at)) }
            dt { "Ended" } dd { (optional_time(task.ended_at)) }
        }
        @if is_open {
            section { h2 { "Who does it" } (assign(&task)) }
            section { h2 { "Complete" } (complete(&task)) }
        }
        section { h2 { "Variables" } (table(&variables)) }
    };
    Ok(Page::new(Place::Tasks, name.to_owned(), content))
}

fn candidates(task: &UserTaskView) -> String {
    let all = task.candidate_users.iter().chain(&task.candidate_groups).map(|one| one.as_str());
    let all: Vec<&str> = all.collect();
    if all.is_empty() { "everybody".to_owned() } else { all.join(", ") }
}

fn assign(task: &UserTaskView) -> Markup {
    let path = format!("/v2/user-tasks/{}", task.key);
    let body = json!({"assignee": "$assignee", "allowOverride": true});
    let assign = Action {
        steps: vec![Step::post(format!("{path}/assignment"), body)],
        fields: text_field("assignee", "Assignee", task.assignee.as_deref().unwrap_or_default()),
        button: "Assign",
        question: None,
        then: None,
    };
    let give_back = Action {
        steps: vec![Step { method: "DELETE", path: format!("{path}/assignee"), body: json!(null) }],
        fields: html! {},
        button: "Give back",
        question: None,
        then: None,
    };
    html! { (assign.form()) @if task.assignee.is_some() { (give_back.form()) } }
}

fn complete(task: &UserTaskView) -> Markup {
    Action {
        steps: vec![Step::post(
            format!("/v2/user-tasks/{}/completion", task.key),
            json!({"variables": "$json:variables"}),
        )],
        fields: json_field("variables", "Variables to set", "{}"),
        button: "Complete",
        question: None,
        then: Some("/ui/tasks"),
    }
    .form()
}

fn table(variables: &[VariableView]) -> Markup {
    html! {
        @if variables.is_empty() { p.empty { "None." } } @else {
            div.scroll tabindex="0" { table {
                thead { tr { th { "Name" } th { "Value" } } }
                tbody { @for variable in variables { tr { td { code { (variable.name) } } td { (value(variable)) } } } }
            } }
        }
    }
}
