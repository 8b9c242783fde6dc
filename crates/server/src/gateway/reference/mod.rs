//! The reference for people: what each operation does in plain words, an example that a test has run against a
//! server, and the page that shows it all.

mod admin;
mod examples;
mod page;
mod words;

pub(super) use page::routes;

use super::openapi;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const DESCRIPTIONS: &str = include_str!("descriptions.txt");

/// The description of an operation, which says more than its summary.
pub(super) fn description(operation: &str) -> Option<&'static str> {
    static KNOWN: OnceLock<BTreeMap<&str, &str>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let lines: Vec<&str> = DESCRIPTIONS.lines().collect();
        lines.chunks(2).filter_map(|pair| Some((*pair.first()?, pair.get(1)?.trim()))).collect()
    });
    known.get(operation).copied()
}

/// Adds description and example to an operation of the document.
pub(super) fn explain(operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
    if let Some(description) = description(&id) {
        operation["description"] = json!(description);
    }
    let Some(example) = examples::find(&id) else { return };
    let body = operation.pointer_mut("/requestBody/content");
    let body = body.and_then(|content| content.as_object_mut()?.iter_mut().next()).map(|(_, body)| body);
    if let (Some(sent), Some(body)) = (&example.body, body) {
        body["example"] = sent.clone();
    }
    let content = operation.pointer_mut(&format!("/responses/{}/content", example.status));
    if let Some((_, answer)) = content.and_then(|content| content.as_object_mut()?.iter_mut().next()) {
        answer["example"] = example.answer.clone();
    }
}

/// One operation as the page shows it.
struct Entry {
    method: String,
    path: String,
    described: Value,
}

/// The groups of the reference with their operations: what `/openapi.json` has, then what operators use.
fn groups() -> Vec<(String, Vec<Entry>)> {
    let admin = Value::Object(admin::paths().into_iter().collect());
    let mut groups: Vec<(String, Vec<Entry>)> = Vec::new();
    for paths in [&openapi::document()["paths"], &admin] {
        for (path, methods) in paths.as_object().into_iter().flatten() {
            for (method, described) in methods.as_object().into_iter().flatten() {
                let group = described["tags"][0].as_str().unwrap_or_default();
                let entry =
                    Entry { method: method.to_uppercase(), path: path.clone(), described: described.clone() };
                match groups.iter_mut().find(|(known, _)| known == group) {
                    Some((_, entries)) => entries.push(entry),
                    None => groups.push((group.to_owned(), vec![entry])),
                }
            }
        }
    }
    groups.sort_by_key(|(group, _)| ORDER.iter().position(|known| known == group));
    groups
}

/// In the order in which somebody meets them.
const ORDER: [&str; 12] = [
    "Resources",
    "Process definitions",
    "Process instances",
    "Jobs",
    "User tasks",
    "Messages and signals",
    "Timers",
    "Variables",
    "Element instances",
    "Incidents",
    "System",
    "Administration",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_description_and_an_example() {
        for (group, entries) in groups() {
            assert!(ORDER.contains(&group.as_str()), "{group} has no place in the order");
            for entry in entries {
                let id = entry.described["operationId"].as_str().expect("a name");
                assert!(description(id).is_some(), "{id} has no line in descriptions.txt");
                assert!(examples::find(id).is_some(), "{id} has no step in the script of examples");
            }
        }
    }
}
