//! Contexts that nested targets of mappings (`a.b.c`) build, level by level, and how they meet the value that is there.

use crate::run::Run;
use std::collections::HashMap;
use tidemill_feel::{Context, Text, Value};

/// The cost of copying an entry of a context, in bytes that could be read meanwhile.
const ENTRY_BYTES: u64 = 64;

/// Input mappings build contexts of their own, output mappings merge into those that are there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    Out,
}

/// Marks a context that targets have built, as opposed to one that an expression has given: targets add to the
/// former and replace the latter.
#[derive(Default)]
pub(super) struct Level {
    /// A mapping had given this whole path a value before, so nothing of the scope shows through.
    hides_outer: bool,
    /// The value in the scope is no context: the level stays null, whatever is put into it.
    is_null: bool,
    inner: HashMap<Text, Level>,
}

impl Level {
    /// A level where there was none, and the value that it begins with.
    pub(super) fn begin(direction: Direction, hides_outer: bool, outer: Option<&Value>) -> (Level, Value) {
        let empty = || Value::Context(Context::empty());
        let (is_null, base) = match (direction, outer) {
            (Direction::In, _) | (Direction::Out, None | Some(Value::Null)) => (false, empty()),
            (Direction::Out, Some(context @ Value::Context(_))) => (false, context.clone()),
            (Direction::Out, Some(_)) => (true, Value::Null),
        };
        (Level { hides_outer, is_null, inner: HashMap::new() }, base)
    }

    /// The value of this level with another one put into it along a path. `outer` is what the scope has here.
    pub(super) fn put(
        &mut self,
        run: &Run<'_>,
        direction: Direction,
        base: Value,
        outer: Option<&Value>,
        path: &[Text],
        value: Value,
    ) -> Value {
        let (Some((name, rest)), false) = (path.split_first(), self.is_null) else { return base };
        let Value::Context(base) = &base else { return base };
        run.work.charge_bytes(base.len() as u64 * ENTRY_BYTES);
        let value = if rest.is_empty() {
            self.inner.remove(name);
            value
        } else {
            let outer = outer.and_then(Value::as_context).and_then(|outer| outer.get(name));
            let known = base.get(name);
            let begun = known.filter(|_| self.inner.contains_key(name)).cloned();
            let inner_base = begun.unwrap_or_else(|| {
                let (level, begin) = Level::begin(direction, known.is_some(), outer);
                self.inner.insert(name.clone(), level);
                begin
            });
            let level = self.inner.entry(name.clone()).or_default();
            level.put(run, direction, inner_base, outer, rest, value)
        };
        let mut merged = base.to_builder();
        merged.put(name.clone(), value);
        Value::Context(merged.build())
    }

    /// The value of this level laid over that of the scope: only names that were mapped are hidden.
    pub(super) fn over(&self, run: &Run<'_>, value: &Value, outer: &Value) -> Value {
        let (Value::Context(inner), Value::Context(outer), false) = (value, outer, self.hides_outer) else {
            return value.clone();
        };
        run.work.charge_bytes((inner.len() + outer.len()) as u64 * ENTRY_BYTES);
        let mut merged = outer.to_builder();
        for (name, value) in inner.iter() {
            let value = match (self.inner.get(name), outer.get(name)) {
                (Some(level), Some(outer)) => level.over(run, value, outer),
                _ => value.clone(),
            };
            merged.put(name.clone(), value);
        }
        Value::Context(merged.build())
    }
}
