//! The pages of docs that name limits and missing operations say what the sources say.

use std::path::PathBuf;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of the rows of a page's tables, without their heads.
fn rows(page: &str) -> Vec<Vec<String>> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| limit |"));
    rows.filter(|line| !line.starts_with("| area |"))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// The texts between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// `64 * 1024`, `16 << 20`, `1_000`.
fn value(expression: &str) -> u64 {
    let number = |text: &str| -> u64 {
        let digits: String = text.trim().chars().filter(|c| *c != '_').collect();
        digits.parse().unwrap_or_else(|_| panic!("'{text}' of '{expression}' is no number"))
    };
    match expression.split_once("<<") {
        Some((base, shift)) => number(base) << number(shift),
        None => expression.split('*').map(number).product(),
    }
}

fn in_source(path: &str, name: &str) -> u64 {
    let source = file(&format!("crates/{path}"));
    let (_, behind) = source
        .split_once(&format!("const {name}:"))
        .and_then(|(_, behind)| behind.split_once('='))
        .or_else(|| source.split_once(&format!("{{ {name}:")))
        .or_else(|| source.split_once(&format!(", {name}:")))
        .unwrap_or_else(|| panic!("{path} has no {name}"));
    value(behind.split([';', ',', '}']).next().expect("splitting gives one part at least"))
}

#[test]
fn the_page_of_limits_has_the_figures_of_the_sources() {
    let page = file("docs/limits.md");
    let rows = rows(&page);
    assert!(rows.len() > 30, "the tables were read: {}", rows.len());
    for row in rows {
        let [limit, figure, source] = &row[..] else { panic!("not a limit: {row:?}") };
        let [path, name] = quoted(source)[..] else { panic!("no source: {row:?}") };
        assert_eq!(value(&figure.replace(',', "")), in_source(path, name), "{limit} ({path} {name})");
    }
}

#[test]
fn the_page_of_missing_operations_is_complete_and_names_none_that_is_offered() {
    let missing = file("crates/server/src/gateway/schema/not_offered.api");
    let missing: Vec<&str> = missing.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    let page = file("docs/not-offered.md");
    let rows = rows(&page);
    let named: Vec<&str> = rows.iter().flat_map(|row| quoted(&row[1])).collect();
    let is_below = |path: &str, named: &str| path == named || path.starts_with(&format!("{named}/"));
    for path in &missing {
        assert!(named.iter().any(|named| is_below(path, named)), "{path} is missing in docs/not-offered.md");
    }
    for named in &named {
        assert!(missing.iter().any(|path| is_below(path, named)), "{named} is not among what is missing");
    }
}
