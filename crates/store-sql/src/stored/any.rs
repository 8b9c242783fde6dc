//! Tables and rows whose kind is known only at run time. Code of a store that goes over all kinds uses these and not the types:
//! it is compiled once, and not once for each kind of entity in each store.

use super::{Binder, Row};
use crate::SqlRow;
use tidemill_model::{Ended, Entity, EntityKey, EntityKind, Stored, with_kind};
use tidemill_store::Result;

/// The table of a kind; see [`Row`] for what the lists mean.
pub struct Table {
    pub kind: EntityKind,
    /// Where rows are put.
    pub name: &'static str,
    pub history: &'static str,
    pub ended: Ended,
    pub key: &'static [&'static str],
    pub columns: &'static [&'static str],
    pub live_columns: &'static [&'static str],
    pub end_columns: &'static [&'static str],
    pub loaded: &'static [&'static str],
    pub may_hang_on_job: bool,
    fixed: &'static [&'static str],
    /// These are functions, because a constant cannot hold the result of a trait's method.
    instance_column: fn() -> Option<&'static str>,
    element_column: fn() -> Option<&'static str>,
    load: fn(&dyn SqlRow, usize) -> Result<Entity>,
}

impl Table {
    /// The compiler makes a constant for each kind, so this allocates nothing.
    pub fn of(kind: EntityKind) -> &'static Table {
        with_kind!(kind, R => const { &table::<R>() })
    }

    /// In the order in which batches are written.
    pub fn all() -> impl Iterator<Item = &'static Table> {
        EntityKind::ALL.into_iter().map(Table::of)
    }

    /// The entity in a live row; its first column is `first`.
    pub fn load(&self, row: &dyn SqlRow, first: usize) -> Result<Entity> {
        (self.load)(row, first)
    }

    /// The column of the instance that live rows belong to, where they belong to one.
    pub fn instance_column(&self) -> Option<&'static str> {
        (self.instance_column)()
    }

    /// The column of the element that live rows are loaded with.
    pub fn element_column(&self) -> Option<&'static str> {
        (self.element_column)()
    }

    /// Columns of a live row that an overwrite changes.
    /// An overwrite that names an indexed column makes a database touch the index, even where the value stays the same.
    pub fn changing_columns(&self) -> impl Iterator<Item = &'static str> {
        let columns = self.columns.iter().chain(self.live_columns).copied();
        columns.filter(|column| !self.key.contains(column) && !self.fixed.contains(column))
    }
}

const fn table<R: Row>() -> Table {
    Table {
        kind: R::KIND,
        name: R::TABLE,
        history: R::HISTORY,
        ended: R::ENDED,
        key: R::KEY,
        columns: R::COLUMNS,
        live_columns: R::LIVE_COLUMNS,
        end_columns: R::END_COLUMNS,
        loaded: R::LOADED,
        may_hang_on_job: R::MAY_HANG_ON_JOB,
        fixed: R::FIXED,
        instance_column: R::instance_column,
        element_column: R::element_column,
        load: |row, first| Ok(R::load(row, first)?.into_entity()),
    }
}

/// A row of any kind.
pub trait AnyRow {
    /// The number of its key by which messages name it.
    fn number(&self) -> i64;
    fn bind_key<'r>(&'r self, binder: &mut dyn Binder<'r>);
    fn bind<'r>(&'r self, binder: &mut dyn Binder<'r>);
    fn bind_live<'r>(&'r self, binder: &mut dyn Binder<'r>);
    fn bind_end<'r>(&'r self, binder: &mut dyn Binder<'r>);
}

impl<R: Row> AnyRow for R {
    fn number(&self) -> i64 {
        self.key().numbers().0
    }

    fn bind_key<'r>(&'r self, binder: &mut dyn Binder<'r>) {
        Row::bind_key(self, binder);
    }

    fn bind<'r>(&'r self, binder: &mut dyn Binder<'r>) {
        Row::bind(self, binder);
    }

    fn bind_live<'r>(&'r self, binder: &mut dyn Binder<'r>) {
        Row::bind_live(self, binder);
    }

    fn bind_end<'r>(&'r self, binder: &mut dyn Binder<'r>) {
        Row::bind_end(self, binder);
    }
}

pub fn any_row(entity: &Entity) -> &dyn AnyRow {
    with_kind!(entity.kind(), R => match R::of(entity) {
        Some(row) => row as &dyn AnyRow,
        None => unreachable!("an entity is of its own kind"),
    })
}
