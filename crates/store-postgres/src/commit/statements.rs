//! The statements of a table, made from the list of its columns. Each takes any number of rows.

use super::columns::Column;
use std::sync::OnceLock;
use tidemill_model::{Ended, EntityKind};
use tidemill_store_sql::Row;

/// The effect of a statement on the rows that it is given.
#[derive(Clone, Copy)]
pub(super) enum Verb {
    Put,
    Remove,
    End,
}

/// Made once for each kind of entity and verb. The types of the columns are the same every time.
pub(super) fn statement<R: Row>(verb: Verb, columns: &[Column<'_>]) -> &'static str {
    static MADE: [[OnceLock<String>; 3]; EntityKind::COUNT] =
        [const { [const { OnceLock::new() }; 3] }; EntityKind::COUNT];
    MADE[R::KIND as usize][verb as usize].get_or_init(|| match verb {
        Verb::Put => put::<R>(columns),
        Verb::Remove => remove::<R>(columns),
        Verb::End => end::<R>(columns),
    })
}

/// True if the entity binds its partition itself. For all others the partition is the first parameter.
pub(super) fn binds_partition<R: Row>() -> bool {
    R::COLUMNS[0] == "partition_id"
}

/// Which column of a history table is its time, where the entity does not bind it.
pub(super) fn lacks_end<R: Row>() -> bool {
    R::ENDED == Ended::History && !R::END_COLUMNS.contains(&"ended_at")
}

/// Correlations are written once, straight into history, and go by their own time.
fn time_column<R: Row>() -> Option<&'static str> {
    R::COLUMNS.contains(&"correlated_at").then_some("correlated_at")
}

fn put<R: Row>(columns: &[Column<'_>]) -> String {
    let changing: Vec<String> = R::changing_columns()
        .filter(|column| Some(*column) != time_column::<R>())
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let on_conflict = match changing.is_empty() {
        true => "NOTHING".to_owned(),
        false => format!("UPDATE SET {}", changing.join(", ")),
    };
    let mut key = R::KEY.to_vec();
    if !binds_partition::<R>() {
        key.insert(0, "partition_id");
    }
    key.extend(time_column::<R>());
    let insert = insert::<R>(R::TABLE, &[R::COLUMNS, R::LIVE_COLUMNS].concat(), columns);
    format!("{insert} ON CONFLICT ({}) DO {on_conflict}", key.join(", "))
}

fn end<R: Row>(columns: &[Column<'_>]) -> String {
    insert::<R>(R::HISTORY, &[R::COLUMNS, R::END_COLUMNS].concat(), columns)
}

fn insert<R: Row>(table: &str, names: &[&str], columns: &[Column<'_>]) -> String {
    let mut names = names.join(", ");
    let mut values = "u.*".to_owned();
    let mut first = 1;
    if !binds_partition::<R>() {
        names = format!("partition_id, {names}");
        values = "$1::smallint, u.*".to_owned();
        first = 2;
    }
    if table == R::HISTORY && lacks_end::<R>() {
        names.push_str(", ended_at");
        values.push_str(&format!(", ${}::bigint", first + columns.len()));
    }
    format!("INSERT INTO {table} ({names}) SELECT {values} FROM {} u", unnest(columns, first))
}

/// Keys are looked up one by one. `ANY` or a join would be planned over the whole partition while the table is
/// empty, and that plan would be kept.
fn remove<R: Row>(columns: &[Column<'_>]) -> String {
    let table = R::TABLE;
    let (partition, first) = match binds_partition::<R>() {
        true => ("", 1),
        false => ("partition_id = $1::smallint AND ", 2),
    };
    let names: Vec<String> = (1..=R::KEY.len()).map(|n| format!("k{n}")).collect();
    let conditions: Vec<String> =
        R::KEY.iter().zip(&names).map(|(column, name)| format!("{column} = u.{name}")).collect();
    format!(
        "DELETE FROM {table} WHERE ctid = ANY(ARRAY(SELECT x.place FROM {} u({}) CROSS JOIN LATERAL \
         (SELECT ctid AS place FROM {table} WHERE {partition}{} OFFSET 0) x))",
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
