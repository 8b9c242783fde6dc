//! Values of FEEL. A `Value` is 24 bytes and cheap to clone: small things are inline, large
//! ones shared.

mod context;
mod display;
mod function;
mod list;
mod range;
mod relation;

pub use context::{Context, ContextBuilder};
pub(crate) use context::{Shape, ShapeRef};
pub(crate) use display::{shown, write_quoted};
pub use function::{Function, UserFunction};
pub use list::List;
pub use range::{Bound, Range};
pub(crate) use relation::Relation;

use crate::number::Number;
use crate::temporal::{Date, DateTime, DaysDuration, MonthsDuration, Time};
use std::sync::Arc;

/// Text that is inline up to 23 bytes and shared beyond.
pub use smol_str::SmolStr as Text;

/// How deep lists, contexts and closures may nest. Everything that walks a value may recurse this far.
pub const VALUE_DEPTH_MAX: u32 = 200;

#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Boolean(bool),
    Number(Number),
    String(Text),
    List(List),
    Context(Context),
    Date(Date),
    Time(Arc<Time>),
    DateTime(Arc<DateTime>),
    DaysDuration(DaysDuration),
    MonthsDuration(MonthsDuration),
    Range(Arc<Range>),
    Function(Function),
}

impl Value {
    pub(crate) const OWN_WEIGHT: u64 = size_of::<Value>() as u64;

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Boolean(value) = self { Some(*value) } else { None }
    }

    pub fn as_number(&self) -> Option<Number> {
        if let Value::Number(value) = self { Some(*value) } else { None }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    pub fn as_list(&self) -> Option<&List> {
        if let Value::List(list) = self { Some(list) } else { None }
    }

    pub fn as_context(&self) -> Option<&Context> {
        if let Value::Context(context) = self { Some(context) } else { None }
    }

    /// The name of the type as FEEL writes it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Context(_) => "context",
            Value::Date(_) => "date",
            Value::Time(_) => "time",
            Value::DateTime(_) => "date and time",
            Value::DaysDuration(_) => "days and time duration",
            Value::MonthsDuration(_) => "years and months duration",
            Value::Range(_) => "range",
            Value::Function(_) => "function",
        }
    }

    /// Levels of lists, contexts and closures below this value.
    pub fn depth(&self) -> u32 {
        match self {
            Value::List(list) => list.depth(),
            Value::Context(context) => context.depth(),
            Value::Function(function) => function.depth(),
            Value::Range(range) => range.depth(),
            _ => 0,
        }
    }

    /// Bytes the value would take if nothing in it were shared: what walking or printing it may cost.
    pub fn weight(&self) -> u64 {
        const OWN: u64 = Value::OWN_WEIGHT;
        match self {
            Value::String(text) => OWN + text.len() as u64,
            Value::List(list) => OWN.saturating_add(list.weight()),
            Value::Context(context) => OWN.saturating_add(context.weight()),
            Value::Function(function) => OWN.saturating_add(function.weight()),
            Value::Range(range) => OWN.saturating_add(range.weight()),
            _ => OWN,
        }
    }
}

/// Depth and weight of a collection, known from its construction on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    depth: u32,
    weight: u64,
}

impl Extent {
    /// Bytes that a collection takes beside its items: how many share it, its extent, its length, and the allocator's own.
    pub(crate) const OWN_WEIGHT: u64 = 48;

    pub(crate) fn of(values: &[Value]) -> Extent {
        let mut extent = Extent { depth: 1, weight: Extent::OWN_WEIGHT };
        for value in values {
            let (depth, weight) = match value {
                Value::String(text) => (0, Value::OWN_WEIGHT + text.len() as u64),
                Value::List(_) | Value::Context(_) | Value::Function(_) | Value::Range(_) => {
                    (value.depth(), value.weight())
                }
                _ => (0, Value::OWN_WEIGHT),
            };
            extent.depth = extent.depth.max(depth.saturating_add(1));
            extent.weight = extent.weight.saturating_add(weight);
        }
        extent
    }

    /// Of a collection in which no others nest, by the weight of its items.
    pub(crate) fn flat(weight: u64) -> Extent {
        Extent { depth: 1, weight: Extent::OWN_WEIGHT + weight }
    }

    pub(crate) fn depth(self) -> u32 {
        self.depth
    }

    pub(crate) fn weight(self) -> u64 {
        self.weight
    }
}

macro_rules! value_from {
    ($($source:ty => |$name:ident| $value:expr;)*) => {
        $(impl From<$source> for Value {
            fn from($name: $source) -> Value {
                $value
            }
        })*
    };
}

value_from! {
    bool => |value| Value::Boolean(value);
    i64 => |value| Value::Number(Number::integer(value));
    Number => |value| Value::Number(value);
    &str => |value| Value::String(Text::new(value));
    String => |value| Value::String(Text::from(value));
    Text => |value| Value::String(value);
    List => |value| Value::List(value);
    Vec<Value> => |value| Value::List(List::from(value));
    Context => |value| Value::Context(value);
    Date => |value| Value::Date(value);
    Time => |value| Value::Time(Arc::new(value));
    DateTime => |value| Value::DateTime(Arc::new(value));
    DaysDuration => |value| Value::DaysDuration(value);
    MonthsDuration => |value| Value::MonthsDuration(value);
    Range => |value| Value::Range(Arc::new(value));
    Function => |value| Value::Function(value);
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_three_words() {
        assert_eq!(size_of::<Value>(), 24);
    }
}
