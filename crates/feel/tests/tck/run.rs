//! Evaluates the decisions of a case, with what they require.

use crate::cases::{Case, ExpectedResult};
use crate::compare::conforms;
use crate::model::{Element, Kind, Model};
use std::collections::HashMap;
use tidemill_feel::{CompileOptions, ContextBuilder, Dialect, Environment, Expression, Value};

pub(crate) enum Verdict {
    Passed,
    Failed(String),
    /// The case needs more than FEEL, for that reason.
    LeftOut(String),
}

/// Milliseconds since 1970 at which the cases are evaluated.
const NOW_MS: i64 = 1_600_000_000_000;

pub(crate) fn run_case(model: &Model, case: &Case) -> Verdict {
    if model.has_imports {
        return Verdict::LeftOut("imports of other models".to_owned());
    }
    let mut left_out = None;
    let mut asked = 0;
    for result in &case.results {
        if !result.is_decision {
            left_out = Some("a decision service".to_owned());
            continue;
        }
        match check(model, case, result) {
            Ok(()) => asked += 1,
            Err(Verdict::LeftOut(reason)) => left_out = Some(reason),
            Err(verdict) => return verdict,
        }
    }
    match left_out {
        Some(reason) if asked == 0 => Verdict::LeftOut(reason),
        _ => Verdict::Passed,
    }
}

fn check(model: &Model, case: &Case, result: &ExpectedResult) -> Result<(), Verdict> {
    let Some(decision) = model.decision(&result.name) else {
        return Err(Verdict::LeftOut("no such decision".to_owned()));
    };
    let options = CompileOptions {
        dialect: Dialect::Standard,
        known_names: known_names(model),
        known_types: model.types.known_types(),
    };
    let mut run = Run { model, case, options, values: HashMap::new() };
    let actual = match run.value_of(decision, 0) {
        Ok(value) => value,
        Err(Problem::LeftOut(reason)) => return Err(Verdict::LeftOut(reason.to_owned())),
        // A text that is no FEEL, or cannot be evaluated, has no value; a case may expect just that.
        Err(Problem::Error(_)) if result.is_error => Value::Null,
        Err(Problem::Error(message)) => return Err(Verdict::Failed(message)),
    };
    if conforms(&actual, &result.value) {
        return Ok(());
    }
    Err(Verdict::Failed(format!("{} is {actual:?} instead of {:?}", result.name, result.value)))
}

/// Names that the grammar would not read as one name by itself.
fn known_names(model: &Model) -> Vec<String> {
    let plain = |name: &str| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    model.names.iter().filter(|name| !plain(name)).cloned().collect()
}

struct Run<'a> {
    model: &'a Model,
    case: &'a Case,
    options: CompileOptions,
    values: HashMap<&'a str, Value>,
}

enum Problem {
    LeftOut(&'static str),
    Error(String),
}

impl<'a> Run<'a> {
    fn value_of(&mut self, element: &'a Element, depth: usize) -> Result<Value, Problem> {
        if let Some(value) = self.values.get(element.name.as_str()) {
            return Ok(value.clone());
        }
        if depth > 50 {
            return Err(Problem::Error("decisions that require each other".to_owned()));
        }
        if element.type_name.as_ref().is_some_and(|name| self.model.types.is_constrained(name)) {
            return Err(Problem::LeftOut("a type with allowed values"));
        }
        let value = match &element.kind {
            Kind::Input => self.input(&element.name),
            Kind::Logic(Err(reason)) => return Err(Problem::LeftOut(reason)),
            Kind::Logic(Ok(text)) => {
                let scope = self.scope_of(element, depth)?;
                let converted = match &element.type_name {
                    Some(name) => self.model.types.converting(text, name),
                    None => text.clone(),
                };
                evaluate(&converted, &self.options, scope).map_err(Problem::Error)?
            }
        };
        self.values.insert(&element.name, value.clone());
        Ok(value)
    }

    fn input(&self, name: &str) -> Value {
        let given = self.case.inputs.iter().find(|(given, _)| given == name);
        given.map_or(Value::Null, |(_, value)| value.clone())
    }

    fn scope_of(&mut self, element: &'a Element, depth: usize) -> Result<ContextBuilder, Problem> {
        let mut scope = ContextBuilder::default();
        for id in &element.requires {
            let Some(required) = self.model.elements.get(id) else {
                return Err(Problem::LeftOut("a requirement outside of the model"));
            };
            scope.put(required.name.as_str(), self.value_of(required, depth + 1)?);
        }
        Ok(scope)
    }
}

fn evaluate(text: &str, options: &CompileOptions, scope: ContextBuilder) -> Result<Value, String> {
    let expression = Expression::compile_with(text, options).map_err(|error| error.to_string())?;
    let outcome = expression.evaluate(&scope.build(), &Environment::at_millis(NOW_MS));
    outcome.map(|outcome| outcome.value).map_err(|error| error.to_string())
}
