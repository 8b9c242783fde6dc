//! Reading live rows back into entities.

use crate::error::Outcome;
use crate::query::ResultRow;
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row as ResultOfQuery};
use std::rc::Rc;
use tidemill_model::{Entity, EntityKind};
use tidemill_store_sql::{Row, Table};

/// A list of keys as a parameter of `rarray`.
pub(super) fn key_list(keys: impl IntoIterator<Item = i64>) -> Rc<Vec<Value>> {
    Rc::new(keys.into_iter().map(Value::Integer).collect())
}

/// The entity in a row whose columns `Row::LOADED` begin with `first`.
pub(super) fn entity(kind: EntityKind, row: &ResultOfQuery<'_>, first: usize) -> Outcome<Entity> {
    Ok(Table::of(kind).load(&ResultRow(row), first)?)
}

/// All rows of a statement that gives `R::LOADED`, appended to the list.
pub(super) fn append<R: Row>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    entities: &mut Vec<Entity>,
) -> Outcome<()> {
    append_of(R::KIND, connection, sql, parameters, entities)
}

/// The same of a kind that is known at run time. It is not generic over the kind, so that the loop is
/// compiled once for each form of parameters and not for each entity.
pub(super) fn append_of(
    kind: EntityKind,
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    entities: &mut Vec<Entity>,
) -> Outcome<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        entities.push(entity(kind, row, 0)?);
    }
    Ok(())
}
