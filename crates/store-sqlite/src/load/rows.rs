//! Reading live rows back into entities.

use crate::error::{Fault, Outcome};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;
use std::rc::Rc;
use std::sync::Arc;
use tidemill_model::entity::{Origin, Variable};
use tidemill_model::{Entity, Key, RawJson, TenantId, Text};
use tidemill_store::unpack;

/// A list of keys as a parameter of `rarray`.
pub(super) fn key_list(keys: impl IntoIterator<Item = i64>) -> Rc<Vec<Value>> {
    Rc::new(keys.into_iter().map(Value::Integer).collect())
}

/// The entity in a row's `data` column.
pub(super) fn entity<T>(row: &Row<'_>, column: usize) -> Outcome<Entity>
where
    T: DeserializeOwned,
    Arc<T>: Into<Entity>,
{
    let data = row.get_ref(column)?.as_blob().map_err(|error| Fault::Sqlite(error.into()))?;
    Ok(Arc::new(unpack::<T>(data)?).into())
}

/// Columns `key, instance_key, root_key, definition_key, tenant, scope_key, name, value`.
pub(super) fn variable(row: &Row<'_>) -> Outcome<Entity> {
    let key = |column| -> rusqlite::Result<Key> { Ok(Key(row.get(column)?)) };
    let text = |column| -> Outcome<Text> {
        Ok(row.get_ref(column)?.as_str().map_err(|error| Fault::Sqlite(error.into()))?.into())
    };
    let origin = Origin {
        instance: key(1)?.into(),
        root: key(2)?.into(),
        definition: key(3)?.into(),
        tenant: TenantId(text(4)?),
    };
    let variable = Variable {
        key: key(0)?.into(),
        origin,
        scope: key(5)?.into(),
        name: text(6)?,
        value: RawJson::new(text(7)?),
    };
    Ok(Arc::new(variable).into())
}

pub(super) const VARIABLE_COLUMNS: &str =
    "key, instance_key, root_key, definition_key, tenant, scope_key, name, value";

/// All rows of a statement whose first column is `data`, appended to the list.
pub(super) fn append<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    entities: &mut Vec<Entity>,
) -> Outcome<()>
where
    T: DeserializeOwned,
    Arc<T>: Into<Entity>,
{
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        entities.push(entity::<T>(row, 0)?);
    }
    Ok(())
}
