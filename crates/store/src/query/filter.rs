//! Filters as data: a gateway builds them, a store translates them.

use crate::view::{ElementInstanceField, IncidentField, JobField};
use tidemill_model::{ElementInstanceKey, Key, ProcessInstanceKey, Text, Timestamp};

/// All conditions must hold; none lets everything pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Filter<F> {
    pub all: Vec<Condition<F>>,
}

impl<F> Default for Filter<F> {
    fn default() -> Self {
        Filter { all: Vec::new() }
    }
}

impl<F> Filter<F> {
    pub fn is(mut self, field: F, test: Test) -> Self {
        self.all.push(Condition::Is(field, test));
        self
    }

    pub fn and(mut self, condition: Condition<F>) -> Self {
        self.all.push(condition);
        self
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Condition<F> {
    Is(F, Test),
    /// One of them must hold. An empty list holds.
    Any(Vec<Filter<F>>),
    /// There is a variable of this name whose JSON text passes all tests. Process instances, user tasks.
    HasVariable {
        scope: VariableScope,
        name: Text,
        value: Vec<Test>,
    },
    /// One element instance of the process instance passes all tests.
    HasElement(Vec<(ElementInstanceField, Test)>),
    /// One incident of the process instance passes all tests.
    HasIncident(Vec<(IncidentField, Test)>),
    /// One job of the process instance passes all tests.
    HasJob(Vec<(JobField, Test)>),
    /// It belongs to this instance or to one that was called from it, at any depth. Incidents.
    WithinInstance(ProcessInstanceKey),
    /// It belongs to this element instance or to one inside or called from it, at any depth. Incidents.
    WithinElement(ElementInstanceKey),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VariableScope {
    /// Anywhere in the process instance.
    Anywhere,
    /// In the root scope of the process instance.
    Instance,
    /// In the scope of the user task's element.
    Local,
}

/// One operator with its operand. Nulls: `Neq` and `NotIn` pass, the others do not.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    Eq(Value),
    Neq(Value),
    Exists(bool),
    /// An empty list lets everything pass.
    In(Vec<Value>),
    NotIn(Vec<Value>),
    /// `*` any characters, `?` one, a backslash takes the next literally. Case counts.
    Like(Text),
    Gt(Value),
    Gte(Value),
    Lt(Value),
    Lte(Value),
}

impl Test {
    pub fn eq(value: impl Into<Value>) -> Test {
        Test::Eq(value.into())
    }
}

/// Keys and times are `Int`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Int(i64),
    Text(Text),
    Bool(bool),
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<Key> for Value {
    fn from(key: Key) -> Value {
        Value::Int(key.0)
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Value {
        Value::Int(time.0)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Value {
        Value::Text(text)
    }
}
