//! Functions as values: built-in ones and those an expression defines, with what they captured.

use super::{Extent, Value};
use crate::builtins::Builtin;
use crate::evaluation::program::FunctionCode;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Function {
    Builtin(&'static Builtin),
    User(Arc<UserFunction>),
}

/// A function that an expression defined.
#[derive(Debug)]
pub struct UserFunction {
    pub(crate) code: Arc<FunctionCode>,
    /// Values of the locals that the body reads, in the order the code expects them.
    pub(crate) captured: Vec<Value>,
    extent: Extent,
}

impl UserFunction {
    pub(crate) fn new(code: Arc<FunctionCode>, captured: Vec<Value>) -> UserFunction {
        let extent = Extent::of(&captured);
        UserFunction { code, captured, extent }
    }
}

impl Function {
    /// Names of the parameters, where the function has just one signature.
    pub fn parameters(&self) -> Vec<&str> {
        match self {
            Function::Builtin(builtin) => {
                builtin.signatures.first().map_or_else(Vec::new, |signature| signature.names().collect())
            }
            Function::User(function) => {
                function.code.parameters.iter().map(|parameter| parameter.name.as_str()).collect()
            }
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        match self {
            Function::Builtin(_) => 0,
            Function::User(function) => function.extent.depth(),
        }
    }

    pub(crate) fn weight(&self) -> u64 {
        match self {
            Function::Builtin(_) => 0,
            Function::User(function) => function.extent.weight(),
        }
    }
}
