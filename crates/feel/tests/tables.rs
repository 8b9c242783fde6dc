//! Every operator, construct and built-in function as a table: an expression on the left, what it gives on the right, in both dialects
//! unless the line names one. `null!` is null with a warning, `error` an evaluation that fails.

use std::path::Path;
use tidemill_feel::{
    CompileOptions, Dialect, EmptyScope, Environment, Evaluation, EvaluationError, Expression, Value,
};

/// 2020-07-31T14:27:30.123Z
const NOW_MS: i64 = 1_596_205_650_123;

fn evaluate(text: &str, dialect: Dialect) -> Result<Evaluation, EvaluationError> {
    let options = CompileOptions { dialect, ..CompileOptions::default() };
    let expression =
        Expression::compile_with(text, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
    expression.evaluate(&EmptyScope, &Environment::at_millis(NOW_MS).with_seed(42))
}

/// The error of one row, if there is one.
fn problem(text: &str, expected: &str, dialect: Dialect) -> Option<String> {
    let actual = match evaluate(text, dialect) {
        Ok(outcome) => outcome,
        Err(_) if expected == "error" => return None,
        Err(error) => return Some(format!("fails: {error}")),
    };
    if expected == "error" {
        return Some(format!("gives {}", actual.value));
    }
    if expected == "null!" {
        let good = actual.value.is_null() && !actual.warnings.is_empty();
        return (!good).then(|| format!("gives {} with {} warnings", actual.value, actual.warnings.len()));
    }
    let wanted = evaluate(expected, dialect).expect("the expected side has a value").value;
    // A string is compared as it is written: `1.50` is equal to `1.5`, but not the same text.
    let same = actual.value == wanted && actual.value.type_name() == wanted.type_name();
    (!same).then(|| format!("gives {}", shown(&actual.value)))
}

fn shown(value: &Value) -> String {
    format!("{value} ({})", value.type_name())
}

fn check_table(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name);
    let table = std::fs::read_to_string(&path).expect("the table can be read");
    let mut rows = 0;
    let mut problems = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//")) {
        let (dialects, row) = match (line.strip_prefix("camunda: "), line.strip_prefix("standard: ")) {
            (Some(row), _) => (vec![Dialect::Camunda], row),
            (_, Some(row)) => (vec![Dialect::Standard], row),
            _ => (vec![Dialect::Camunda, Dialect::Standard], line),
        };
        let (text, expected) = row.rsplit_once(" => ").expect("a row has two sides");
        for dialect in dialects {
            rows += 1;
            if let Some(problem) = problem(text.trim(), expected.trim(), dialect) {
                problems.push(format!("{dialect:?}: {text} {problem}, not {expected}"));
            }
        }
    }
    assert!(rows > 0, "{name} has no rows");
    assert!(problems.is_empty(), "{} of {rows} rows:\n{}", problems.len(), problems.join("\n"));
}

macro_rules! tables {
    ($($test:ident: $file:literal;)*) => {
        $(#[test]
        fn $test() {
            check_table($file);
        })*
    };
}

tables! {
    arithmetic: "arithmetic.txt";
    comparisons: "comparisons.txt";
    constructs: "constructs.txt";
    access: "access.txt";
    logic: "logic.txt";
    numbers: "numbers.txt";
    strings: "strings.txt";
    regular_expressions: "regular_expressions.txt";
    lists: "lists.txt";
    statistics: "statistics.txt";
    contexts: "contexts.txt";
    conversions: "conversions.txt";
    temporals: "temporals.txt";
    ranges: "ranges.txt";
}
