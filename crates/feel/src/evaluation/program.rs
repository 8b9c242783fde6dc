//! The form in which expressions are evaluated: names resolved, constants folded.

use crate::value::Text;

/// A function that an expression defines.
#[derive(Debug)]
pub(crate) struct FunctionCode {
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Text,
}
