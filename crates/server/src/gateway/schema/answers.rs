//! Holds the JSON of answers against their description; for tests, here and of clients.

use super::{Answer, Api, Content, Field, Type, check};
use serde_json::{Map, Value};

/// Tells how the JSON of an answer differs from its description; for tests.
pub fn answer_misfit(operation_id: &str, status: u16, body: &Value) -> Option<String> {
    let api = Api::get();
    let Some(operation) = api.operation(operation_id) else {
        return Some(format!("nobody describes {operation_id}"));
    };
    let Some(Answer { content, .. }) = operation.answers.iter().find(|answer| answer.status == status) else {
        return Some(format!("{operation_id} has no answer {status}"));
    };
    match content {
        Content::Empty | Content::Other(_) => None,
        Content::Json(shape) => given_misfit(api, shape, body, "$"),
        Content::Page(item) => match (body["items"].as_array(), body["page"].as_object()) {
            (Some(items), Some(page)) if has_page_members(page) => items
                .iter()
                .enumerate()
                .find_map(|(n, given)| given_misfit(api, item, given, &format!("$.items[{n}]"))),
            _ => Some("not a page of items".to_owned()),
        },
    }
}

fn has_page_members(page: &Map<String, Value>) -> bool {
    let is_cursor =
        |name| page.get(name).is_some_and(|cursor: &Value| cursor.is_string() || cursor.is_null());
    page.len() == 4
        && page.get("totalItems").is_some_and(Value::is_u64)
        && page.get("hasMoreTotalItems").is_some_and(Value::is_boolean)
        && is_cursor("startCursor")
        && is_cursor("endCursor")
}

fn given_misfit(api: &Api, shape: &Type, given: &Value, path: &str) -> Option<String> {
    match shape {
        Type::List(item) => match given.as_array() {
            Some(items) => items
                .iter()
                .enumerate()
                .find_map(|(n, given)| given_misfit(api, item, given, &format!("{path}[{n}]"))),
            None => Some(format!("{path} is not a list")),
        },
        Type::Named(name) if api.words(shape).is_none() => object_misfit(api.object(name), given, path, api),
        Type::Key if given.as_str().is_none_or(|text| text.parse::<i64>().is_err()) => {
            Some(format!("{path} is not a key: {given}"))
        }
        Type::DateTime if given.as_str().is_none_or(|text| text.parse::<jiff::Timestamp>().is_err()) => {
            Some(format!("{path} is not a date: {given}"))
        }
        _ => check::value_misfit(api, shape, given).map(|misfit| format!("{path}: {}", misfit.detail)),
    }
}

fn object_misfit(fields: &[Field], given: &Value, path: &str, api: &Api) -> Option<String> {
    let Some(members) = given.as_object() else { return Some(format!("{path} is not an object")) };
    if let Some(name) = members.keys().find(|name| !fields.iter().any(|field| field.name == *name)) {
        return Some(format!("{path}.{name} is not described"));
    }
    fields.iter().find_map(|field| match members.get(field.name) {
        None if field.is_required => Some(format!("{path}.{} is missing", field.name)),
        None => None,
        Some(Value::Null) if field.is_nullable => None,
        Some(Value::Null) => Some(format!("{path}.{} is null", field.name)),
        Some(member) => given_misfit(api, &field.shape, member, &format!("{path}.{}", field.name)),
    })
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
