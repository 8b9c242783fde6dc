//! How answers look to people: plain tables, trees, colours on a terminal only.

use comfy_table::{ContentArrangement, Table, presets};
use console::style;
use serde_json::Value;
use std::borrow::Cow;
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

/// The same on standard error.
macro_rules! complain {
    ($($text:tt)*) => { $crate::output::write_complaint(format_args!($($text)*)) };
}
pub(crate) use complain;

pub(crate) fn write_complaint(line: fmt::Arguments<'_>) {
    eprintln!("{}", harmless(&line.to_string(), console::colors_enabled_stderr()));
}

/// Makes control characters, which a terminal would obey, visible as text. Names and values are written by
/// others, and everything that is shown goes through here; only the colours that we use ourselves pass.
fn harmless(text: &str, are_colours_ours: bool) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let colour = COLOURS.iter().find(|colour| are_colours_ours && rest.starts_with(**colour));
        let length = colour.map_or(next.len_utf8(), |colour| colour.len());
        match next {
            _ if colour.is_some() => shown.push_str(&rest[..length]),
            next if is_obeyed(next) => shown.push_str(&format!("\\u{:04x}", u32::from(next))),
            next => shown.push(next),
        }
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

/// Bold, dim, and the colours from red to cyan; the end of them.
const COLOURS: [&str; 9] =
    ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[35m", "\x1b[36m"];

/// Control characters but tabs and the end of a line, and those that turn the direction of writing.
fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text of others within one line.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    harmless(&text, false).into_owned()
}

pub(crate) fn write_line(line: fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let line = line.to_string();
    match writeln!(out, "{}", harmless(&line, console::colors_enabled())) {
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
    print_part(columns, items, true);
}

/// A part of a long table; the first has the titles.
pub(crate) fn print_part(columns: &[Column<'_>], items: &[Value], has_titles: bool) {
    let rows = items.iter().map(|item| columns.iter().map(|(_, cell)| cell(item)).collect());
    let titles = columns.iter().map(|(title, _)| *title);
    print_table_lines(titles, rows, has_titles);
}

pub(crate) fn print_rows<'a>(titles: impl Iterator<Item = &'a str>, rows: impl Iterator<Item = Vec<String>>) {
    print_table_lines(titles, rows, true);
}

fn print_table_lines<'a>(
    titles: impl Iterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
    has_titles: bool,
) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(titles);
    for row in rows {
        table.add_row(row);
    }
    for (number, line) in table.lines().enumerate() {
        let line = line.trim();
        match number {
            0 if has_titles => say!("{}", style(line).bold()),
            0 => {}
            _ => say!("{line}"),
        }
    }
}

/// The items of a search, with a word on those that did not fit.
pub(crate) fn print_page(columns: &[Column<'_>], answer: &Value, things: &str, page: u32) {
    let items = answer["items"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let total = answer["page"]["totalItems"].as_u64().unwrap_or(items.len() as u64);
    if total == 0 {
        say!("no {things}");
        return;
    }
    if items.is_empty() {
        say!("page {page} is empty: there are {total} {things}");
        return;
    }
    print_table(columns, items);
    if total > items.len() as u64 {
        let more = if answer["page"]["hasMoreTotalItems"].as_bool() == Some(true) { " at least" } else { "" };
        say!(
            "\n{} of{more} {total} {things}; see more with --page {}, or all with --all",
            items.len(),
            page + 1
        );
    }
}

/// A member as it is shown in a cell; `-` where there is nothing.
pub(crate) fn cell(item: &Value, member: &str) -> String {
    match &item[member] {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => one_line(text),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_obey_nobody_else() {
        let evil = "a\u{1b}[2Jb\u{9b}1mc\u{7}d\u{202e}e\u{1b}[31mf\u{1b}[0m\ng";
        let expected = "a\\u001b[2Jb\\u009b1mc\\u0007d\\u202ee";
        assert_eq!(harmless(evil, false), format!("{expected}\\u001b[31mf\\u001b[0m\ng"));
        assert_eq!(harmless(evil, true), format!("{expected}\u{1b}[31mf\u{1b}[0m\ng"));
        assert_eq!(one_line("a\nb\u{1b}c"), "a\\nb\\u001bc");
        assert!(matches!(harmless("plain ünïcode", false), Cow::Borrowed(_)));
    }
}
