//! Ranges as values: two ends of a comparable type, each in, out or missing.

use super::{Relation, Value};
use std::cmp::Ordering;

/// One end of a range.
#[derive(Clone, Debug)]
pub enum Bound {
    Closed(Value),
    Open(Value),
    Unbounded,
}

impl Bound {
    pub fn value(&self) -> Option<&Value> {
        match self {
            Bound::Closed(value) | Bound::Open(value) => Some(value),
            Bound::Unbounded => None,
        }
    }

    pub fn is_closed(&self) -> bool {
        matches!(self, Bound::Closed(_))
    }
}

/// The ends are scalars of one comparable type; `evaluation` and `range()` see to that.
#[derive(Clone, Debug)]
pub struct Range {
    pub start: Bound,
    pub end: Bound,
}

impl Range {
    /// True if the value lies within; none if it cannot be compared with an end.
    pub fn contains(&self, value: &Value) -> Option<bool> {
        let above = match &self.start {
            Bound::Unbounded => true,
            Bound::Closed(start) => Relation::order(value, start)? != Ordering::Less,
            Bound::Open(start) => Relation::order(value, start)? == Ordering::Greater,
        };
        let below = match &self.end {
            Bound::Unbounded => true,
            Bound::Closed(end) => Relation::order(value, end)? != Ordering::Greater,
            Bound::Open(end) => Relation::order(value, end)? == Ordering::Less,
        };
        Some(above && below)
    }

    pub(crate) fn depth(&self) -> u32 {
        let end = |bound: &Bound| bound.value().map_or(0, Value::depth);
        end(&self.start).max(end(&self.end)).saturating_add(1)
    }

    pub(crate) fn weight(&self) -> u64 {
        let end = |bound: &Bound| bound.value().map_or(0, Value::weight);
        end(&self.start).saturating_add(end(&self.end))
    }
}
