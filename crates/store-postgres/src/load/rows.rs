//! Reading live rows back into entities.

use crate::call::{Call, Param};
use crate::query::ResultRow;
use std::borrow::Cow;
use tidemill_model::{Entity, EntityKind};
use tidemill_store::Result;
use tidemill_store_sql::Table;
use tokio_postgres::Row;

/// A statement that gives entities of one kind. Its first column says to what each belongs; then follow the columns that
/// entities of this kind are read from.
pub(super) struct Fetch<'a> {
    pub(super) call: Call<'a>,
    pub(super) kind: EntityKind,
}

impl<'a> Fetch<'a> {
    pub(super) fn new(
        kind: EntityKind,
        sql: impl Into<Cow<'a, str>>,
        params: impl Into<Vec<Param<'a>>>,
    ) -> Fetch<'a> {
        Fetch { call: Call::new(sql, params), kind }
    }
}

/// The entity of a row, with the key of what it belongs to.
pub(super) fn owned_entity(kind: EntityKind, row: &Row) -> Result<(i64, Entity)> {
    Ok((row.get(0), Table::of(kind).load(&ResultRow(row), 1)?))
}
