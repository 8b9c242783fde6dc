//! Compiled expressions and the machine that evaluates them.

mod compile;
pub(crate) mod machine;
pub(crate) mod program;
mod run;
mod suggestion;

pub use suggestion::nearest;

pub(crate) use compile::{compile_expression, compile_tests};
