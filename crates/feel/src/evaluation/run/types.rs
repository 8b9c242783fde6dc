//! `instance of`, and the check of arguments against declared types.

use crate::error::WarningKind;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::ProgramNode;
use crate::syntax::ast::Type;
use crate::value::{Function, Value};

impl Machine<'_> {
    pub(super) fn instance_of(&mut self, value: &ProgramNode, kind: &Type) -> Result<Value, Fault> {
        let value = self.eval(value)?;
        self.charge_steps(value.weight() / 64)?;
        if let Type::Named(name) = kind {
            return Ok(self.refuse(WarningKind::Unknown, || format!("no type '{name}'")));
        }
        // Null is an instance of its own type alone.
        Ok(Value::Boolean(match (&value, kind) {
            (Value::Null, kind) => matches!(kind, Type::Null),
            (value, kind) => conforms(value, kind),
        }))
    }
}

/// True if a value is of a type. Null conforms to every type: it is the absence of a value.
pub(crate) fn conforms(value: &Value, kind: &Type) -> bool {
    match (value, kind) {
        (_, Type::Any | Type::Named(_)) | (Value::Null, _) => true,
        (Value::Boolean(_), Type::Boolean) => true,
        (Value::Number(_), Type::Number) => true,
        (Value::String(_), Type::String) => true,
        (Value::Date(_), Type::Date) => true,
        (Value::Time(_), Type::Time) => true,
        (Value::DateTime(_), Type::DateTime) => true,
        (Value::DaysDuration(_), Type::DaysDuration) => true,
        (Value::MonthsDuration(_), Type::MonthsDuration) => true,
        (Value::List(_), Type::List(None)) => true,
        (Value::List(list), Type::List(Some(item))) => list.iter().all(|value| conforms(value, item)),
        (Value::Range(_), Type::Range(None)) => true,
        (Value::Range(range), Type::Range(Some(item))) => [&range.start, &range.end]
            .into_iter()
            .filter_map(|bound| bound.value())
            .all(|value| conforms(value, item)),
        (Value::Context(context), Type::Context(entries)) => {
            entries.iter().all(|(name, kind)| context.get(name).is_some_and(|value| conforms(value, kind)))
        }
        (Value::Function(_), Type::Function(None)) => true,
        (Value::Function(function), Type::Function(Some((parameters, _)))) => {
            function_conforms(function, parameters)
        }
        _ => false,
    }
}

/// Parameters are checked in number and, where both sides declare them, in type. The result's type is not known.
fn function_conforms(function: &Function, parameters: &[Type]) -> bool {
    match function {
        Function::Builtin(builtin) => {
            builtin.signatures.iter().any(|signature| signature.accepts(parameters.len()))
        }
        Function::User(function) => {
            let declared = &function.code.parameters;
            declared.len() == parameters.len()
                && declared.iter().zip(parameters).all(|(declared, expected)| {
                    declared.kind.as_ref().is_none_or(|kind| *kind == Type::Any || kind == expected)
                })
        }
    }
}
