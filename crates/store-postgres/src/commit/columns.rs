//! Rows turned into columns: a statement takes a whole table's changes as one array per column.

use crate::call::Param;
use std::borrow::Cow;
use tidemill_store_sql::Binder;

pub(crate) enum Column<'r> {
    Ints(Vec<Option<i64>>),
    Texts(Vec<Option<Cow<'r, str>>>),
    Bools(Vec<bool>),
    Blobs(Vec<Cow<'r, [u8]>>),
}

impl<'r> Column<'r> {
    pub(super) fn sql_type(&self) -> &'static str {
        match self {
            Column::Ints(_) => "bigint[]",
            Column::Texts(_) => "text[]",
            Column::Bools(_) => "boolean[]",
            Column::Blobs(_) => "bytea[]",
        }
    }

    pub(super) fn into_param(self) -> Param<'r> {
        match self {
            Column::Ints(values) => Param::Ints(values),
            Column::Texts(values) => Param::Texts(values),
            Column::Bools(values) => Param::Bools(values),
            Column::Blobs(values) => Param::Blobs(values),
        }
    }
}

#[derive(Default)]
pub(crate) struct Columns<'r> {
    pub(super) columns: Vec<Column<'r>>,
    pub(super) rows: usize,
    next: usize,
}

impl<'r> Columns<'r> {
    /// Begins the next row: values that are bound from here on belong to it.
    pub(super) fn begin_row(&mut self) {
        debug_assert!(self.next == self.columns.len(), "every row has every column");
        self.rows += 1;
        self.next = 0;
    }

    fn column(&mut self, make: fn() -> Column<'r>) -> &mut Column<'r> {
        if self.next == self.columns.len() {
            debug_assert!(self.rows == 1, "the first row tells the columns");
            self.columns.push(make());
        }
        self.next += 1;
        &mut self.columns[self.next - 1]
    }
}

const SAME_TYPE: &str = "a column is bound by the same method in every row";

impl<'r> Binder<'r> for Columns<'r> {
    fn maybe_int(&mut self, value: Option<i64>) {
        let Column::Ints(values) = self.column(|| Column::Ints(Vec::new())) else {
            unreachable!("{SAME_TYPE}")
        };
        values.push(value);
    }

    fn maybe_cow(&mut self, text: Option<Cow<'r, str>>) {
        let Column::Texts(values) = self.column(|| Column::Texts(Vec::new())) else {
            unreachable!("{SAME_TYPE}")
        };
        values.push(text);
    }

    fn boolean(&mut self, value: bool) {
        let Column::Bools(values) = self.column(|| Column::Bools(Vec::new())) else {
            unreachable!("{SAME_TYPE}")
        };
        values.push(value);
    }

    fn bytes(&mut self, bytes: Vec<u8>) {
        let Column::Blobs(values) = self.column(|| Column::Blobs(Vec::new())) else {
            unreachable!("{SAME_TYPE}")
        };
        values.push(Cow::Owned(bytes));
    }
}
