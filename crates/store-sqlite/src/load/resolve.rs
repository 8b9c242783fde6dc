//! From the keys that needs name to the instances they are about.

use super::rows::key_list;
use crate::error::Outcome;
use rusqlite::Connection;
use std::collections::{BTreeMap, HashMap};
use tidemill_model::{EntityKind, Need};
use tidemill_store_sql::{Place, Table, named, place_columns, place_of};

/// A client names a job or an incident by its key alone, but memory is kept by instance: a job without its
/// instance could not be run.
pub(super) fn places(connection: &Connection, needs: &[Need]) -> Outcome<Vec<Option<Place>>> {
    let mut keys: BTreeMap<EntityKind, Vec<i64>> = BTreeMap::new();
    for (kind, key) in needs.iter().filter_map(named) {
        keys.entry(kind).or_default().push(key);
    }
    let mut found = HashMap::new();
    for (kind, keys) in keys {
        look_up(connection, Table::of(kind), keys, &mut found)?;
    }
    Ok(needs.iter().map(|need| place_of(need, &found)).collect())
}

fn look_up(
    connection: &Connection,
    table: &Table,
    keys: Vec<i64>,
    found: &mut HashMap<i64, Place>,
) -> Outcome<()> {
    let Some([key, instance, element]) = place_columns(table) else { return Ok(()) };
    let table = table.name;
    let mut statement = connection.prepare_cached(&format!(
        // One statement for each kind, not for each key: `rarray` takes any number of them as one parameter.
        "SELECT {key}, {instance}, {element} FROM {table} WHERE {key} IN rarray(?1)"
    ))?;
    let mut rows = statement.query([key_list(keys)])?;
    while let Some(row) = rows.next()? {
        found.insert(row.get(0)?, Place { instance: row.get(1)?, element: row.get(2)? });
    }
    Ok(())
}
