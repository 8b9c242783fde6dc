//! Pages: from the members of a request to the place in a search, from what was found to the answer.

use super::super::findings::Findings;
use super::items::{self, Items};
use axum::response::Response;
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use tidemill_store::query::{Page, PageStart, Results};

/// A larger page is refused: it would hold up everybody else.
const LIMIT_MAX: i64 = 10_000;

pub(super) fn translate(tree: &Value, findings: &mut Findings) -> Page {
    let mut page = Page::default();
    if let Some(limit) = tree["limit"].as_i64() {
        page.limit = count("page.limit", limit, findings);
        findings.number("page.limit", limit, |n| n <= LIMIT_MAX, "at most 10000");
    }
    if let Some(from) = tree["from"].as_i64() {
        page.start = PageStart::Offset(count("page.from", from, findings));
    } else if let Some(after) = tree["after"].as_str() {
        page.start = PageStart::After(after.to_owned());
    } else if let Some(before) = tree["before"].as_str() {
        page.start = PageStart::Before(before.to_owned());
    }
    page
}

fn count(field: &str, value: i64, findings: &mut Findings) -> u32 {
    findings.number(field, value, |n| n >= 0, "a non-negative number");
    u32::try_from(value).unwrap_or_default()
}

/// The offset and limit of a page that knows no cursors.
pub(crate) fn bounds(tree: &Value, findings: &mut Findings) -> (usize, usize) {
    let page = translate(tree, findings);
    match page.start {
        PageStart::Offset(from) => (from as usize, page.limit as usize),
        _ => (0, page.limit as usize),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageInfo {
    pub(super) total_items: u64,
    pub(super) has_more_total_items: bool,
    pub(super) start_cursor: Option<String>,
    pub(super) end_cursor: Option<String>,
}

fn taken_apart<V>(results: Results<V>) -> (Vec<V>, PageInfo) {
    let page = PageInfo {
        total_items: results.total,
        has_more_total_items: results.has_more_total,
        start_cursor: results.start_cursor,
        end_cursor: results.end_cursor,
    };
    (results.items, page)
}

/// The answer to a search, each item as `show` writes it.
pub(crate) fn shown<V: Send + 'static>(
    results: Results<V>,
    show: impl Fn(&V, &mut Items) + Send + 'static,
) -> Response {
    let (items, page) = taken_apart(results);
    items::answer(items, page, show)
}

/// The same where `show` may have to ask the store for more of an item.
pub(crate) fn shown_in_turn<V: Send + 'static>(
    results: Results<V>,
    show: impl Fn(V, Items) -> BoxFuture<'static, Items> + Send + 'static,
) -> Response {
    let (items, page) = taken_apart(results);
    items::answer_in_turn(items, page, show)
}

/// A page of a list that is known whole.
pub(crate) fn shown_list<V: Send + 'static>(
    list: Vec<V>,
    (from, limit): (usize, usize),
    show: impl Fn(&V, &mut Items) + Send + 'static,
) -> Response {
    let total_items = list.len() as u64;
    let items = list.into_iter().skip(from).take(limit).collect();
    let page = PageInfo { total_items, has_more_total_items: false, start_cursor: None, end_cursor: None };
    items::answer(items, page, show)
}
