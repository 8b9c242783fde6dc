//! Postgres's rows and values under the translator's names.

use crate::call::Param;
use std::borrow::Cow;
use std::error::Error as StdError;
use tidemill_store::query::CursorValue;
use tidemill_store::{Error, Result};
use tidemill_store_sql::{SqlRow, SqlValue};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

/// A value as it came. A literal without a type is text to Postgres, and numbers have several widths.
enum Cell<'r> {
    Null,
    Int(i64),
    Bool(bool),
    Text(&'r str),
    Bytes(&'r [u8]),
}

impl<'r> FromSql<'r> for Cell<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> std::result::Result<Cell<'r>, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Cell::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Cell::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Cell::Int(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Cell::Bool(bool::from_sql(ty, raw)?),
            Type::BYTEA => Cell::Bytes(raw),
            _ => Cell::Text(<&str>::from_sql(&Type::TEXT, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Cell<'r>, Box<dyn StdError + Sync + Send>> {
        Ok(Cell::Null)
    }

    /// Every type is accepted: a column is read by the type that Postgres tells, and a mismatch is told with the column's number.
    fn accepts(_: &Type) -> bool {
        true
    }
}

pub(crate) struct ResultRow<'r>(pub(crate) &'r Row);

impl ResultRow<'_> {
    fn value(&self, column: usize) -> Result<Cell<'_>> {
        self.0.try_get(column).map_err(|error| unreadable(column, &error.to_string()))
    }
}

impl SqlRow for ResultRow<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>> {
        match self.value(column)? {
            Cell::Null => Ok(None),
            Cell::Int(value) => Ok(Some(value)),
            _ => Err(unreadable(column, "not a number")),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>> {
        match self.value(column)? {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            _ => Err(unreadable(column, "not a text")),
        }
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>> {
        match self.value(column)? {
            Cell::Null => Ok(None),
            Cell::Bytes(bytes) => Ok(Some(bytes)),
            _ => Err(unreadable(column, "not bytes")),
        }
    }

    fn boolean(&self, column: usize) -> Result<Option<bool>> {
        match self.value(column)? {
            Cell::Null => Ok(None),
            Cell::Bool(value) => Ok(Some(value)),
            _ => Err(unreadable(column, "not a truth value")),
        }
    }

    fn cursor_value(&self, column: usize) -> Result<CursorValue> {
        match self.value(column)? {
            Cell::Null => Ok(CursorValue::Null),
            Cell::Int(value) => Ok(CursorValue::Int(value)),
            Cell::Bool(value) => Ok(CursorValue::Bool(value)),
            Cell::Text(text) => Ok(CursorValue::Text(text.to_owned())),
            Cell::Bytes(_) => Err(unreadable(column, "not a value to sort by")),
        }
    }
}

fn unreadable(column: usize, reason: &str) -> Error {
    Error::Corrupt { place: format!("column {column} of a result"), reason: reason.to_owned() }
}

/// Texts are borrowed: a filter may hold thousands of them.
pub(super) fn parameter(value: &SqlValue) -> Param<'_> {
    match value {
        SqlValue::Null => Param::Text(None),
        SqlValue::Int(value) => Param::Int(Some(*value)),
        SqlValue::Text(text) => Param::Text(Some(Cow::Borrowed(text))),
        SqlValue::Bool(value) => Param::Bool(*value),
        SqlValue::Ints(values) => Param::Keys(values.clone()),
        SqlValue::Texts(values) => {
            Param::Texts(values.iter().map(|text| Some(Cow::Borrowed(text.as_str()))).collect())
        }
    }
}
