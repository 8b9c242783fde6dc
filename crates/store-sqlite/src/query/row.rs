//! SQLite's rows and values under the translator's names.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::vtab::array::Array;
use rusqlite::{Row, ToSql};
use std::rc::Rc;
use tidemill_store::query::CursorValue;
use tidemill_store::{Error, Result};
use tidemill_store_sql::{SqlRow, SqlValue};

pub(crate) struct ResultRow<'r, 's>(pub(crate) &'r Row<'s>);

impl ResultRow<'_, '_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>> {
        self.0.get_ref(column).map_err(|error| unreadable(column, &error.to_string()))
    }
}

impl SqlRow for ResultRow<'_, '_> {
    fn int(&self, column: usize) -> Result<Option<i64>> {
        self.value(column)?.as_i64_or_null().map_err(|error| unreadable(column, &error.to_string()))
    }

    fn text(&self, column: usize) -> Result<Option<&str>> {
        self.value(column)?.as_str_or_null().map_err(|error| unreadable(column, &error.to_string()))
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>> {
        self.value(column)?.as_blob_or_null().map_err(|error| unreadable(column, &error.to_string()))
    }

    /// SQLite has no type for truth values.
    fn boolean(&self, column: usize) -> Result<Option<bool>> {
        Ok(self.int(column)?.map(|value| value != 0))
    }

    fn cursor_value(&self, column: usize) -> Result<CursorValue> {
        match self.value(column)? {
            ValueRef::Null => Ok(CursorValue::Null),
            ValueRef::Integer(value) => Ok(CursorValue::Int(value)),
            // A cursor only has to lead back to its row, so text that is no UTF-8 may lose something here;
            // its column is read and checked by itself.
            ValueRef::Text(text) => Ok(CursorValue::Text(String::from_utf8_lossy(text).into_owned())),
            _ => Err(unreadable(column, "not a value to sort by")),
        }
    }
}

/// A column of another type than this program writes means that the file was damaged or changed by hand.
fn unreadable(column: usize, reason: &str) -> Error {
    Error::Corrupt { place: format!("column {column} of a result"), reason: reason.to_owned() }
}

/// A value on its way into a statement.
///
/// Long lists go through `rarray` as one parameter: SQLite allows a limited number of them, and every length would be another statement.
pub(super) enum Parameter<'v> {
    Plain(&'v SqlValue),
    List(Array),
}

impl<'v> From<&'v SqlValue> for Parameter<'v> {
    fn from(value: &'v SqlValue) -> Parameter<'v> {
        match value {
            SqlValue::Ints(values) => Parameter::list(values.iter().copied().map(Value::Integer)),
            SqlValue::Texts(values) => Parameter::list(values.iter().cloned().map(Value::Text)),
            plain => Parameter::Plain(plain),
        }
    }
}

impl Parameter<'_> {
    fn list(values: impl Iterator<Item = Value>) -> Self {
        Parameter::List(Rc::new(values.collect()))
    }
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Parameter::Plain(SqlValue::Int(value)) => Ok((*value).into()),
            Parameter::Plain(SqlValue::Text(text)) => Ok(text.as_str().into()),
            Parameter::Plain(SqlValue::Bool(value)) => Ok((*value).into()),
            // Only null is left: `From` has turned lists into `List`.
            Parameter::Plain(_) => Ok(ToSqlOutput::Borrowed(ValueRef::Null)),
            Parameter::List(list) => list.to_sql(),
        }
    }
}
