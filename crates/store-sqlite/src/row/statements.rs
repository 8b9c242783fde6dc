//! The statements of a table, made from the list of its columns.

use std::sync::OnceLock;
use tidemill_model::{Ended, EntityKind};
use tidemill_store_sql::Row;

pub(crate) struct Statements {
    pub(crate) put: String,
    pub(crate) remove: String,
    pub(crate) end: Option<String>,
}

/// Made once for each kind of entity.
pub(crate) fn statements<R: Row>() -> &'static Statements {
    static OF_KINDS: [OnceLock<Statements>; EntityKind::COUNT] =
        [const { OnceLock::new() }; EntityKind::COUNT];
    OF_KINDS[R::KIND as usize].get_or_init(|| Statements {
        put: put::<R>(),
        remove: remove::<R>(),
        end: end::<R>(),
    })
}

fn put<R: Row>() -> String {
    let columns: Vec<&str> = [R::COLUMNS, R::LIVE_COLUMNS].concat();
    let changing: Vec<String> =
        R::changing_columns().map(|column| format!("{column} = excluded.{column}")).collect();
    let on_conflict = if changing.is_empty() {
        "NOTHING".to_owned()
    } else {
        format!("UPDATE SET {}", changing.join(", "))
    };
    format!("{} ON CONFLICT ({}) DO {on_conflict}", insert(R::TABLE, &columns), R::KEY.join(", "))
}

fn remove<R: Row>() -> String {
    let conditions: Vec<String> =
        R::KEY.iter().enumerate().map(|(n, column)| format!("{column} = ?{}", n + 1)).collect();
    format!("DELETE FROM {} WHERE {}", R::TABLE, conditions.join(" AND "))
}

fn end<R: Row>() -> Option<String> {
    (R::ENDED == Ended::History).then(|| insert(R::HISTORY, &[R::COLUMNS, R::END_COLUMNS].concat()))
}

fn insert(table: &str, columns: &[&str]) -> String {
    let values: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), values.join(", "))
}
