//! How answers look to people: plain tables, trees, colours on a terminal only.

use comfy_table::{ContentArrangement, Table, presets};
use console::style;
use serde_json::Value;

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
        if number == 0 { println!("{}", style(line).bold()) } else { println!("{line}") }
    }
}

/// The items of a search, with a word on those that did not fit.
pub(crate) fn print_page(columns: &[Column<'_>], answer: &Value, things: &str) {
    let items = answer["items"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let total = answer["page"]["totalItems"].as_u64().unwrap_or(items.len() as u64);
    if total == 0 {
        println!("no {things}");
        return;
    }
    print_table(columns, items);
    if total > items.len() as u64 {
        let more = if answer["page"]["hasMoreTotalItems"].as_bool() == Some(true) { " at least" } else { "" };
        println!("\n{} of{more} {total} {things}; see more with --limit", items.len());
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

/// A time to the second.
pub(crate) fn time(item: &Value, member: &str) -> String {
    match item[member].as_str() {
        Some(text) => text.get(..19).unwrap_or(text).replace('T', " "),
        None => "-".to_owned(),
    }
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
        println!("{}", self.line);
        self.print_children("");
    }

    fn print_children(&self, indent: &str) {
        for (number, child) in self.children.iter().enumerate() {
            let is_last = number + 1 == self.children.len();
            let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            println!("{}{}", style(format!("{indent}{branch}")).dim(), child.line);
            child.print_children(&format!("{indent}{below}"));
        }
    }
}
