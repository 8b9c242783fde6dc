//! Reading the members of JSON objects: each wrong one is named with its path, and all are told at once.

use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use tidemill_calendar::{Duration, Timestamp, Zone};

/// A member of a request that cannot be taken, by its path: `target.headers.Host`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldError {
    pub field: String,
    pub reason: String,
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FieldErrors(pub Vec<FieldError>);

impl FieldErrors {
    pub fn add(&mut self, field: impl Into<String>, reason: impl Into<String>) {
        self.0.push(FieldError { field: field.into(), reason: reason.into() });
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("; "))
    }
}

/// The members of one object. Those that nobody has asked for are unknown.
pub struct Fields<'a> {
    path: String,
    object: &'a Map<String, Value>,
    asked: Vec<&'static str>,
    errors: &'a mut FieldErrors,
}

impl<'a> Fields<'a> {
    /// `path` is empty for the request itself. None, and an error, if the value is no object.
    pub fn of(value: &'a Value, path: impl Into<String>, errors: &'a mut FieldErrors) -> Option<Fields<'a>> {
        let path = path.into();
        match value.as_object() {
            Some(object) => Some(Fields { path, object, asked: Vec::new(), errors }),
            None => {
                errors.add(path, format!("Expected an object, but it is {}", kind(value)));
                None
            }
        }
    }

    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub fn wrong(&mut self, name: &str, reason: impl Into<String>) {
        let field = self.path_of(name);
        self.errors.add(field, reason);
    }

    /// For members that are read elsewhere.
    pub fn errors(&mut self) -> &mut FieldErrors {
        self.errors
    }

    /// `null` counts as absent.
    pub fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.knows(&[name]);
        self.object.get(name).filter(|value| !value.is_null())
    }

    pub fn text(&mut self, name: &'static str, bytes_max: usize) -> Option<String> {
        let value = self.value(name)?;
        match value.as_str() {
            None => self.wrong(name, format!("Expected a text, but it is {}", kind(value))),
            Some(text) if text.len() > bytes_max => {
                self.wrong(name, format!("Expected at most {bytes_max} bytes, but it has {}", text.len()));
            }
            Some(text) if text.contains('\0') => self.wrong(name, "Expected a text without NUL characters"),
            Some(text) => return Some(text.to_owned()),
        }
        None
    }

    pub fn required_text(&mut self, name: &'static str, bytes_max: usize) -> Option<String> {
        let is_there = self.object.get(name).is_some_and(|value| !value.is_null());
        match self.text(name, bytes_max) {
            Some(text) if !text.is_empty() => Some(text),
            None if is_there => None,
            _ => {
                self.wrong(name, "Expected a text, but there is none");
                None
            }
        }
    }

    pub fn integer(&mut self, name: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.value(name)?;
        let (from, to) = (range.start(), range.end());
        match value.as_i64() {
            Some(number) if range.contains(&number) => Some(number),
            _ => {
                self.wrong(
                    name,
                    format!("Expected a whole number from {from} to {to}, but it is {}", told(value)),
                );
                None
            }
        }
    }

    pub fn number(&mut self, name: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let value = self.value(name)?;
        let (from, to) = (range.start(), range.end());
        match value.as_f64() {
            Some(number) if range.contains(&number) => Some(number),
            _ => {
                self.wrong(name, format!("Expected a number from {from} to {to}, but it is {}", told(value)));
                None
            }
        }
    }

    /// A duration of ISO 8601, or a number of milliseconds. A day counts 24 hours.
    pub fn duration_ms(&mut self, name: &'static str, range_ms: RangeInclusive<i64>) -> Option<i64> {
        let value = self.value(name)?;
        let expected = "Expected a duration such as PT10S, or a number of milliseconds";
        let ms = match (value.as_i64(), value.as_str()) {
            (Some(ms), _) => ms,
            (None, Some(text)) => match Duration::parse(text) {
                Ok(duration) => duration.after(Timestamp(0), &Zone::utc()).0,
                Err(error) => {
                    self.wrong(name, format!("{expected}, but it is '{text}': {error}"));
                    return None;
                }
            },
            (None, None) => {
                self.wrong(name, format!("{expected}, but it is {}", told(value)));
                return None;
            }
        };
        if !range_ms.contains(&ms) {
            let (from, to) = (range_ms.start(), range_ms.end());
            self.wrong(name, format!("Expected {from} to {to} milliseconds, but it is {ms}"));
            return None;
        }
        Some(ms)
    }

    pub fn one_of<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let value = self.value(name)?;
        let found =
            value.as_str().and_then(|text| words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)));
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(name, format!("Expected one of {}, but it is {}", known.join(", "), told(value)));
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// Members that need not be asked for, because they were read elsewhere.
    pub fn knows(&mut self, names: &[&'static str]) {
        for name in names {
            if !self.asked.contains(name) {
                self.asked.push(name);
            }
        }
    }

    /// Tells of every member that nobody has asked for.
    pub fn finish(self) {
        for name in self.object.keys().filter(|name| !self.asked.contains(&name.as_str())) {
            let known = self.asked.join(", ");
            self.errors.add(self.path_of(name), format!("There is no such member; known are {known}"));
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Short values as they are, others by their kind.
fn told(value: &Value) -> String {
    match value {
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.len() <= 100 => format!("'{text}'"),
        _ => kind(value).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_wrong_member_is_named() {
        let value = json!({"a": 7, "b": "x", "c": "P1X", "d": 1.5, "e": "blue", "f": null, "h": true});
        let mut errors = FieldErrors::default();
        let mut fields = Fields::of(&value, "target", &mut errors).expect("an object");
        assert_eq!(fields.text("a", 10), None);
        assert_eq!(fields.required_text("b", 0), None);
        assert_eq!(fields.duration_ms("c", 0..=10), None);
        assert_eq!(fields.number("d", 0.0..=2.0), Some(1.5));
        assert_eq!(fields.one_of("e", &[("red", 1), ("green", 2)]), None);
        assert_eq!(fields.required_text("f", 10), None);
        fields.finish();
        let named: Vec<&str> = errors.0.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(named, ["target.a", "target.b", "target.c", "target.e", "target.f", "target.h"]);
    }

    #[test]
    fn durations_are_texts_or_milliseconds() {
        let value = json!({"a": "PT1.5S", "b": 250, "c": "P1D", "d": "PT0S"});
        let mut errors = FieldErrors::default();
        let mut fields = Fields::of(&value, "", &mut errors).expect("an object");
        assert_eq!(fields.duration_ms("a", 0..=i64::MAX), Some(1_500));
        assert_eq!(fields.duration_ms("b", 0..=i64::MAX), Some(250));
        assert_eq!(fields.duration_ms("c", 0..=i64::MAX), Some(86_400_000));
        assert_eq!(fields.duration_ms("d", 1..=i64::MAX), None);
        assert_eq!(errors.0[0].field, "d");
    }
}
