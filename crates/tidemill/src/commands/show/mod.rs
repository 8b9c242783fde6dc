//! `tidemill show`: everything about one instance, as a tree.

mod picture;

use crate::client::{Failure, RemoteCommand, Session};
use anyhow::Result;
use clap::Args;
use picture::Picture;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Rows of a kind that are read at most.
const ROWS_MAX: u32 = 10_000;
/// Kinds of elements that have elements of their own.
const SCOPES: [&str; 5] = [
    "SUB_PROCESS",
    "EVENT_SUB_PROCESS",
    "AD_HOC_SUB_PROCESS",
    "AD_HOC_SUB_PROCESS_INNER_INSTANCE",
    "MULTI_INSTANCE_BODY",
];

/// Show an instance: its elements, variables, incidents, jobs, tasks and timers
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill show 2251799813685251
  tidemill show 2251799813685251 --json | jq .incidents")]
pub(crate) struct Show {
    /// Key of the instance, see `tidemill instances`
    key: i64,
}

impl RemoteCommand for Show {
    fn run(self, session: &Session) -> Result<()> {
        let key = self.key.to_string();
        let instance = session.client.get(&format!("/v2/process-instances/{key}"))?;
        let of_instance = |path: &str| -> Result<Value, Failure> {
            Ok(session.search(path, json!({"processInstanceKey": key}), json!([]), ROWS_MAX)?["items"].take())
        };
        let all = json!({
            "instance": instance,
            "elements": elements(session, &key)?,
            "variables": of_instance("/v2/variables/search?truncateValues=false")?,
            "incidents": incidents(session, &key)?,
            "jobs": of_instance("/v2/jobs/search")?,
            "userTasks": of_instance("/v2/user-tasks/search")?,
            "messageSubscriptions": of_instance("/v2/message-subscriptions/search")?,
            "timers": session.client.get(&format!("/v1/process-instances/{key}/timers"))?["items"],
        });
        session.show(&all, |all| Picture(all).tree().print());
        Ok(())
    }
}

/// Those of the instances it has called as well: they hold up this one.
fn incidents(session: &Session, key: &str) -> Result<Value, Failure> {
    let path = format!("/v2/process-instances/{key}/incidents/search");
    Ok(session.search(&path, json!({}), json!([]), ROWS_MAX)?["items"].take())
}

/// The elements of the instance as a tree.
fn elements(session: &Session, key: &str) -> Result<Value, Failure> {
    let filter = json!({"parentProcessInstanceKey": key});
    // All that were called, at once: a search for each would take as long as there are calls.
    let mut called = session.search("/v2/process-instances/search", filter, json!([]), ROWS_MAX)?;
    let called = called["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let called: HashMap<String, Value> =
        called.into_iter().map(|instance| (text(&instance, "parentElementInstanceKey"), instance)).collect();
    elements_of(session, key, &called)
}

/// The elements of a scope in the order of their start, those of inner scopes under `children`.
fn elements_of(session: &Session, scope: &str, called: &HashMap<String, Value>) -> Result<Value, Failure> {
    let filter = json!({"elementInstanceScopeKey": scope});
    let by_key = json!([{"field": "elementInstanceKey"}]);
    let mut found = session.search("/v2/element-instances/search", filter, by_key, ROWS_MAX)?;
    let mut items = found["items"].take();
    for element in items.as_array_mut().into_iter().flatten() {
        let key = text(element, "elementInstanceKey");
        if SCOPES.contains(&element["type"].as_str().unwrap_or_default()) {
            element["children"] = elements_of(session, &key, called)?;
        } else if let Some(instance) = called.get(&key) {
            element["calledInstance"] = instance.clone();
        }
    }
    Ok(items)
}

fn text(item: &Value, member: &str) -> String {
    item[member].as_str().unwrap_or_default().to_owned()
}
