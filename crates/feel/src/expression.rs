//! A compiled expression: what callers hold, share between threads and evaluate.

use crate::environment::Environment;
use crate::error::{EvaluationError, SyntaxError, Warning};
use crate::scope::Scope;
use crate::value::Value;

/// Whose FEEL it is, where Camunda's and the standard differ. The README has the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// As Camunda runs it; for BPMN.
    #[default]
    Camunda,
    /// As the DMN standard has it; for DMN.
    Standard,
}

#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    pub dialect: Dialect,
    /// Names with blanks or operator characters that are to be read as one name, the longest first.
    pub known_names: Vec<String>,
}

/// A variable that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableRef {
    pub name: String,
    /// The first path segments read of it, if nothing else of it is read: `["b"]` for `a.b.c`. Empty: all of it.
    pub segments: Vec<String>,
}

/// The value of an evaluation, and why parts of it may be null.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub value: Value,
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
}

impl Expression {
    /// Compiles in Camunda's dialect. The text is without the `=` that marks an expression in BPMN.
    pub fn compile(text: &str) -> Result<Expression, SyntaxError> {
        Expression::compile_with(text, &CompileOptions::default())
    }

    pub fn compile_with(text: &str, _options: &CompileOptions) -> Result<Expression, SyntaxError> {
        Ok(Expression { text: text.to_string() })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn variables(&self) -> &[VariableRef] {
        &[]
    }

    pub fn evaluate(&self, _scope: &dyn Scope, _env: &Environment) -> Result<Outcome, EvaluationError> {
        Ok(Outcome { value: Value::Null, warnings: Vec::new() })
    }

    /// The expression in canonical form.
    pub fn format(&self) -> String {
        self.text.clone()
    }
}
