//! Calls of built-ins and of functions that expressions define.

use super::conforms;
use crate::builtins::{Builtin, Call};
use crate::error::WarningKind;
use crate::evaluation::machine::{Fault, Machine};
use crate::evaluation::program::{BuiltinCall, CallArguments, FunctionCall, Parameter, ProgramNode};
use crate::syntax::ast::Type;
use crate::value::{Function, Text, UserFunction, Value};
use std::sync::Arc;

impl Machine<'_> {
    pub(super) fn call_builtin(&mut self, call: &BuiltinCall) -> Result<Value, Fault> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(match argument {
                Some(node) => self.eval(node)?,
                None => Value::Null,
            });
        }
        self.run_builtin(call.builtin, call.signature, &arguments)
    }

    fn run_builtin(
        &mut self,
        builtin: &'static Builtin,
        signature: usize,
        arguments: &[Value],
    ) -> Result<Value, Fault> {
        let mut call = Call { name: builtin.name, signature, arguments, machine: self };
        let value = (builtin.call)(&mut call)?;
        self.charge_value(value)
    }

    pub(super) fn call_value(&mut self, call: &FunctionCall) -> Result<Value, Fault> {
        let function = self.eval(&call.function)?;
        let Value::Function(function) = function else {
            let name = &call.name;
            return Ok(self.refuse(WarningKind::NoFunctionFound, || match &call.arguments {
                CallArguments::Positional(nodes) => no_function(name, nodes.len()),
                CallArguments::Named(named) => {
                    let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
                    no_named_function(name, &names)
                }
            }));
        };
        match &call.arguments {
            CallArguments::Positional(nodes) => {
                let arguments = self.arguments(nodes.iter())?;
                self.invoke(&function, arguments)
            }
            CallArguments::Named(named) => {
                let values = self.arguments(named.iter().map(|(_, node)| node))?;
                let names: Vec<&Text> = named.iter().map(|(name, _)| name).collect();
                self.invoke_named(&function, &names, values)
            }
        }
    }

    fn arguments<'n>(&mut self, nodes: impl Iterator<Item = &'n ProgramNode>) -> Result<Vec<Value>, Fault> {
        nodes.map(|node| self.eval(node)).collect()
    }

    /// Calls a function with arguments by position.
    pub(crate) fn invoke(&mut self, function: &Function, arguments: Vec<Value>) -> Result<Value, Fault> {
        self.charge_steps(1)?;
        match function {
            Function::Builtin(builtin) => self.invoke_builtin(builtin, arguments),
            Function::User(function) => self.invoke_user(function, arguments),
        }
    }

    fn invoke_builtin(
        &mut self,
        builtin: &'static Builtin,
        mut arguments: Vec<Value>,
    ) -> Result<Value, Fault> {
        let count = arguments.len();
        let Some(index) = builtin.signatures.iter().position(|signature| signature.accepts(count)) else {
            return Ok(self.wrong_count(builtin.name, count));
        };
        arguments.resize(count.max(builtin.signatures[index].len()), Value::Null);
        self.in_frame(0, 8, |machine| machine.run_builtin(builtin, index, &arguments))
    }

    fn wrong_count(&mut self, name: &str, count: usize) -> Value {
        self.refuse(WarningKind::NoFunctionFound, || no_function(name, count))
    }

    fn invoke_user(&mut self, function: &Arc<UserFunction>, arguments: Vec<Value>) -> Result<Value, Fault> {
        let code = &function.code;
        if arguments.len() != code.parameters.len() {
            return Ok(self.wrong_count("function", arguments.len()));
        }
        let mut checked = Vec::with_capacity(arguments.len());
        for (parameter, argument) in code.parameters.iter().zip(arguments) {
            match self.checked_argument(parameter, argument) {
                Some(argument) => checked.push(argument),
                None => return Ok(Value::Null),
            }
        }
        self.in_frame(code.frame_size, code.height, |machine| {
            for (slot, argument) in checked.into_iter().enumerate() {
                machine.set_local(slot as u32, argument);
            }
            for (slot, value) in code.captured.iter().zip(&function.captured) {
                machine.set_local(*slot, value.clone());
            }
            if let Some(slot) = code.itself {
                machine.set_local(slot, Function::User(function.clone()).into());
            }
            machine.eval(&code.body)
        })
    }

    /// The argument as the declared type wants it: one item for a list of one, a list for one item, and the
    /// midnight (UTC) that begins a date for a date and time.
    fn checked_argument(&mut self, parameter: &Parameter, argument: Value) -> Option<Value> {
        let Some(kind) = &parameter.kind else { return Some(argument) };
        if conforms(&argument, kind) {
            return Some(argument);
        }
        let coerced = match (&argument, kind) {
            (Value::List(list), _) if list.len() == 1 => list[0].clone(),
            (_, Type::List(_)) => vec![argument.clone()].into(),
            (Value::Date(date), Type::DateTime) => date.at_utc_midnight().into(),
            _ => argument.clone(),
        };
        if conforms(&coerced, kind) {
            return Some(coerced);
        }
        let name = &parameter.name;
        self.warn(WarningKind::FunctionInvocationFailure, || {
            format!("Parameter '{name}' does not take a {}, so the result is null", argument.type_name())
        });
        None
    }

    /// Calls a function with arguments by name; what is not given is null.
    fn invoke_named(
        &mut self,
        function: &Function,
        names: &[&Text],
        values: Vec<Value>,
    ) -> Result<Value, Fault> {
        let parameters: Vec<&str> = match function {
            Function::User(_) => function.parameters(),
            Function::Builtin(builtin) => {
                let fits = builtin.signatures.iter().find(|signature| {
                    names.iter().all(|name| signature.names().any(|parameter| parameter == name.as_str()))
                });
                fits.map_or_else(Vec::new, |signature| signature.names().collect())
            }
        };
        if let Some(unknown) = names.iter().find(|name| !parameters.contains(&name.as_str())) {
            return Ok(self.refuse(WarningKind::NoFunctionFound, || {
                format!("no parameter '{unknown}', so the result is null")
            }));
        }
        let arguments = parameters
            .iter()
            .map(|parameter| {
                let place = names.iter().position(|name| name.as_str() == *parameter);
                place.map_or(Value::Null, |place| values[place].clone())
            })
            .collect();
        self.invoke(function, arguments)
    }
}

/// No function of this name takes so many parameters.
pub(crate) fn no_function(name: &str, parameters: usize) -> String {
    format!("No function found with name '{name}' and {parameters} parameters")
}

/// No function of this name takes parameters of these names.
pub(crate) fn no_named_function(name: &str, parameters: &[&str]) -> String {
    format!("No function found with name '{name}' and parameters: {}", parameters.join(","))
}
