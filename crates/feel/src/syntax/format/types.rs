//! Types and parameter lists in canonical form.

use super::names::{write_argument_name, write_property};
use crate::syntax::ast::{ParameterDefinition, Type};

pub(super) fn write_parameters(out: &mut String, parameters: &[ParameterDefinition]) {
    out.push_str("function(");
    for (index, ParameterDefinition { name, kind }) in parameters.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_argument_name(out, name);
        if let Some(kind) = kind {
            out.push_str(": ");
            write_type(out, kind);
        }
    }
    out.push_str(") ");
}

pub(super) fn write_type(out: &mut String, kind: &Type) {
    let simple = match kind {
        Type::Any => "Any",
        Type::Null => "Null",
        Type::Boolean => "boolean",
        Type::Number => "number",
        Type::String => "string",
        Type::Date => "date",
        Type::Time => "time",
        Type::DateTime => "date and time",
        Type::DaysDuration => "days and time duration",
        Type::MonthsDuration => "years and months duration",
        Type::List(item) => return write_of(out, "list", item.as_deref()),
        Type::Range(item) => return write_of(out, "range", item.as_deref()),
        Type::Context(entries) => return write_context(out, entries),
        Type::Function(signature) => return write_function(out, signature.as_ref()),
        Type::Named(name) => return write_declared(out, name),
    };
    out.push_str(simple);
}

fn write_of(out: &mut String, name: &str, item: Option<&Type>) {
    out.push_str(name);
    if let Some(item) = item {
        out.push('<');
        write_type(out, item);
        out.push('>');
    }
}

fn write_context(out: &mut String, entries: &[(crate::value::Text, Type)]) {
    out.push_str("context");
    if entries.is_empty() {
        return;
    }
    out.push('<');
    for (index, (name, kind)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_argument_name(out, name);
        out.push_str(": ");
        write_type(out, kind);
    }
    out.push('>');
}

fn write_function(out: &mut String, signature: Option<&(Vec<Type>, Box<Type>)>) {
    out.push_str("function");
    let Some((parameters, result)) = signature else { return };
    out.push('<');
    for (index, parameter) in parameters.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_type(out, parameter);
    }
    out.push_str("> -> ");
    write_type(out, result);
}

fn write_declared(out: &mut String, name: &str) {
    for (index, part) in name.split('.').enumerate() {
        out.push_str(if index > 0 { "." } else { "" });
        write_property(out, part);
    }
}
