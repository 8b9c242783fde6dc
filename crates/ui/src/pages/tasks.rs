//! Tasks for people.

use super::Shown;
use crate::Sources;
use crate::frame::{Page, Place};
use crate::parts::{badge, optional_time, pager, time, total};
use crate::query::Query;
use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use std::sync::Arc;
use tidemill_store::query::{Filter, Order, Search, Test, UserTaskField};
use tidemill_store::view::UserTaskView;

const PATH: &str = "/ui/tasks";
const STATES: [(&str, &str); 3] =
    [("CREATED", "Open"), ("COMPLETED", "Completed"), ("CANCELED", "Cancelled")];

pub(crate) async fn show(State(sources): State<Arc<Sources>>, RawQuery(query): RawQuery) -> Shown {
    let query = Query::read(query.as_deref());
    let state = query.get("state").unwrap_or("CREATED");
    let mut filter = Filter::default().is(UserTaskField::State, Test::eq(state));
    for (name, field) in [
        ("assignee", UserTaskField::Assignee),
        ("candidate", UserTaskField::CandidateUser),
        ("group", UserTaskField::CandidateGroup),
        ("process", UserTaskField::ProcessId),
    ] {
        if let Some(value) = query.get(name) {
            filter = filter.is(field, Test::eq(value));
        }
    }
    if query.get("unassigned").is_some() {
        filter = filter.is(UserTaskField::Assignee, Test::Exists(false));
    }
    let search = Search::of(filter).sort_by(UserTaskField::Key, Order::Descending).page(query.page());
    let found = sources.store.user_tasks(&search).await?;
    let content = html! {
        h1 { "Tasks " span.quiet { (total(&found)) } }
        (form(&query, state))
        @if found.items.is_empty() {
            p.empty { "No task passes this filter. Tasks appear here when an instance reaches a user task." }
        } @else {
            (table(&found.items))
            (pager(PATH, &query, &found))
        }
    };
    Ok(Page::new(Place::Tasks, "Tasks", content))
}

fn form(query: &Query, state: &str) -> Markup {
    let value = |name| query.get(name).unwrap_or_default();
    html! {
        form.filter method="get" action=(PATH) {
            label { span { "State" } select name="state" {
                @for (name, text) in STATES { option value=(name) selected[name == state] { (text) } }
            } }
            label { span { "Assignee" } input name="assignee" value=(value("assignee")); }
            label { span { "Candidate user" } input name="candidate" value=(value("candidate")); }
            label { span { "Candidate group" } input name="group" value=(value("group")); }
            label.check { input type="checkbox" name="unassigned" value="yes" checked[query.get("unassigned").is_some()]; span { "assigned to nobody" } }
            button type="submit" { "Search" }
            a href=(PATH) { "Clear" }
        }
    }
}

pub(crate) fn table(tasks: &[UserTaskView]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th { "Task" } th { "State" } th { "Process" } th { "Assignee" } th { "Created" } th { "Due" } th.number { "Priority" } } }
            tbody {
                @for task in tasks {
                    tr {
                        td { a href={ (PATH) "/" (task.key) } { (task.name.as_deref().unwrap_or(&task.element_id)) } }
                        td { (badge(&task.state.name().to_lowercase(), task.state.name())) }
                        td { (task.process_name.as_deref().unwrap_or(&task.process_id)) }
                        td { (task.assignee.as_deref().unwrap_or("–")) }
                        td { (time(task.created_at)) }
                        td { (optional_time(task.due_at)) }
                        td.number { (task.priority) }
                    }
                }
            }
        } }
    }
}
