//! Input and output mappings. All of an element's mappings succeed, or none is applied.

use super::expression::{Visible, to_raw};
use super::variables;
use crate::run::Run;
use crate::stop::{Step, Stop};
use tidemill_bpmn::Mapping;
use tidemill_feel::{Context, ContextBuilder, Lookup, Scope, Value};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{ElementInstanceKey, Text, Variables};

/// Makes the local variables that the input mappings describe.
pub(crate) fn apply_inputs(run: &mut Run<'_>, element: ElementInstanceKey, mappings: &[Mapping]) -> Step {
    if mappings.is_empty() {
        return Ok(());
    }
    let mut results = Results::default();
    for mapping in mappings {
        let value = evaluate(run, element, mapping, &results)?;
        results.put(&mapping.target, value, |_| Ok(None))?;
    }
    variables::set_all_local(run, element, &results.into_variables())
}

/// What the output mappings give. They read the element's scope; a nested target is merged into the value
/// that is visible from `target`.
pub(crate) fn outputs(
    run: &Run<'_>,
    element: ElementInstanceKey,
    target: ElementInstanceKey,
    mappings: &[Mapping],
) -> Step<Variables> {
    let mut results = Results::default();
    for mapping in mappings {
        let value = evaluate(run, element, mapping, &results)?;
        results.put(&mapping.target, value, |name| existing(run, target, name))?;
    }
    Ok(results.into_variables())
}

fn existing(run: &Run<'_>, scope: ElementInstanceKey, name: &str) -> Step<Option<Value>> {
    let visible = Visible::new(run.working, scope, &[]);
    let found = visible.get(name).and_then(|found| match found {
        Lookup::Json(json) => Value::from_json(json).ok(),
        Lookup::Value(value) => Some(value),
    });
    visible.check()?;
    Ok(found)
}

fn evaluate(run: &Run<'_>, element: ElementInstanceKey, mapping: &Mapping, results: &Results) -> Step<Value> {
    let extra = results.visible(|name| existing(run, element, name))?;
    let extra: Vec<_> = extra.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    run.json(element, &mapping.source, &extra).map_err(|stop| match stop {
        Stop::Fail(failure) => Stop::fail(IncidentKind::IoMappingError, failure.message),
        other => other,
    })
}

/// The values made so far, by the first name of their target.
#[derive(Default)]
struct Results(Vec<(Text, Value)>);

impl Results {
    fn put(
        &mut self,
        target: &[Text],
        value: Value,
        existing: impl FnOnce(&str) -> Step<Option<Value>>,
    ) -> Step {
        let (name, path) = target.split_first().expect("a mapping has a target");
        let known = self.0.iter().position(|(known, _)| known == name);
        let merged = if path.is_empty() {
            value
        } else {
            let base = match known {
                Some(known) => Some(self.0[known].1.clone()),
                None => existing(name)?,
            };
            put_path(base, path, value)
        };
        match known {
            Some(known) => self.0[known].1 = merged,
            None => self.0.push((name.clone(), merged)),
        }
        Ok(())
    }

    /// The results as later mappings see them: a context that is being built lets the outer one show through.
    fn visible(&self, outer: impl Fn(&str) -> Step<Option<Value>>) -> Step<Vec<(Text, Value)>> {
        let show = |(name, value): &(Text, Value)| -> Step<(Text, Value)> {
            let shown = match (value, outer(name)?) {
                (Value::Context(inner), Some(Value::Context(outer))) => {
                    Value::Context(overlay(inner, &outer))
                }
                _ => value.clone(),
            };
            Ok((name.clone(), shown))
        };
        self.0.iter().map(show).collect()
    }

    fn into_variables(self) -> Variables {
        self.0.into_iter().map(|(name, value)| (name, to_raw(&value))).collect()
    }
}

fn overlay(inner: &Context, outer: &Context) -> Context {
    let mut merged = outer.to_builder();
    for (name, value) in inner.iter() {
        merged.put(name.clone(), value.clone());
    }
    merged.build()
}

/// Puts a value into a context along a path. A value in the way that is no context makes the whole null.
fn put_path(base: Option<Value>, path: &[Text], value: Value) -> Value {
    let Some((name, rest)) = path.split_first() else { return value };
    let base = match base {
        None | Some(Value::Null) => Context::empty(),
        Some(Value::Context(context)) => context,
        Some(_) => return Value::Null,
    };
    let inner = put_path(base.get(name).cloned(), rest, value);
    let mut merged: ContextBuilder = base.to_builder();
    merged.put(name.clone(), inner);
    Value::Context(merged.build())
}
