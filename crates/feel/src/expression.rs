//! A compiled expression: what callers hold, share between threads and evaluate.

use crate::environment::{Environment, Spent};
use crate::error::{EvaluationError, SyntaxError, Warning};
use crate::evaluation::machine::{HEIGHT_MAX, Machine};
use crate::evaluation::program::Program;
use crate::evaluation::{compile_expression, compile_tests};
use crate::scope::Scope;
use crate::syntax::ast::{Expr, Tests};
use crate::syntax::{format_expression, format_tests, parse_expression, parse_unary_tests};
use crate::value::Value;
use std::sync::Arc;

/// The FEEL of Camunda or that of the standard, where the two differ. The README has the list.
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
    /// Types that a model declares: a name, and the FEEL type that it stands for (`context<a: number>`), which may
    /// name others of them.
    pub known_types: Vec<(String, String)>,
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
pub struct Evaluation {
    pub value: Value,
    pub warnings: Vec<Warning>,
}

/// A compiled expression. Cloning shares the program.
#[derive(Clone)]
pub struct Expression(Arc<Compiled>);

/// Tests of an input value, as the cells of decision tables hold them: `< 10`, `"a", "b"`, `not(> 5)`, `-`, `? > 3`.
#[derive(Clone)]
pub struct UnaryTests(Arc<Compiled>);

/// The syntax tree is not kept: it would take about as much memory as the rest, and the few who want it can parse the text again.
struct Compiled {
    text: Box<str>,
    program: Program,
    variables: Box<[VariableRef]>,
    options: CompileOptions,
}

impl Compiled {
    fn new(
        text: &str,
        program: Program,
        variables: Vec<VariableRef>,
        options: &CompileOptions,
    ) -> Arc<Compiled> {
        let variables = variables.into_boxed_slice();
        Arc::new(Compiled { text: text.into(), program, variables, options: options.clone() })
    }
}

const PARSED_BEFORE: &str = "the same text was parsed with the same options before";

impl Expression {
    /// Compiles in Camunda's dialect. The text is without the `=` that marks an expression in BPMN.
    pub fn compile(text: &str) -> Result<Expression, SyntaxError> {
        Expression::compile_with(text, &CompileOptions::default())
    }

    pub fn compile_with(text: &str, options: &CompileOptions) -> Result<Expression, SyntaxError> {
        let tree = parse_expression(text, options).map_err(|error| *error)?;
        let (program, variables) = compile_expression(&tree, options).ok_or_else(too_deep)?;
        Ok(Expression(Compiled::new(text, program, variables, options)))
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The variables that an evaluation may read, in the order of their first use.
    pub fn variables(&self) -> &[VariableRef] {
        &self.0.variables
    }

    pub fn evaluate(
        &self,
        scope: &dyn Scope,
        environment: &Environment,
    ) -> Result<Evaluation, EvaluationError> {
        self.evaluate_counted(scope, environment).0
    }

    /// Evaluates, and tells what that has used of the budget, also where it failed.
    pub fn evaluate_counted(
        &self,
        scope: &dyn Scope,
        environment: &Environment,
    ) -> (Result<Evaluation, EvaluationError>, Spent) {
        self.0.run(None, scope, environment)
    }

    /// The expression in canonical form; compiling that gives the same expression.
    pub fn format(&self) -> String {
        format_expression(&self.tree())
    }

    fn tree(&self) -> Expr {
        parse_expression(&self.0.text, &self.0.options).expect(PARSED_BEFORE)
    }
}

impl UnaryTests {
    /// Compiles in Camunda's dialect.
    pub fn compile(text: &str) -> Result<UnaryTests, SyntaxError> {
        UnaryTests::compile_with(text, &CompileOptions::default())
    }

    pub fn compile_with(text: &str, options: &CompileOptions) -> Result<UnaryTests, SyntaxError> {
        let tree = parse_unary_tests(text, options).map_err(|error| *error)?;
        let (program, variables) = compile_tests(&tree, options).ok_or_else(too_deep)?;
        Ok(UnaryTests(Compiled::new(text, program, variables, options)))
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The variables, besides the input, that an evaluation may read.
    pub fn variables(&self) -> &[VariableRef] {
        &self.0.variables
    }

    /// Gives a boolean that says whether the input passes.
    pub fn evaluate(
        &self,
        input: &Value,
        scope: &dyn Scope,
        environment: &Environment,
    ) -> Result<Evaluation, EvaluationError> {
        self.0.run(Some(input), scope, environment).0
    }

    /// The tests in canonical form.
    pub fn format(&self) -> String {
        format_tests(&self.tree())
    }

    fn tree(&self) -> Tests {
        parse_unary_tests(&self.0.text, &self.0.options).expect(PARSED_BEFORE)
    }
}

fn too_deep() -> SyntaxError {
    let expected = format!("an expression of at most {HEIGHT_MAX} levels");
    SyntaxError { line: 1, column: 1, expected, found: "one of more".to_string() }
}

impl Compiled {
    fn run(
        &self,
        input: Option<&Value>,
        scope: &dyn Scope,
        environment: &Environment,
    ) -> (Result<Evaluation, EvaluationError>, Spent) {
        let mut machine = Machine::new(environment, scope, &self.program.globals, self.options.dialect);
        let result = machine.run(&self.program, input);
        let spent = machine.spent();
        let outcome = match result {
            Ok(value) => Ok(Evaluation { value, warnings: machine.into_warnings() }),
            Err(fault) => Err(match *fault {
                EvaluationError::AssertionFailed { message, .. } => {
                    EvaluationError::AssertionFailed { message, warnings: machine.into_warnings() }
                }
                other => other,
            }),
        };
        (outcome, spent)
    }
}

impl std::fmt::Debug for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Expression").field(&self.text()).finish()
    }
}

impl std::fmt::Debug for UnaryTests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("UnaryTests").field(&self.text()).finish()
    }
}

/// Expressions are equal if they say the same thing, however it is written.
impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.0.options.dialect == other.0.options.dialect && self.tree() == other.tree()
    }
}

impl PartialEq for UnaryTests {
    fn eq(&self, other: &UnaryTests) -> bool {
        self.0.options.dialect == other.0.options.dialect && self.tree() == other.tree()
    }
}
