//! Input and output mappings. All of an element's mappings succeed, or none is applied.

use super::expression::{Visible, to_raw};
use super::level::{Direction, Level};
use super::variables;
use crate::limits::MAPPED_BYTES_MAX;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::Mapping;
use tidemill_feel::{Lookup, Scope, VALUE_DEPTH_MAX, Value};
use tidemill_model::entity::IncidentKind;
use tidemill_model::{ElementInstanceKey, Text, Variables};

/// Makes the local variables that the input mappings describe.
pub(crate) fn apply_inputs(run: &mut Run<'_>, element: ElementInstanceKey, mappings: &[Mapping]) -> Stepped {
    if mappings.is_empty() {
        return Ok(());
    }
    let results = evaluate_all(run, element, mappings, Direction::In)?;
    variables::set_all_local(run, element, &results.into_variables())
}

/// Evaluates the output mappings. They read the element's scope; a nested target is merged into the value
/// that is visible there.
pub(crate) fn outputs(
    run: &Run<'_>,
    element: ElementInstanceKey,
    mappings: &[Mapping],
) -> Stepped<Variables> {
    Ok(evaluate_all(run, element, mappings, Direction::Out)?.into_variables())
}

fn evaluate_all(
    run: &Run<'_>,
    element: ElementInstanceKey,
    mappings: &[Mapping],
    direction: Direction,
) -> Stepped<Results> {
    let mut results = Results::default();
    for mapping in mappings {
        let value = evaluate(run, element, mapping, &results)?;
        results.put(run, element, &mapping.target, value, direction)?;
    }
    Ok(results)
}

fn existing(run: &Run<'_>, scope: ElementInstanceKey, name: &str) -> Stepped<Option<Value>> {
    let visible = Visible::new(run, scope, &[]);
    let found = visible.get(name).and_then(|found| match found {
        Lookup::Json(json) => {
            run.work.charge_bytes(json.len() as u64);
            Value::from_json(json).ok()
        }
        Lookup::Value(value) => Some(value),
    });
    visible.check()?;
    Ok(found)
}

fn evaluate(
    run: &Run<'_>,
    element: ElementInstanceKey,
    mapping: &Mapping,
    results: &Results,
) -> Stepped<Value> {
    let extra: Vec<_> = results.0.iter().map(|made| (made.name.as_str(), made.shown.clone())).collect();
    run.json(element, &mapping.source, &extra).map_err(|stop| match stop {
        Stop::Fail(failure) => Stop::fail(IncidentKind::IoMappingError, failure.message),
        other => other,
    })
}

/// The values made so far, by the first name of their target.
#[derive(Default)]
struct Results(Vec<Made>);

struct Made {
    name: Text,
    value: Value,
    /// As later mappings see it: a context that inputs are building lets the outer one show through.
    shown: Value,
    /// Set while nested targets build the value.
    level: Option<Level>,
    /// The value of that name in the element's scope, once it was needed.
    outer: Option<Option<Value>>,
}

impl Results {
    fn put(
        &mut self,
        run: &Run<'_>,
        element: ElementInstanceKey,
        target: &[Text],
        value: Value,
        direction: Direction,
    ) -> Stepped {
        let (name, path) = target.split_first().expect("a mapping has a target");
        check_depth(path.len(), &value)?;
        let known = self.0.iter().position(|made| made.name == *name);
        let is_new = known.is_none();
        let place = known.unwrap_or_else(|| {
            let null = || Value::Null;
            self.0.push(Made { name: name.clone(), value: null(), shown: null(), level: None, outer: None });
            self.0.len() - 1
        });
        let made = &mut self.0[place];
        if path.is_empty() {
            made.level = None;
            made.shown = value.clone();
            made.value = value;
            return self.check_bytes();
        }
        let outer = match made.outer.take() {
            Some(outer) => outer,
            None => existing(run, element, name)?,
        };
        let outer = &*made.outer.insert(outer);
        let (level, base) = match &mut made.level {
            Some(level) => (level, made.value.clone()),
            none => {
                let (level, base) = Level::begin(direction, !is_new, outer.as_ref());
                (none.insert(level), base)
            }
        };
        made.value = level.put(run, direction, base, outer.as_ref(), path, value);
        made.shown = match (direction, outer) {
            (Direction::In, Some(outer)) => level.over(run, &made.value, outer),
            _ => made.value.clone(),
        };
        self.check_bytes()
    }

    /// Fails before the values become texts, of which each may be as large as it was.
    fn check_bytes(&self) -> Stepped {
        let bytes = self.0.iter().fold(0u64, |bytes, made| bytes.saturating_add(made.value.weight()));
        if bytes <= MAPPED_BYTES_MAX {
            return Ok(());
        }
        let message = format!(
            "Expected the results of an element's mappings to take at most {MAPPED_BYTES_MAX} bytes together, \
             but they take more"
        );
        Err(Stop::fail(IncidentKind::IoMappingError, message))
    }

    fn into_variables(self) -> Variables {
        self.0.into_iter().map(|made| (made.name, to_raw(&made.value))).collect()
    }
}

/// A value must not nest deeper than expressions can read it again.
fn check_depth(path_len: usize, value: &Value) -> Stepped {
    if path_len as u64 + u64::from(value.depth()) <= u64::from(VALUE_DEPTH_MAX) {
        return Ok(());
    }
    let message = format!(
        "Expected the result of a mapping to nest at most {VALUE_DEPTH_MAX} deep, but it nests deeper"
    );
    Err(Stop::fail(IncidentKind::IoMappingError, message))
}
