//! The statements of a table, made from the list of its columns.

use std::sync::OnceLock;
use tidemill_model::{Ended, EntityKind};
use tidemill_store_sql::Table;

pub(crate) struct Statements {
    pub(crate) put: String,
    pub(crate) remove: String,
    pub(crate) end: Option<String>,
}

/// The text is always the same, because a connection finds its prepared statement by the text. Made once for each kind of entity.
pub(crate) fn statements(table: &Table) -> &'static Statements {
    static OF_KINDS: [OnceLock<Statements>; EntityKind::COUNT] =
        [const { OnceLock::new() }; EntityKind::COUNT];
    OF_KINDS[table.kind as usize].get_or_init(|| Statements {
        put: put(table),
        remove: remove(table),
        end: end(table),
    })
}

/// An upsert, because a batch does not say whether a row is new: the engine knows only how it is to be.
fn put(table: &Table) -> String {
    let columns: Vec<&str> = [table.columns, table.live_columns].concat();
    // Columns that never change are left out: SQLite then need not touch the indexes that hold them.
    let changing: Vec<String> =
        table.changing_columns().map(|column| format!("{column} = excluded.{column}")).collect();
    let on_conflict = if changing.is_empty() {
        "NOTHING".to_owned()
    } else {
        format!("UPDATE SET {}", changing.join(", "))
    };
    format!("{} ON CONFLICT ({}) DO {on_conflict}", insert(table.name, &columns), table.key.join(", "))
}

fn remove(table: &Table) -> String {
    let conditions: Vec<String> =
        table.key.iter().enumerate().map(|(n, column)| format!("{column} = ?{}", n + 1)).collect();
    format!("DELETE FROM {} WHERE {}", table.name, conditions.join(" AND "))
}

/// A plain insert: an entity ends once, and a second row would be a defect that must not pass unseen.
fn end(table: &Table) -> Option<String> {
    (table.ended == Ended::History)
        .then(|| insert(table.history, &[table.columns, table.end_columns].concat()))
}

fn insert(table: &str, columns: &[&str]) -> String {
    let values: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), values.join(", "))
}
