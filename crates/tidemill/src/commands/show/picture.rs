//! The tree of an instance: what is known about each element stands below it.

use crate::output::{Tree, cell, count, one_line, time};
use console::style;
use serde_json::Value;

/// Of a variable's value, so much is shown.
const VALUE_CHARS_MAX: usize = 200;

pub(super) struct Picture<'a>(pub(super) &'a Value);

impl Picture<'_> {
    pub(super) fn tree(&self) -> Tree {
        let instance = &self.0["instance"];
        let key = cell(instance, "processInstanceKey");
        let line = format!(
            "{} {key}  {}  version {}  started {}{}",
            style(cell(instance, "processDefinitionId")).bold(),
            state(instance),
            cell(instance, "processDefinitionVersion"),
            time(instance, "startDate"),
            ended(instance),
        );
        let mut children = self.variables(&key);
        children.extend(self.belongings(&key));
        children.extend(list(&self.0["elements"]).iter().map(|element| self.element(element)));
        Tree { line, children }
    }

    fn element(&self, element: &Value) -> Tree {
        let key = cell(element, "elementInstanceKey");
        let name = match element["elementName"].as_str() {
            Some(name) if Some(name) != element["elementId"].as_str() => format!(" \"{}\"", one_line(name)),
            _ => String::new(),
        };
        let kind = cell(element, "type").to_lowercase().replace('_', " ");
        let id = cell(element, "elementId");
        let line = format!(
            "{} {}{name}  {}",
            state(element),
            style(id).bold(),
            style(format!("{kind} {key}")).dim()
        );
        let mut children = self.variables(&key);
        children.extend(self.belongings(&key));
        let called = &element["calledInstance"];
        if called.is_object() {
            let (process, key) = (cell(called, "processDefinitionId"), cell(called, "processInstanceKey"));
            let line = format!("calls {process} {key}");
            let incidents = self.incidents("processInstanceKey", &key).map(Tree::leaf).collect();
            children.push(Tree { line, children: incidents });
        }
        children.extend(list(&element["children"]).iter().map(|child| self.element(child)));
        Tree { line, children }
    }

    fn variables(&self, scope: &str) -> Vec<Tree> {
        let of_scope = self.of("variables", "scopeKey", scope);
        of_scope
            .map(|variable| {
                Tree::leaf(format!("{} = {}", cell(variable, "name"), short(cell(variable, "value"))))
            })
            .collect()
    }

    /// The jobs, timers and subscriptions that an element waits for, and its incidents.
    fn belongings(&self, element: &str) -> Vec<Tree> {
        let of = |list: &'static str| self.of(list, "elementInstanceKey", element);
        let incidents = self.incidents("elementInstanceKey", element);
        let jobs = of("jobs").map(|job| {
            let (key, kind) = (cell(job, "jobKey"), cell(job, "type"));
            let retries = count(job["retries"].as_i64().unwrap_or_default(), "retry", "retries");
            format!("job {key} {kind}  {}, {retries} left{}", cell(job, "state"), held(job))
        });
        let tasks = of("userTasks").map(|task| {
            let key = cell(task, "userTaskKey");
            format!("task {key}  {}, assignee {}", cell(task, "state"), cell(task, "assignee"))
        });
        let subscriptions = of("messageSubscriptions").map(|subscription| {
            let name = cell(subscription, "messageName");
            let state = cell(subscription, "messageSubscriptionState");
            format!("message {name}, key {}  {state}", cell(subscription, "correlationKey"))
        });
        let timers = of("timers").map(|timer| {
            format!(
                "timer {} of {}  due {}",
                cell(timer, "timerKey"),
                cell(timer, "elementId"),
                time(timer, "dueDate")
            )
        });
        incidents.chain(jobs).chain(tasks).chain(subscriptions).chain(timers).map(Tree::leaf).collect()
    }

    fn incidents<'a>(&'a self, member: &'a str, key: &'a str) -> impl Iterator<Item = String> + 'a {
        let open = self.of("incidents", member, key).filter(|incident| incident["state"] == "ACTIVE");
        open.map(|incident| {
            let text = format!("incident {}", cell(incident, "incidentKey"));
            let message = cell(incident, "errorMessage");
            format!("{} {}: {message}", style(text).red(), cell(incident, "errorType"))
        })
    }

    fn of<'a>(&'a self, name: &str, member: &'a str, key: &'a str) -> impl Iterator<Item = &'a Value> {
        list(&self.0[name]).iter().filter(move |item| item[member].as_str() == Some(key))
    }
}

/// The worker of a job, and until when it has the job. A job that has failed or timed out names its last worker all the same.
fn held(job: &Value) -> String {
    if job["deadline"].is_null() || !job["endTime"].is_null() {
        return String::new();
    }
    match job["state"].as_str() {
        Some("FAILED" | "TIMED_OUT" | "ERROR_THROWN") => format!(", last held by {}", cell(job, "worker")),
        _ => format!(", held by {} until {}", cell(job, "worker"), time(job, "deadline")),
    }
}

/// A value that fits a line; all of it is in the JSON.
fn short(value: String) -> String {
    match value.char_indices().nth(VALUE_CHARS_MAX) {
        Some((at, _)) => {
            let hint = format!("... ({} bytes, see --json)", value.len());
            format!("{}{}", &value[..at], style(hint).dim())
        }
        None => value,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn state(item: &Value) -> String {
    let state = cell(item, "state");
    let shown = if item["hasIncident"] == true {
        style(format!("{state} with incident")).red()
    } else {
        match state.as_str() {
            "ACTIVE" => style(state).cyan(),
            "COMPLETED" => style(state).green(),
            _ => style(state).yellow(),
        }
    };
    shown.to_string()
}

fn ended(item: &Value) -> String {
    if item["endDate"].is_null() { String::new() } else { format!("  ended {}", time(item, "endDate")) }
}
