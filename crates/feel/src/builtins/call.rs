//! A call of a built-in: its arguments, and what the function may ask of the evaluation.

use super::CallResult;
use crate::environment::Environment;
use crate::error::WarningKind;
use crate::evaluation::machine::{BYTES_PER_STEP, Fault, Machine};
use crate::expression::Dialect;
use crate::number::Number;
use crate::value::{Context, Function, Value, shown};

/// More arguments than this say nothing new.
const ARGUMENTS_TOLD_MAX: usize = 20;

pub(crate) struct Call<'a, 'e> {
    pub(crate) name: &'static str,
    /// Which of the function's signatures fits the arguments.
    pub(crate) signature: usize,
    /// In the order of the signature; missing ones are null (a variadic call has just what was given).
    pub(crate) arguments: &'a [Value],
    pub(crate) machine: &'a mut Machine<'e>,
}

impl<'a, 'e> Call<'a, 'e> {
    /// The argument at that place; null if it was not given.
    pub(crate) fn arg(&self, index: usize) -> &'a Value {
        self.arguments.get(index).unwrap_or(&Value::Null)
    }

    pub(crate) fn string(&self, index: usize) -> Option<&'a str> {
        self.single(index).as_str()
    }

    pub(crate) fn number(&self, index: usize) -> Option<Number> {
        self.single(index).as_number()
    }

    pub(crate) fn boolean(&self, index: usize) -> Option<bool> {
        self.single(index).as_bool()
    }

    pub(crate) fn context(&self, index: usize) -> Option<&'a Context> {
        self.single(index).as_context()
    }

    /// The argument; in the standard, a list of one item counts as its item.
    pub(crate) fn single(&self, index: usize) -> &'a Value {
        match self.arg(index) {
            Value::List(list) if list.len() == 1 && self.dialect() == Dialect::Standard => &list[0],
            other => other,
        }
    }

    /// A list; in the standard, any other value but null counts as a list of itself.
    pub(crate) fn list(&self, index: usize) -> Option<&'a [Value]> {
        match self.arg(index) {
            Value::List(list) => Some(list),
            Value::Null => None,
            other if self.dialect() == Dialect::Standard => Some(std::slice::from_ref(other)),
            _ => None,
        }
    }

    /// The items of a call that takes them as one list or one by one; none for null alone.
    pub(crate) fn items(&self) -> Option<&'a [Value]> {
        match self.arguments {
            [Value::List(list)] => Some(list),
            [Value::Null] => None,
            items => Some(items),
        }
    }

    /// A whole number, its fraction cut off.
    pub(crate) fn integer(&self, index: usize) -> Option<i64> {
        self.number(index)?.trunc_i64()
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.machine.dialect()
    }

    pub(crate) fn environment(&self) -> &'e Environment {
        self.machine.environment()
    }

    /// The next number of the seeded sequence.
    pub(crate) fn random(&mut self) -> u64 {
        self.machine.random()
    }

    /// Counts work that grows with the arguments.
    pub(crate) fn charge_steps(&mut self, steps: usize) -> Result<(), Fault> {
        self.machine.charge_steps(steps as u64)
    }

    /// Counts memory before it is taken. Results are counted by the caller: charge only what is taken besides.
    pub(crate) fn charge_bytes(&mut self, bytes: usize) -> Result<(), Fault> {
        self.machine.charge_bytes(bytes as u64)
    }

    /// Counts the work of reading so many bytes of values or text.
    pub(crate) fn charge_reading(&mut self, bytes: u64) -> Result<(), Fault> {
        self.machine.charge_steps(1 + bytes / BYTES_PER_STEP)
    }

    /// Refuses a result that would not fit, before it is built. Its bytes are counted by the caller.
    pub(crate) fn ensure_bytes(&mut self, bytes: u64) -> Result<(), Fault> {
        self.machine.ensure_bytes(bytes)
    }

    /// Null, with a warning that names the function, its arguments and what was expected.
    pub(crate) fn refuse(&mut self, expected: &str) -> CallResult {
        let arguments = self.arguments;
        self.fail(|| {
            let arguments: Vec<String> = arguments
                .iter()
                .take(ARGUMENTS_TOLD_MAX)
                .map(|value| format!("'{}'", shown(value)))
                .collect();
            format!("Illegal arguments: {}. Expected {expected}", arguments.join(", "))
        })
    }

    /// Null, with a warning that names the function and tells why it failed.
    pub(crate) fn fail(&mut self, reason: impl FnOnce() -> String) -> CallResult {
        let name = self.name;
        self.machine.warn(WarningKind::FunctionInvocationFailure, || {
            format!("Failed to invoke function '{name}': {}", reason())
        });
        Ok(Value::Null)
    }

    /// Calls a function that was passed as argument.
    pub(crate) fn invoke(&mut self, function: &Function, arguments: Vec<Value>) -> CallResult {
        self.machine.invoke(function, arguments)
    }
}
