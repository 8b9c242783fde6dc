//! Lists: one page of a search, any page, or all of them one after the other.

use super::{Failure, Session, path_segment};
use crate::exit::Missing;
use crate::output::{Column, print_page, print_part, say};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// Rows that the server gives in one answer at most.
const LIMIT_MAX: u32 = 10_000;
/// Rows per answer where all are wanted: enough to be fast, few enough to be shown soon.
const ALL_ROWS: u32 = 1_000;

#[derive(Args)]
pub(crate) struct Paging {
    /// Rows of a page, at most 10000
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LIMIT_MAX)))]
    limit: u32,

    /// Which page to show, the first is 1
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page: u32,

    /// Show all pages, one after the other; with --json one item a line
    #[arg(long, conflicts_with_all = ["limit", "page"])]
    all: bool,
}

/// A search, and how its items are shown.
pub(crate) struct Listing<'a> {
    pub(crate) path: &'a str,
    /// Members that are null are left out.
    pub(crate) filter: Value,
    pub(crate) sort: Value,
    pub(crate) columns: &'a [Column<'a>],
    pub(crate) things: &'a str,
}

impl Listing<'_> {
    pub(crate) fn print(&self, session: &Session, paging: &Paging) -> Result<()> {
        if paging.all {
            return self.print_all(session);
        }
        let answer = self.page(session, paging)?;
        if answer["items"].as_array().is_none_or(Vec::is_empty) {
            self.check_named(session)?;
        }
        session.show(&answer, |answer| print_page(self.columns, answer, self.things, paging.page));
        Ok(())
    }

    fn page(&self, session: &Session, paging: &Paging) -> Result<Value, Failure> {
        // The latest version of each process is found by cursors only.
        if self.filter["isLatestVersion"] != true {
            let from = u64::from(paging.page - 1) * u64::from(paging.limit);
            return self.ask(session, json!({"from": from, "limit": paging.limit}));
        }
        let mut answer = self.ask(session, json!({"limit": paging.limit}))?;
        for _ in 1..paging.page {
            let Some(cursor) = cursor_behind(&answer) else { return Ok(answer) };
            answer = self.ask(session, json!({"after": cursor, "limit": paging.limit}))?;
        }
        Ok(answer)
    }

    fn print_all(&self, session: &Session) -> Result<()> {
        let (mut rows, mut after) = (ALL_ROWS, None);
        let mut is_first = true;
        loop {
            let mut page = json!({"limit": rows});
            if let Some(cursor) = &after {
                page["after"] = json!(cursor);
            }
            let answer = match self.ask(session, page) {
                // Long values: the same in smaller pages.
                Err(failure) if rows > 1 && failure.asks_for_smaller_page() => {
                    rows /= 2;
                    continue;
                }
                answer => answer?,
            };
            let items = answer["items"].as_array().map_or(&[] as &[Value], Vec::as_slice);
            if is_first && items.is_empty() {
                self.check_named(session)?;
            }
            match (session.json, items.is_empty()) {
                (true, _) => items.iter().for_each(|item| say!("{item}")),
                (false, true) if is_first => say!("no {}", self.things),
                (false, true) => {}
                (false, false) => print_part(self.columns, items, is_first),
            }
            let Some(cursor) = cursor_behind(&answer) else { return Ok(()) };
            (after, is_first) = (Some(cursor), false);
        }
    }

    /// An empty list of something that does not exist is a mistyped key or id, and a script must not take it for an answer.
    fn check_named(&self, session: &Session) -> Result<()> {
        if let Some(key) = self.filter["processInstanceKey"].as_str() {
            session.client.get(&format!("/v2/process-instances/{}", path_segment(key)))?;
        }
        if let Some(id) = self.filter["processDefinitionId"].as_str() {
            let filter = json!({"processDefinitionId": id});
            let found = session.search("/v2/process-definitions/search", filter, json!([]), 1)?;
            if found["items"][0].is_null() {
                return Err(Missing(format!("process '{id}'")).into());
            }
        }
        Ok(())
    }

    fn ask(&self, session: &Session, page: Value) -> Result<Value, Failure> {
        session.search_page(self.path, self.filter.clone(), &self.sort, page)
    }
}

/// None where nothing was found: what comes behind the last page is empty.
fn cursor_behind(answer: &Value) -> Option<String> {
    let found = answer["items"].as_array().is_some_and(|items| !items.is_empty());
    answer["page"]["endCursor"].as_str().filter(|_| found).map(str::to_owned)
}
