//! Evaluating FEEL expressions for people who try them out.

use super::call::{Call, Handled, variables};
use super::evaluations::random_seed;
use super::findings::{Findings, default_tenant};
use super::json;
use super::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use tidemill_bpmn::static_value;
use tidemill_feel::{Environment, EvaluationError, Expression, Lookup, Scope};
use tidemill_model::{ElementInstanceKey, RawJson, Rejection, Text};

/// As large as a variable may be.
const RESULT_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EvaluationRequest {
    expression: Option<String>,
    tenant_id: Option<String>,
    scope_key: Option<String>,
    variables: Option<Box<RawValue>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated<'a> {
    expression: &'a str,
    result: json::Raw<'a>,
    warnings: Vec<WarningItem>,
    /// Expressions have no way to secrets.
    referenced_secrets: [(); 0],
}

#[derive(Serialize)]
struct WarningItem {
    message: String,
}

pub(super) async fn evaluate(call: Call) -> Handled {
    let request: EvaluationRequest = call.required_body()?;
    let Some(text) = request.expression.filter(|text| !text.trim().is_empty()) else {
        return Err(Problem::invalid_argument("No expression provided"));
    };
    default_tenant("Expression Evaluation", request.tenant_id.as_deref())?;
    let Some(feel) = text.strip_prefix('=').filter(|feel| !feel.is_empty()) else {
        let result = static_value(&text);
        return Ok(json::ok(&Evaluated {
            expression: &text,
            result: json::Raw(&result),
            warnings: Vec::new(),
            referenced_secrets: [],
        }));
    };
    let place = call.gateway.evaluations.place().await?;
    let mut known = scope(&call, request.scope_key.as_deref()).await?;
    let given = variables(request.variables.as_deref())?;
    known.0.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    let environment = Environment::at_millis(call.gateway.broker.now().0).with_seed(random_seed());
    let (expression, feel) = (text.clone(), feel.to_owned());
    // An expression may use up its whole budget: the threads that serve other requests do not wait for it.
    let answer = tokio::task::spawn_blocking(move || {
        let answer = answer(&expression, &feel, &known, &environment);
        drop(place);
        answer
    });
    answer
        .await
        .map_err(|_| Problem::internal("Expected to evaluate the expression, but a defect stopped it"))?
}

/// Compiles, evaluates and writes down the result.
fn answer(text: &str, feel: &str, known: &Known, environment: &Environment) -> Handled {
    let expression = Expression::compile(feel).map_err(|error| {
        let reason = format!("Failed to parse expression: failed to parse expression '{feel}': {error}");
        Problem::rejected("EVALUATE", &Rejection::invalid_argument(reason))
            .with("line", error.line)
            .with("column", error.column)
    })?;
    let outcome = expression.evaluate(known, environment).map_err(|error| {
        Problem::invalid_argument(match &error {
            EvaluationError::AssertionFailed { message, .. } => {
                format!("Assertion failure on evaluate the expression '{feel}': {message}")
            }
            _ => format!("Failed to evaluate expression '{feel}': {error}"),
        })
    })?;
    let result = RawJson::new(outcome.value.to_stored_json());
    if result.as_str().len() > RESULT_BYTES_MAX {
        return Err(Problem::invalid_argument(format!(
            "Failed to evaluate expression '{feel}': Expected a result of at most {RESULT_BYTES_MAX} bytes, as \
             variables have them, but it has {}",
            result.as_str().len()
        )));
    }
    let warnings = outcome.warnings.into_iter().map(|warning| WarningItem { message: warning.message });
    Ok(json::ok(&Evaluated {
        expression: text,
        result: json::Raw(&result),
        warnings: warnings.collect(),
        referenced_secrets: [],
    }))
}

struct Known(HashMap<Text, RawJson>);

impl Scope for Known {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        self.0.get(name).map(|value| Lookup::Json(value.as_str()))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().map(ToString::to_string).collect()
    }
}

/// The variables that an expression in this scope sees.
async fn scope(call: &Call, key: Option<&str>) -> Result<Known, Problem> {
    let Some(key) = key else { return Ok(Known(HashMap::new())) };
    let mut findings = Findings::default();
    let scope = ElementInstanceKey(findings.key("scopeKey", key));
    findings.finish()?;
    let queries = &call.gateway.queries;
    let exists = queries.element_instance(scope).await?.is_some()
        || queries.process_instance(tidemill_model::ProcessInstanceKey(scope.0)).await?.is_some();
    if !exists {
        let reason = format!("No scope found with key '{}'", scope.0);
        return Err(Problem::rejected("EVALUATE", &Rejection::not_found(reason)));
    }
    let seen = queries.visible_variables(scope).await?;
    Ok(Known(seen.into_iter().map(|variable| (variable.name, variable.value)).collect()))
}
