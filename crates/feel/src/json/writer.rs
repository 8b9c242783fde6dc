//! Values as JSON text.

use crate::number::Number;
use crate::value::Value;
use std::fmt::Write;

/// How numbers are written.
pub(super) type NumberStyle = fn(&mut String, &Number);

/// Recursion is bounded by the depth that values may have.
pub(super) fn write(out: &mut String, value: &Value, number_style: NumberStyle) {
    match value {
        Value::Null | Value::Function(_) => out.push_str("null"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => number_style(out, number),
        Value::String(text) => string(out, text),
        Value::List(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(out, item, number_style);
            }
            out.push(']');
        }
        Value::Context(context) => {
            let number_style = if context.shape().is_read() { exact } else { number_style };
            out.push('{');
            for (index, (key, value)) in context.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                string(out, key);
                out.push(':');
                write(out, value, number_style);
            }
            out.push('}');
        }
        Value::Time(time) => string(out, &time.to_iso_string()),
        Value::DateTime(at) => string(out, &at.to_iso_string()),
        other => string(out, &other.to_string()),
    }
}

/// With all its digits, zeros at the end included.
pub(super) fn exact(out: &mut String, number: &Number) {
    shown(out, number);
}

/// Without zeros that say nothing: `3` for `3.0`, `1.1` for `1.10`.
pub(super) fn shortest(out: &mut String, number: &Number) {
    let from = out.len();
    shown(out, number);
    let text = &out[from..];
    if text.contains('.') && !text.contains('E') {
        let end = from + text.trim_end_matches('0').trim_end_matches('.').len();
        out.truncate(end);
    }
    if &out[from..] == "-0" {
        out.replace_range(from.., "0");
    }
}

fn shown(out: &mut String, value: impl std::fmt::Display) {
    write!(out, "{value}").expect("writing to a string does not fail");
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    let mut run = 0;
    for (index, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[run..index]);
        run = index + 1;
        if escape.is_empty() { shown(out, format_args!("\\u{byte:04x}")) } else { out.push_str(escape) }
    }
    out.push_str(&text[run..]);
    out.push('"');
}
