//! Binds values to a prepared statement one after the other.

use rusqlite::{Statement, ToSql};
use std::borrow::Cow;
use tidemill_store_sql::Binder;

pub(crate) struct StatementBinder<'s, 'c> {
    statement: &'s mut Statement<'c>,
    next: usize,
    /// The first error of a binding. It is kept until `execute`, so that the methods which bind need not
    /// return one: they are the same for all SQL stores, and on Postgres they cannot fail.
    result: rusqlite::Result<()>,
}

impl<'s, 'c> StatementBinder<'s, 'c> {
    pub(crate) fn new(statement: &'s mut Statement<'c>) -> StatementBinder<'s, 'c> {
        StatementBinder { statement, next: 1, result: Ok(()) }
    }

    /// Runs the statement; gives the first error of a binding, if there was one.
    pub(crate) fn execute(self) -> rusqlite::Result<usize> {
        self.result?;
        self.statement.raw_execute()
    }

    fn bind(&mut self, value: impl ToSql) {
        if self.result.is_ok() {
            self.result = self.statement.raw_bind_parameter(self.next, value);
        }
        // After an error the statement is not run any more, so the places no longer matter.
        self.next += 1;
    }
}

impl<'r> Binder<'r> for StatementBinder<'_, '_> {
    fn maybe_int(&mut self, value: Option<i64>) {
        self.bind(value);
    }

    fn maybe_cow(&mut self, text: Option<Cow<'r, str>>) {
        self.bind(text.as_deref());
    }

    fn boolean(&mut self, value: bool) {
        self.bind(value);
    }

    fn bytes(&mut self, bytes: Vec<u8>) {
        self.bind(bytes);
    }
}
