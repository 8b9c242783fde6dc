//! The table of an entity: its columns, and what becomes of its rows.

use super::Binder;
use tidemill_model::{Entity, EntityKind};

/// How a row leaves the live tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Into history, with these columns behind the common ones.
    History(&'static [&'static str]),
    /// The API never shows it again.
    Forgotten,
}

pub trait Row: Sized + 'static {
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
    fn bind_key<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key());
    }
    /// In the order of `COLUMNS`.
    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>);
    /// In the order of `LIVE_COLUMNS`.
    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>);
    /// In the order of the columns that `END` names.
    fn bind_end<'r>(&'r self, _: &mut impl Binder<'r>) {}

    /// Columns of a live row that an overwrite changes.
    fn changing_columns() -> impl Iterator<Item = &'static str> {
        let columns = Self::COLUMNS.iter().chain(Self::LIVE_COLUMNS).copied();
        columns.filter(|column| !Self::KEY.contains(column) && !Self::FIXED.contains(column))
    }
}

/// The parts of `Row` that are the same for every entity.
macro_rules! row_kind {
    ($entity:ident) => {
        const KIND: tidemill_model::EntityKind = tidemill_model::EntityKind::$entity;

        fn of(entity: &tidemill_model::Entity) -> Option<&Self> {
            match entity {
                tidemill_model::Entity::$entity(row) => Some(row),
                _ => None,
            }
        }
    };
}
pub(super) use row_kind;
