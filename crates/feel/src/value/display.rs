//! Values as FEEL text: what `string()` gives and what messages show.

use super::{Bound, Function, Range, Value};
use std::fmt;

impl fmt::Display for Value {
    /// A string at the top stands for itself; inside lists and contexts it is quoted. The alternate form `{:#}` has
    /// no blank after the colon of an entry, as Camunda writes contexts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::String(text) => f.write_str(text),
            other => write_nested(f, other),
        }
    }
}

fn write_nested(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Null => f.write_str("null"),
        Value::Boolean(value) => write!(f, "{value}"),
        Value::Number(value) => write!(f, "{value}"),
        Value::String(text) => write_quoted(f, text),
        Value::List(list) => {
            f.write_str("[")?;
            for (index, item) in list.iter().enumerate() {
                f.write_str(if index > 0 { ", " } else { "" })?;
                write_nested(f, item)?;
            }
            f.write_str("]")
        }
        Value::Context(context) => {
            f.write_str("{")?;
            for (index, (key, value)) in context.iter().enumerate() {
                f.write_str(if index > 0 { ", " } else { "" })?;
                write_key(f, key)?;
                f.write_str(if f.alternate() { ":" } else { ": " })?;
                write_nested(f, value)?;
            }
            f.write_str("}")
        }
        Value::Date(date) => write!(f, "{date}"),
        Value::Time(time) => write!(f, "{time}"),
        Value::DateTime(date_time) => write!(f, "{date_time}"),
        Value::DaysDuration(duration) => write!(f, "{duration}"),
        Value::MonthsDuration(duration) => write!(f, "{duration}"),
        Value::Range(range) => write!(f, "{range}"),
        Value::Function(function) => write!(f, "{function}"),
    }
}

fn write_key(f: &mut fmt::Formatter<'_>, key: &str) -> fmt::Result {
    let plain = !key.is_empty()
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if plain { f.write_str(key) } else { write_quoted(f, key) }
}

pub(crate) fn write_quoted(f: &mut impl fmt::Write, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// A value in a message: strings are quoted, and a long value is told by its beginning.
pub(crate) fn shown(value: &Value) -> String {
    let mut beginning = Beginning(String::new());
    // The only failure is that enough is written.
    let _ = fmt::write(&mut beginning, format_args!("{:#}", Nested(value)));
    beginning.0
}

const SHOWN_BYTES_MAX: usize = 500;

struct Beginning(String);

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = SHOWN_BYTES_MAX.saturating_sub(self.0.len());
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        self.0.push_str(&text[..end]);
        self.0.push_str("...");
        Err(fmt::Error)
    }
}

struct Nested<'a>(&'a Value);

impl fmt::Display for Nested<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nested(f, self.0)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |f: &mut fmt::Formatter<'_>, bound: &Bound| match bound.value() {
            Some(value) => write_nested(f, value),
            None => f.write_str("null"),
        };
        f.write_str(if self.start.is_closed() { "[" } else { "(" })?;
        end(f, &self.start)?;
        f.write_str("..")?;
        end(f, &self.end)?;
        f.write_str(if self.end.is_closed() { "]" } else { ")" })
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function({})", self.parameters().join(", "))
    }
}
