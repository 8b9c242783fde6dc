//! Expressions as elements use them: evaluated in a scope, checked for the type that is wanted.

use super::work::Work;
use crate::limits::INDEXED_TEXT_BYTES_MAX;
use crate::run::Run;
use crate::state::Working;
use crate::stop::{Stepped, Stop};
use std::cell::RefCell;
use std::fmt::Write;
use tidemill_bpmn::Source;
use tidemill_feel::{
    ContextBuilder, Evaluation, EvaluationError, Expression, Lookup, Number, Scope, Value, Warning,
};
use tidemill_model::entity::{ElementInstance, IncidentKind, ProcessInstance, Variable};
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey, RawJson, Text, VariableKey};

/// The name of what the engine itself tells expressions.
const NAMESPACE: &str = "camunda";

/// Values that an expression sees before any variable.
pub(crate) type Extra<'a> = &'a [(&'a str, Value)];

/// Everything visible from a scope, nearest first.
pub(crate) struct Visible<'a> {
    pub(crate) working: &'a Working,
    pub(crate) scope: ElementInstanceKey,
    pub(crate) extra: Extra<'a>,
    pub(crate) work: &'a Work,
    /// Why what was read is not all there.
    pub(crate) missing: RefCell<Option<Stop>>,
}

impl<'a> Visible<'a> {
    pub(crate) fn new(run: &'a Run<'_>, scope: ElementInstanceKey, extra: Extra<'a>) -> Visible<'a> {
        Visible { working: run.working, scope, extra, work: &run.work, missing: RefCell::new(None) }
    }

    /// Fails if something that was read is not in memory.
    pub(crate) fn check(&self) -> Stepped {
        self.missing.take().map_or(Ok(()), Err)
    }

    /// The facts about its instance that every expression can read, as `camunda.processInstance`.
    fn namespace(&self) -> Option<Value> {
        let instance = match self.working.get::<ElementInstance>(self.scope) {
            Some(element) => element.origin.instance,
            None => ProcessInstanceKey(self.scope.0),
        };
        let row = self.working.get::<ProcessInstance>(instance)?;
        let mut members = ContextBuilder::default();
        members.put("key", Value::Number(Number::from(instance.0)));
        if let Some(business_id) = &row.business_id {
            members.put("businessId", Value::String(business_id.clone()));
        }
        let mut namespace = ContextBuilder::default();
        namespace.put("processInstance", Value::Context(members.build()));
        Some(Value::Context(namespace.build()))
    }

    /// The output collection of a multi-instance body as it stands: it becomes a variable only at the end.
    fn collected(&self, body: &ElementInstance, name: &str) -> Option<Value> {
        let collected = match self.working.output_collection(body) {
            Ok(collection) if collection.as_ref().is_some_and(|collection| collection == name) => {
                self.working.collected(body)
            }
            Ok(_) => return None,
            Err(stop) => Err(stop),
        };
        let collected = collected.map_err(|stop| self.missing.replace(Some(stop))).ok()?;
        self.work.charge_bytes(collected.as_list().map_or(0, |list| size_of_val(&**list)) as u64);
        Some(collected)
    }
}

impl Scope for Visible<'_> {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        if let Some((_, value)) = self.extra.iter().find(|(known, _)| *known == name) {
            return Some(Lookup::Value(value.clone()));
        }
        let mut scope = Some(self.scope);
        while let Some(key) = scope {
            if let Some(variable) = self.working.local_variable(key, name) {
                return Some(Lookup::Json(variable.value.as_str()));
            }
            let element = self.working.get::<ElementInstance>(key);
            if let Some(collected) = element.and_then(|body| self.collected(body, name)) {
                return Some(Lookup::Value(collected));
            }
            scope = element.map(|element| element.parent);
        }
        // Behind all variables, so that one of that name hides it.
        (name == NAMESPACE).then(|| self.namespace()).flatten().map(Lookup::Value)
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut scope = Some(self.scope);
        while let Some(key) = scope {
            if let Some(links) = self.working.links(key) {
                names.extend(links.variables.keys().map(ToString::to_string));
            }
            scope = self.working.get::<ElementInstance>(key).map(|element| element.parent);
        }
        names
    }
}

