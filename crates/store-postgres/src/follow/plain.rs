//! Which changes can surely be written to the tables later. Postgres must not refuse a row whose command was answered, so whatever
//! it might refuse is written to the tables with its commit.

use std::borrow::Cow;
use tidemill_model::{Change, EntityKind};
use tidemill_store_sql::{Binder, Table, any_row};

/// An entry of an index takes 2,700 bytes, and has three texts at most.
const INDEXED_TEXT_MAX: usize = 600;

/// Texts that are in no index, or only with their beginning.
const NOT_INDEXED: [&str; 9] = [
    "value",
    "headers",
    "message",
    "error_message",
    "tags",
    "candidate_users",
    "candidate_groups",
    "external_form_reference",
    "jobs",
];

/// Deployed things are few, have to be unique, and are looked up by all nodes.
pub(super) fn is_deployed(kind: EntityKind) -> bool {
    matches!(
        kind,
        EntityKind::ProcessDefinition
            | EntityKind::ProcessXml
            | EntityKind::Form
            | EntityKind::Resource
            | EntityKind::StartSubscription
    )
}

pub(crate) fn are_plain(changes: &[Change]) -> bool {
    changes.iter().all(|change| {
        let entity = change.entity();
        if is_deployed(entity.kind()) {
            return false;
        }
        let mut check = Check { columns: Table::of(entity.kind()).columns, next: 0, is_plain: true };
        any_row(entity).bind(&mut check);
        check.is_plain
    })
}

struct Check {
    columns: &'static [&'static str],
    next: usize,
    is_plain: bool,
}

impl Check {
    fn column(&mut self) -> &'static str {
        self.next += 1;
        self.columns[self.next - 1]
    }
}

impl<'r> Binder<'r> for Check {
    fn maybe_int(&mut self, _: Option<i64>) {
        self.column();
    }

    fn maybe_cow(&mut self, text: Option<Cow<'r, str>>) {
        let column = self.column();
        if let Some(text) = text {
            let is_short = text.len() <= INDEXED_TEXT_MAX || NOT_INDEXED.contains(&column);
            self.is_plain &= is_short && !text.as_bytes().contains(&0);
        }
    }

    fn boolean(&mut self, _: bool) {
        self.column();
    }

    fn bytes(&mut self, _: Vec<u8>) {
        self.column();
    }
}
