//! FEEL: parse, compile, evaluate. Pure: no I/O, no clock, no randomness but what the caller injects.

mod builtins;
mod environment;
mod error;
mod evaluation;
mod expression;
mod json;
mod number;
mod pattern;
mod scope;
mod syntax;
pub mod temporal;
mod value;

pub use builtins::{Builtin, Signature, builtins};
pub use environment::{Budget, Environment, Spent};
pub use error::{EvaluationError, JsonError, SyntaxError, Warning, WarningKind};
pub use evaluation::nearest;
pub use expression::{CompileOptions, Dialect, Evaluation, Expression, UnaryTests, VariableRef};
pub use number::{Number, Rounding};
pub use scope::{EmptyScope, Lookup, Scope};
pub use value::{
    Bound, Context, ContextBuilder, Function, List, Range, Text, UserFunction, VALUE_DEPTH_MAX, Value,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
