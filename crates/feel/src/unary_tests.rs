//! Unary tests: the cells of decision tables.

use crate::environment::Environment;
use crate::error::{EvaluationError, SyntaxError};
use crate::expression::{CompileOptions, Expression, Outcome, VariableRef};
use crate::scope::Scope;
use crate::value::Value;

/// Tests of an input value: `< 10`, `"a", "b"`, `not(> 5)`, `-`, `? > 3`.
#[derive(Clone, Debug)]
pub struct UnaryTests {
    expression: Expression,
}

impl UnaryTests {
    pub fn compile_with(text: &str, options: &CompileOptions) -> Result<UnaryTests, SyntaxError> {
        Ok(UnaryTests { expression: Expression::compile_with(text, options)? })
    }

    pub fn text(&self) -> &str {
        self.expression.text()
    }

    pub fn variables(&self) -> &[VariableRef] {
        self.expression.variables()
    }

    /// Whether the input passes: a boolean or null.
    pub fn evaluate(
        &self,
        _input: &Value,
        scope: &dyn Scope,
        env: &Environment,
    ) -> Result<Outcome, EvaluationError> {
        self.expression.evaluate(scope, env)
    }
}
