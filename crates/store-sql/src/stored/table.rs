//! The table of an entity: its columns, and what becomes of its rows.

use super::Binder;
use crate::SqlRow;
use tidemill_model::{Ended, Stored, for_each_kind};
use tidemill_store::{Error, Packed, Result, unpack};

/// How an entity lies in its table. Written by `stored!`, so that a column and its value always stand together.
pub trait Row: Stored + Tables + Packed {
    /// Identifies a row.
    const KEY: &'static [&'static str];
    /// Of live and history rows alike, those of the key first.
    const COLUMNS: &'static [&'static str];
    /// Columns that never change after the first insert; their indexes are left alone.
    const FIXED: &'static [&'static str];
    /// Of live rows only, behind the others.
    const LIVE_COLUMNS: &'static [&'static str];
    /// Of history rows only, behind the others.
    const END_COLUMNS: &'static [&'static str];
    /// The columns that `load` reads, in its order.
    /// The engine's whole entity lies packed in `data`, so that fields which no search needs have no column
    /// and can be added without a migration.
    const LOADED: &'static [&'static str] = &["data"];
    /// The column of the element may hold the key of one of its jobs instead.
    const MAY_HANG_ON_JOB: bool = false;

    /// Values are bound in the order of the columns above. `stored!` writes both from one list, so they cannot drift apart.
    fn bind_key<'r>(&'r self, binder: &mut dyn Binder<'r>);
    fn bind<'r>(&'r self, binder: &mut dyn Binder<'r>);
    fn bind_live<'r>(&'r self, binder: &mut dyn Binder<'r>);
    fn bind_end<'r>(&'r self, binder: &mut dyn Binder<'r>);

    /// The entity in a live row; its first column is `first`.
    fn load(row: &dyn SqlRow, first: usize) -> Result<Self> {
        let data = row.bytes(first)?.ok_or_else(|| unreadable::<Self>("it has no data"))?;
        unpack(data).map_err(|error| unreadable::<Self>(&error.to_string()))
    }

    /// The column of the instance that live rows belong to, where they belong to one.
    fn instance_column() -> Option<&'static str> {
        column_of::<Self>("instance_key")
    }

    /// The column of the element that live rows are loaded with.
    fn element_column() -> Option<&'static str> {
        column_of::<Self>("element_instance")
    }
}

/// The names of an entity's tables, made from the list of entities.
pub trait Tables: Stored {
    const HISTORY: &'static str;

    /// Where rows are put.
    const TABLE: &'static str = match Self::ENDED {
        Ended::HistoryFromTheStart => Self::HISTORY,
        Ended::History | Ended::Nothing => Self::ROWS,
    };
}

macro_rules! tables {
    ([] $($kind:ident in $rows:ident $facts:tt)+) => {
        $(impl Tables for tidemill_model::entity::$kind {
            const HISTORY: &'static str = concat!(stringify!($rows), "_history");
        })+
    };
}

tidemill_model::for_each_entity!([tables] []);

/// Tables of what has ended, with the columns that tell rows apart: first that of process instances, then those of what
/// belonged to them, elements first.
pub fn history_tables() -> Vec<(&'static str, &'static [&'static str])> {
    let mut tables = Vec::new();
    for_each_kind!(R => if R::ENDED.is_kept() {
        tables.push((R::HISTORY, R::KEY));
    });
    tables
}

/// Kinds that are never live are not loaded, so they belong to no instance here.
fn column_of<R: Row>(name: &'static str) -> Option<&'static str> {
    (R::ENDED != Ended::HistoryFromTheStart && R::COLUMNS.contains(&name)).then_some(name)
}

pub(super) fn unreadable<R: Row>(reason: &str) -> Error {
    Error::Corrupt { place: format!("a row of {}", R::TABLE), reason: reason.to_owned() }
}

/// Declares the columns of an entity, each with its value. Those of the key identify a row, fixed ones never
/// change, live ones are not kept in history, and ended ones are only there. The methods of `Row` that read
/// live rows can be written differently under `loading`.
macro_rules! stored {
    ($entity:ident, |$row:ident|
        key { $($key:literal = $key_value:expr),+ $(,)? }
        $(fixed { $($fixed:literal = $fixed_value:expr),* $(,)? })?
        $(changing { $($changing:literal = $changing_value:expr),* $(,)? })?
        $(live { $($live:literal = $live_value:expr),* $(,)? })?
        $(ended { $($ended:literal = $ended_value:expr),* $(,)? })?
        $(loading { $($loading:tt)* })?
    ) => {
        impl $crate::Row for $entity {
            const KEY: &'static [&'static str] = &[$($key),+];
            const COLUMNS: &'static [&'static str] =
                &[$($key,)+ $($($fixed,)*)? $($($changing,)*)?];
            const FIXED: &'static [&'static str] = &[$($($fixed),*)?];
            const LIVE_COLUMNS: &'static [&'static str] = &[$($($live),*)?];
            const END_COLUMNS: &'static [&'static str] = &[$($($ended),*)?];

            fn bind_key<'r>(&'r self, binder: &mut dyn $crate::Binder<'r>) {
                let $row = self;
                $($crate::Bound::bind($key_value, binder);)+
            }

            fn bind<'r>(&'r self, binder: &mut dyn $crate::Binder<'r>) {
                self.bind_key(binder);
                let $row = self;
                $($($crate::Bound::bind($fixed_value, binder);)*)?
                $($($crate::Bound::bind($changing_value, binder);)*)?
                let _ = $row;
            }

            fn bind_live<'r>(&'r self, binder: &mut dyn $crate::Binder<'r>) {
                let $row = self;
                $($($crate::Bound::bind($live_value, binder);)*)?
                let _ = ($row, binder);
            }

            fn bind_end<'r>(&'r self, binder: &mut dyn $crate::Binder<'r>) {
                let $row = self;
                $($($crate::Bound::bind($ended_value, binder);)*)?
                let _ = ($row, binder);
            }

            $($($loading)*)?
        }
    };
}
pub(super) use stored;