impl Working {
    pub(crate) fn local_variable(&self, scope: ElementInstanceKey, name: &str) -> Option<&Variable> {
        let key: &VariableKey = self.links(scope)?.variables.get(name)?;
        self.get::<Variable>(*key).map(|variable| &**variable)
    }
}

impl Run<'_> {
    /// Evaluates in a scope; only `assert` and limits fail.
    pub(crate) fn evaluate(
        &self,
        scope: ElementInstanceKey,
        expression: &Expression,
        extra: Extra<'_>,
    ) -> Stepped<Evaluation> {
        self.require_ancestors(scope)?;
        let visible = Visible::new(self, scope, extra);
        let outcome = self.evaluate_in(&visible, expression);
        visible.check()?;
        outcome.map_err(|message| Stop::fail(IncidentKind::ExtractValueError, message))
    }

    /// A scope reads upwards: everything above must be in memory.
    fn require_ancestors(&self, scope: ElementInstanceKey) -> Stepped {
        let mut info = self.find_scope(scope)?;
        while let Some(parent) = info.and_then(|info| info.parent) {
            info = self.find_scope(parent)?;
        }
        Ok(())
    }

    /// A name, code or key: a string that stores can keep and index.
    pub(crate) fn text(&self, scope: ElementInstanceKey, source: &Source) -> Stepped<Text> {
        let text = match source {
            Source::Static { text, .. } => text.clone(),
            Source::Feel(expression) => {
                let outcome = self.evaluate(scope, expression, &[])?;
                match &outcome.value {
                    Value::String(text) => text.clone(),
                    _ => return Err(wrong_type(expression, &outcome, "STRING")),
                }
            }
        };
        check_indexed(&text)?;
        Ok(text)
    }

    pub(crate) fn boolean(
        &self,
        scope: ElementInstanceKey,
        expression: &Expression,
        extra: Extra<'_>,
    ) -> Stepped<bool> {
        let outcome = self.evaluate(scope, expression, extra)?;
        outcome.value.as_bool().ok_or_else(|| wrong_type(expression, &outcome, "BOOLEAN"))
    }

    pub(crate) fn integer(&self, scope: ElementInstanceKey, source: &Source) -> Stepped<i64> {
        match source {
            Source::Static { text, .. } => text.trim().parse().map_err(|_| {
                let message =
                    format!("Expected result of the expression '{text}' to be 'NUMBER', but was 'STRING'.");
                Stop::fail(IncidentKind::ExtractValueError, message)
            }),
            Source::Feel(expression) => {
                let outcome = self.evaluate(scope, expression, &[])?;
                let number =
                    outcome.value.as_number().ok_or_else(|| wrong_type(expression, &outcome, "NUMBER"))?;
                number.trunc_i64().ok_or_else(|| {
                    let message = format!(
                        "Expected result of the expression '{}' to be a number of at most 64 bits, but was '{number}'.",
                        expression.text()
                    );
                    Stop::fail(IncidentKind::ExtractValueError, message)
                })
            }
        }
    }

    /// A list of names: a FEEL list, or static text split at commas.
    pub(crate) fn text_list(&self, scope: ElementInstanceKey, source: &Source) -> Stepped<Vec<Text>> {
        let items: Vec<Text> = match source {
            Source::Static { text, .. } => {
                text.split(',').map(|item| Text::from(item.trim())).filter(|item| !item.is_empty()).collect()
            }
            Source::Feel(expression) => {
                let outcome = self.evaluate(scope, expression, &[])?;
                let items = outcome.value.as_list().and_then(|list| {
                    list.iter().map(|item| item.as_str().map(Text::from)).collect::<Option<Vec<_>>>()
                });
                items.ok_or_else(|| match outcome.value {
                    Value::List(_) => not_all_strings(expression, &outcome),
                    _ => wrong_type(expression, &outcome, "ARRAY"),
                })?
            }
        };
        items.iter().try_for_each(|item| check_indexed(item))?;
        Ok(items)
    }

    /// Any value, as JSON.
    pub(crate) fn json(
        &self,
        scope: ElementInstanceKey,
        source: &Source,
        extra: Extra<'_>,
    ) -> Stepped<Value> {
        match source {
            Source::Static { value, .. } => Value::from_json(value.as_str())
                .map_err(|error| Stop::broken(format!("static value: {error}"))),
            Source::Feel(expression) => Ok(self.evaluate(scope, expression, extra)?.value),
        }
    }
}

