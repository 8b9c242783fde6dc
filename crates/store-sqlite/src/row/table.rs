//! The statements of a table, made from the list of its columns.

use super::Binder;
use tidemill_model::{Entity, EntityKind};

/// How a row leaves the live tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Into history, with these columns behind the common ones.
    History(&'static [&'static str]),
    /// The API never shows it again.
    Forgotten,
}

pub(crate) trait Row: Sized + 'static {
    const KIND: EntityKind;
    const TABLE: &'static str;
    /// Identifies a row; the first columns of `COLUMNS`.
    const KEY: &'static [&'static str] = &["key"];
    /// Of live and history rows alike.
    const COLUMNS: &'static [&'static str];
    /// Columns that never change after the first insert; their indexes are left alone.
    const FIXED: &'static [&'static str] = &[];
    /// Of live rows only, behind the others.
    const LIVE_COLUMNS: &'static [&'static str] = &["data"];
    const END: End = End::Forgotten;

    fn of(entity: &Entity) -> Option<&Self>;
    /// For messages about the row.
    fn key(&self) -> i64;
    fn bind_key(&self, binder: &mut Binder<'_, '_>) {
        binder.int(self.key());
    }
    /// In the order of `COLUMNS`.
    fn bind(&self, binder: &mut Binder<'_, '_>);
    /// In the order of `LIVE_COLUMNS`.
    fn bind_live(&self, binder: &mut Binder<'_, '_>);
    /// In the order of the columns that `END` names.
    fn bind_end(&self, _: &mut Binder<'_, '_>) {}
    fn statements() -> &'static Statements;
}

pub(crate) struct Statements {
    pub(crate) put: String,
    pub(crate) remove: String,
    pub(crate) end: Option<String>,
}

impl Statements {
    pub(crate) fn of<R: Row>() -> Statements {
        Statements { put: put::<R>(), remove: remove::<R>(), end: end::<R>() }
    }
}

fn put<R: Row>() -> String {
    let columns: Vec<&str> = [R::COLUMNS, R::LIVE_COLUMNS].concat();
    let changing: Vec<String> = columns
        .iter()
        .filter(|column| !R::KEY.contains(column) && !R::FIXED.contains(column))
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
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
    match R::END {
        End::Forgotten => None,
        End::History(more) => Some(insert(&format!("{}_history", R::TABLE), &[R::COLUMNS, more].concat())),
    }
}

fn insert(table: &str, columns: &[&str]) -> String {
    let values: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), values.join(", "))
}

/// The parts of `Row` that are the same for every entity.
macro_rules! row_basics {
    ($entity:ident) => {
        const KIND: tidemill_model::EntityKind = tidemill_model::EntityKind::$entity;

        fn of(entity: &tidemill_model::Entity) -> Option<&Self> {
            match entity {
                tidemill_model::Entity::$entity(row) => Some(row),
                _ => None,
            }
        }

        fn statements() -> &'static crate::row::Statements {
            static STATEMENTS: std::sync::LazyLock<crate::row::Statements> =
                std::sync::LazyLock::new(crate::row::Statements::of::<$entity>);
            &STATEMENTS
        }
    };
}
pub(super) use row_basics;
