//! How answers look to people: plain tables, trees, colours on a terminal only.

use comfy_table::{ContentArrangement, Table, presets};
use console::style;
use serde_json::Value;
use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static FAILURES_AS_JSON: AtomicBool = AtomicBool::new(false);

/// From here on, a failure of the command is told as JSON.
pub(crate) fn report_failures_as_json() {
    FAILURES_AS_JSON.store(true, Ordering::Relaxed);
}

pub(crate) fn are_failures_json() -> bool {
    FAILURES_AS_JSON.load(Ordering::Relaxed)
}

/// Like `println!`, for output that may go through a pipe whose reader has seen enough.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::write_line(format_args!($($text)*)) };
}
pub(crate) use say;

pub(crate) fn write_line(line: fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}") {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("tidemill: cannot write the output: {error}");
            std::process::exit(1);
        }
    }
}

/// A table with one row per item; a column is a title and a way to its cell.
pub(crate) type Column<'a> = (&'a str, fn(&Value) -> String);

pub(crate) fn print_table(columns: &[Column<'_>], items: &[Value]) {
    let rows = items.iter().map(|item| columns.iter().map(|(_, cell)| cell(item)).collect());
    let titles = columns.iter().map(|(title, _)| *title);
    print_rows(titles, rows);
}

pub(crate) fn print_rows<'a>(titles: impl Iterator<Item = &'a str>, rows: impl Iterator<Item = Vec<String>>) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(titles);
    for row in rows {
        table.add_row(row);
    }
    for (number, line) in table.lines().enumerate() {
        let line = line.trim();
        if number == 0 { say!("{}", style(line).bold()) } else { say!("{line}") }
    }
}

/// The items of a search, with a word on those that did not fit.
pub(crate) fn print_page(columns: &[Column<'_>], answer: &Value, things: &str) {
    let items = answer["items"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let total = answer["page"]["totalItems"].as_u64().unwrap_or(items.len() as u64);
    if total == 0 {
        say!("no {things}");
        return;
    }
    print_table(columns, items);
    if total > items.len() as u64 {
        let more = if answer["page"]["hasMoreTotalItems"].as_bool() == Some(true) { " at least" } else { "" };
        say!("\n{} of{more} {total} {things}; see more with --limit", items.len());
    }
}

/// A member as it is shown in a cell; `-` where there is nothing.
pub(crate) fn cell(item: &Value, member: &str) -> String {
    match &item[member] {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

/// A time in UTC, to the second.
pub(crate) fn time(item: &Value, member: &str) -> String {
    match item[member].as_str() {
        Some(text) => {
            text.get(..19).map_or_else(|| text.to_owned(), |text| format!("{}Z", text.replace('T', " ")))
        }
        None => "-".to_owned(),
    }
}

/// A finding in a model, in the form that editors jump to.
pub(crate) fn finding(finding: &Value) -> String {
    let text = |member: &str| finding[member].as_str().unwrap_or_default();
    let (element, reason) = (style(text("elementId")).bold(), text("reason"));
    if finding["file"].is_null() {
        return reason.to_owned();
    }
    let line = format!("{}:{}:{}: {element}: {reason}", text("file"), finding["line"], finding["column"]);
    match finding["remedy"].as_str() {
        Some(remedy) => format!("{line}\n    {}", style(remedy).dim()),
        None => line,
    }
}

/// `1 retry`, `2 retries`.
pub(crate) fn count(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A line with lines below it.
pub(crate) struct Tree {
    pub(crate) line: String,
    pub(crate) children: Vec<Tree>,
}

impl Tree {
    pub(crate) fn leaf(line: impl Into<String>) -> Tree {
        Tree { line: line.into(), children: Vec::new() }
    }

    pub(crate) fn print(&self) {
        say!("{}", self.line);
        self.print_children("");
    }

    fn print_children(&self, indent: &str) {
        for (number, child) in self.children.iter().enumerate() {
            let is_last = number + 1 == self.children.len();
            let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            say!("{}{}", style(format!("{indent}{branch}")).dim(), child.line);
            child.print_children(&format!("{indent}{below}"));
        }
    }
}
