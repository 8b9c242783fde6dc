//! A schema in a few lines that people can read.

use serde_json::Value;

const DEPTH_MAX: usize = 4;

/// Required members are marked by `*`, what may be absent is not.
pub(super) fn schema(shape: &Value, all: &Value) -> String {
    of(shape, all, 0)
}

fn of(shape: &Value, all: &Value, depth: usize) -> String {
    if let Some(name) = shape["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        let is_enum = all[name]["enum"].is_array();
        return if depth >= DEPTH_MAX && !is_enum { name.to_owned() } else { of(&all[name], all, depth) };
    }
    if let Some(words) = shape["enum"].as_array() {
        return list(words.iter().filter_map(Value::as_str), " | ");
    }
    if let Some(choices) = shape["anyOf"].as_array() {
        return list(choices.iter().map(|choice| choice_words(choice, all, depth)), " | ");
    }
    match &shape["type"] {
        Value::Array(types) => list(types.iter().filter_map(Value::as_str), " | "),
        Value::String(kind) if kind == "array" => format!("[{}]", of(&shape["items"], all, depth)),
        Value::String(kind) if kind == "object" => object(shape, all, depth),
        Value::String(kind) => shape["format"].as_str().unwrap_or(kind).to_owned(),
        _ => "any".to_owned(),
    }
}

/// The operators of a filter fit in a line.
fn choice_words(choice: &Value, all: &Value, depth: usize) -> String {
    match choice["properties"].as_object() {
        Some(operators) if operators.keys().all(|name| name.starts_with('$')) => {
            format!("{{ {} }}", list(operators.keys(), " "))
        }
        _ => of(choice, all, depth + 1),
    }
}

fn object(shape: &Value, all: &Value, depth: usize) -> String {
    let Some(properties) = shape["properties"].as_object() else { return "{ any members }".to_owned() };
    if depth >= DEPTH_MAX {
        return "{ ... }".to_owned();
    }
    let required: Vec<&str> =
        shape["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let pad = "  ".repeat(depth + 1);
    let lines = properties.iter().map(|(name, member)| {
        let mark = if required.contains(&name.as_str()) { "*" } else { "" };
        format!("{pad}{name}{mark}: {}\n", of(member, all, depth + 1))
    });
    format!("{{\n{}{}}}", lines.collect::<String>(), "  ".repeat(depth))
}

fn list(words: impl Iterator<Item = impl AsRef<str>>, between: &str) -> String {
    words.map(|word| word.as_ref().to_owned()).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shapes_are_told_in_words() {
        let all = json!({"State": {"enum": ["ACTIVE", "ENDED"]}});
        let shape = json!({"type": "object", "required": ["key"], "properties": {
            "key": {"type": "string"},
            "state": {"$ref": "#/components/schemas/State"},
            "name": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"$eq": {}, "$like": {}}}]},
            "tags": {"type": "array", "items": {"type": ["string", "null"]}},
        }});
        assert_eq!(
            schema(&shape, &all),
            "{\n  key*: string\n  name: string | { $eq $like }\n  state: ACTIVE | ENDED\n  tags: [string | null]\n}"
        );
    }
}
