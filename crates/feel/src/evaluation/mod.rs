//! Compiled expressions and the machine that evaluates them.

pub(crate) mod machine;
pub(crate) mod program;
