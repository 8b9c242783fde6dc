//! From the keys that needs name to the instances they are about.

use crate::call::Call;
use std::collections::{BTreeMap, HashMap};
use tidemill_model::{EntityKind, Need};
use tidemill_store_sql::{Place, Table, named, place_columns, place_of};
use tokio_postgres::Row;

/// One statement per table that a need names a row of.
pub(super) fn calls(needs: &[Need]) -> Vec<Call<'static>> {
    let mut keys: BTreeMap<EntityKind, Vec<i64>> = BTreeMap::new();
    for (kind, key) in needs.iter().filter_map(named) {
        keys.entry(kind).or_default().push(key);
    }
    keys.into_iter().filter_map(|(kind, keys)| look_up(Table::of(kind), keys)).collect()
}

fn look_up(table: &Table, keys: Vec<i64>) -> Option<Call<'static>> {
    let columns = place_columns(table)?.join(", ");
    Some(Call::new(by_keys(table.name, &columns), [keys.into()]))
}

pub(super) fn places(needs: &[Need], found: &[Vec<Row>]) -> Vec<Option<Place>> {
    let places: HashMap<i64, Place> = found
        .iter()
        .flatten()
        .map(|row| (row.get(0), Place { instance: row.get(1), element: row.get(2) }))
        .collect();
    needs.iter().map(|need| place_of(need, &places)).collect()
}

/// Rows by a list of keys, looked up one by one: a plan for `ANY` that was made while the table was empty would
/// read the whole partition for ever.
pub(super) fn by_keys(table: &str, columns: &str) -> String {
    format!(
        "SELECT x.* FROM unnest($1::bigint[]) k CROSS JOIN LATERAL (SELECT {columns} FROM {table} \
         WHERE partition_id = (k >> 51)::smallint AND key = k OFFSET 0) x"
    )
}

/// Also of numbers that are no key: then no row has it.
pub(super) fn partition_of(key: i64) -> i16 {
    (key >> 51) as i16
}
