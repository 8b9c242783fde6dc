//! The statements of a table, made from the list of its columns. Each takes any number of rows.

use super::columns::Column;
use std::sync::OnceLock;
use tidemill_model::{Ended, EntityKind};
use tidemill_store_sql::Table;

/// The effect of a statement on the rows that it is given.
#[derive(Clone, Copy)]
pub(super) enum Verb {
    Put,
    Remove,
    End,
}

/// Made once for each kind of entity and verb. The types of the columns are the same every time.
pub(super) fn statement(table: &Table, verb: Verb, columns: &[Column<'_>]) -> &'static str {
    static MADE: [[OnceLock<String>; 3]; EntityKind::COUNT] =
        [const { [const { OnceLock::new() }; 3] }; EntityKind::COUNT];
    MADE[table.kind as usize][verb as usize].get_or_init(|| match verb {
        Verb::Put => put(table, columns),
        Verb::Remove => remove(table, columns),
        Verb::End => end(table, columns),
    })
}

/// True if the entity binds its partition itself. For all others the partition is the first parameter.
pub(super) fn binds_partition(table: &Table) -> bool {
    table.columns[0] == "partition_id"
}

/// Which column of a history table is its time, where the entity does not bind it.
pub(super) fn lacks_end(table: &Table) -> bool {
    table.ended == Ended::History && !table.end_columns.contains(&"ended_at")
}

/// Correlations are written once, straight into history, and go by their own time.
fn time_column(table: &Table) -> Option<&'static str> {
    table.columns.contains(&"correlated_at").then_some("correlated_at")
}

fn put(table: &Table, columns: &[Column<'_>]) -> String {
    let changing: Vec<String> = table
        .changing_columns()
        .filter(|column| Some(*column) != time_column(table))
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let on_conflict = match changing.is_empty() {
        true => "NOTHING".to_owned(),
        false => format!("UPDATE SET {}", changing.join(", ")),
    };
    let mut key = table.key.to_vec();
    if !binds_partition(table) {
        key.insert(0, "partition_id");
    }
    key.extend(time_column(table));
    let insert = insert(table, table.name, &[table.columns, table.live_columns].concat(), columns);
    format!("{insert} ON CONFLICT ({}) DO {on_conflict}", key.join(", "))
}

fn end(table: &Table, columns: &[Column<'_>]) -> String {
    insert(table, table.history, &[table.columns, table.end_columns].concat(), columns)
}

fn insert(table: &Table, into: &str, names: &[&str], columns: &[Column<'_>]) -> String {
    let mut names = names.join(", ");
    let mut values = "u.*".to_owned();
    let mut first = 1;
    if !binds_partition(table) {
        names = format!("partition_id, {names}");
        values = "$1::smallint, u.*".to_owned();
        first = 2;
    }
    if into == table.history && lacks_end(table) {
        names.push_str(", ended_at");
    }
    format!("INSERT INTO {into} ({names}) SELECT {values} FROM {} u", unnest(columns, first))
}

/// Keys are looked up one by one. `ANY` or a join would be planned over the whole partition while the table is
/// empty, and that plan would be kept.
fn remove(table: &Table, columns: &[Column<'_>]) -> String {
    let name = table.name;
    let (partition, first) = match binds_partition(table) {
        true => ("", 1),
        false => ("partition_id = $1::smallint AND ", 2),
    };
    let names: Vec<String> = (1..=table.key.len()).map(|n| format!("k{n}")).collect();
    let conditions: Vec<String> =
        table.key.iter().zip(&names).map(|(column, name)| format!("{column} = u.{name}")).collect();
    format!(
        "DELETE FROM {name} WHERE ctid = ANY(ARRAY(SELECT x.place FROM {} u({}) CROSS JOIN LATERAL \
         (SELECT ctid AS place FROM {name} WHERE {partition}{} OFFSET 0) x))",
        unnest(columns, first),
        names.join(", "),
        conditions.join(" AND ")
    )
}

pub(super) fn unnest(columns: &[Column<'_>], first: usize) -> String {
    let arrays: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(n, column)| format!("${}::{}", first + n, column.sql_type()))
        .collect();
    format!("unnest({})", arrays.join(", "))
}
