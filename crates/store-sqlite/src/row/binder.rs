//! Binds values to a prepared statement one after the other.

use rusqlite::{Statement, ToSql};
use tidemill_model::entity::Origin;
use tidemill_model::{RawJson, Text, Timestamp};

pub(crate) struct Binder<'s, 'c> {
    statement: &'s mut Statement<'c>,
    next: usize,
    result: rusqlite::Result<()>,
}

impl<'s, 'c> Binder<'s, 'c> {
    pub(crate) fn new(statement: &'s mut Statement<'c>) -> Binder<'s, 'c> {
        Binder { statement, next: 1, result: Ok(()) }
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
        self.next += 1;
    }

    pub(crate) fn int(&mut self, value: impl Into<i64>) {
        self.bind(value.into());
    }

    pub(crate) fn maybe_int(&mut self, value: Option<i64>) {
        self.bind(value);
    }

    pub(crate) fn time(&mut self, time: Timestamp) {
        self.bind(time.0);
    }

    pub(crate) fn maybe_time(&mut self, time: Option<Timestamp>) {
        self.bind(time.map(|time| time.0));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bind(text);
    }

    pub(crate) fn maybe_text(&mut self, text: Option<&Text>) {
        self.bind(text.map(Text::as_str));
    }

    pub(crate) fn maybe_json(&mut self, json: Option<&RawJson>) {
        self.bind(json.map(RawJson::as_str));
    }

    pub(crate) fn boolean(&mut self, value: bool) {
        self.bind(value);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bind(bytes);
    }

    /// As a JSON array; null for an empty list, which is the common case.
    pub(crate) fn texts(&mut self, texts: &[Text]) {
        if texts.is_empty() {
            return self.bind(None::<&str>);
        }
        let members: Vec<RawJson> = texts.iter().map(|text| RawJson::string(text)).collect();
        let members: Vec<&str> = members.iter().map(RawJson::as_str).collect();
        self.bind(format!("[{}]", members.join(",")));
    }

    /// `instance_key, root_key, definition_key, tenant`.
    pub(crate) fn origin(&mut self, origin: &Origin) {
        self.bind(origin.instance.0);
        self.bind(origin.root.0);
        self.bind(origin.definition.0);
        self.bind(origin.tenant.as_str());
    }
}