pub(crate) fn check_indexed(text: &str) -> Stepped {
    let problem = if text.len() > INDEXED_TEXT_BYTES_MAX {
        format!("it has {} bytes and {INDEXED_TEXT_BYTES_MAX} are allowed", text.len())
    } else if text.contains('\0') {
        "it contains the character NUL".to_owned()
    } else {
        return Ok(());
    };
    let start: String = text.chars().take(40).collect();
    let message =
        format!("Expected a name or key that can be stored, but of '{}...' {problem}", start.escape_debug());
    Err(Stop::fail(IncidentKind::ExtractValueError, message))
}

/// The text that users of expressions know, with what the evaluation had to say.
pub(crate) fn wrong_type(expression: &Expression, outcome: &Evaluation, wanted: &str) -> Stop {
    // Where several types will do, they come as a list.
    let one_of = if wanted.starts_with('[') { "one of " } else { "" };
    let mut message = format!(
        "Expected result of the expression '{}' to be {one_of}'{wanted}', but was '{}'.",
        expression.text(),
        type_name(&outcome.value)
    );
    push_warnings(&mut message, &outcome.warnings);
    Stop::fail(IncidentKind::ExtractValueError, message)
}

fn not_all_strings(expression: &Expression, outcome: &Evaluation) -> Stop {
    let mut message = format!(
        "Expected result of the expression '{}' to be 'ARRAY' containing 'STRING' items, but was 'ARRAY' containing at \
         least one non-'STRING' item.",
        expression.text()
    );
    push_warnings(&mut message, &outcome.warnings);
    Stop::fail(IncidentKind::ExtractValueError, message)
}

/// Why an evaluation did not end with a value.
pub(super) fn explained(expression: &Expression, error: &EvaluationError) -> String {
    let text = expression.text();
    match error {
        EvaluationError::AssertionFailed { message, warnings } => {
            let mut told = format!("Assertion failure on evaluate the expression '{text}': {message}");
            push_warnings(&mut told, warnings);
            told
        }
        error => format!("Failed to evaluate expression '{text}': {error}"),
    }
}

pub(crate) fn push_warnings(message: &mut String, warnings: &[Warning]) {
    if warnings.is_empty() {
        return;
    }
    message.push_str(" The evaluation reported the following warnings:");
    for warning in warnings {
        let _ = write!(message, "\n{warning}");
    }
}

pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Boolean(_) => "BOOLEAN",
        Value::Number(_) => "NUMBER",
        Value::String(_) => "STRING",
        Value::List(_) => "ARRAY",
        Value::Context(_) => "OBJECT",
        Value::Date(_) => "DATE",
        Value::Time(_) => "TIME",
        Value::DateTime(_) => "DATE_TIME",
        Value::DaysDuration(_) => "DURATION",
        Value::MonthsDuration(_) => "PERIOD",
        Value::Range(_) => "RANGE",
        Value::Function(_) => "FUNCTION",
    }
}

/// A value on its way into a variable.
pub(crate) fn to_raw(value: &Value) -> RawJson {
    RawJson::new(value.to_stored_json())
}
