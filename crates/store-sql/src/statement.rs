//! A statement under construction: text and parameters grow together.

use super::Dialect;
use tidemill_store::query::Value;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SqlValue {
    Null,
    Int(i64),
    Text(String),
    Bool(bool),
    /// A list that is one parameter, however long.
    Ints(Vec<i64>),
    Texts(Vec<String>),
}

impl From<&Value> for SqlValue {
    fn from(value: &Value) -> SqlValue {
        match value {
            Value::Int(value) => SqlValue::Int(*value),
            Value::Text(text) => SqlValue::Text(text.to_string()),
            Value::Bool(value) => SqlValue::Bool(*value),
        }
    }
}

/// Values are parameters and never text: what a client sends cannot change the meaning of a statement, and
/// the text stays the same for searches of one form, so that databases keep it prepared.
pub struct Statement<'d> {
    pub dialect: &'d dyn Dialect,
    pub text: String,
    pub parameters: Vec<SqlValue>,
}

impl<'d> Statement<'d> {
    pub fn new(dialect: &'d dyn Dialect) -> Statement<'d> {
        Statement { dialect, text: String::with_capacity(1024), parameters: Vec::new() }
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds the value and gives the text that stands for it.
    /// The text can be used several times, which binds the value once.
    pub fn parameter(&mut self, value: impl Into<SqlValue>) -> String {
        self.parameters.push(value.into());
        self.dialect.parameter(self.parameters.len())
    }

    pub fn push_parameter(&mut self, value: impl Into<SqlValue>) {
        let parameter = self.parameter(value);
        self.push(&parameter);
    }
}

impl From<i64> for SqlValue {
    fn from(value: i64) -> SqlValue {
        SqlValue::Int(value)
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> SqlValue {
        SqlValue::Text(text.to_owned())
    }
}
