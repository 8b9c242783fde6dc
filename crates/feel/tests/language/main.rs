//! Tables of cases for every operator and construct: an expression and the value it must give.

mod cases;
mod hostile;
mod limits;
mod names;
mod syntax;
mod tests_of_values;
mod warnings;

use tidemill_feel::{CompileOptions, Context, Dialect, Environment, Evaluation, Expression, Value};

/// 2026-03-01T12:00:00Z.
const NOW_MS: i64 = 1_772_366_400_000;

fn environment() -> Environment {
    Environment::at_millis(NOW_MS)
}

/// Variables that every case may use.
fn scope() -> Context {
    let text = r#"{
        "amount": 120, "status": "open", "yes": true, "nothing": null, "empty": [],
        "numbers": [3, 1, 2], "order": {"id": "o-1", "customer": {"name": "Ann", "tags": ["a", "b"]}},
        "items": [{"name": "pen", "price": 5}, {"name": "bag", "price": 50}, {"name": "box"}],
        "Monthly Salary": 1000, "date": 7
    }"#;
    Value::from_json(text).expect("valid JSON").as_context().expect("an object").clone()
}

fn evaluate(dialect: Dialect, text: &str) -> Evaluation {
    let options = CompileOptions { dialect, ..CompileOptions::default() };
    let expression =
        Expression::compile_with(text, &options).unwrap_or_else(|error| panic!("{text}: {error}"));
    expression.evaluate(&scope(), &environment()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Each expression must give what its expected side gives, and print the same.
fn check(dialect: Dialect, cases: &[(&str, &str)]) {
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let found = evaluate(dialect, text).value;
            let wanted = evaluate(dialect, expected).value;
            let same = found == wanted && found.to_string() == wanted.to_string();
            (!same).then(|| format!("{text}\n    gives    {found}\n    expected {wanted}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn check_both(cases: &[(&str, &str)]) {
    check(Dialect::Camunda, cases);
    check(Dialect::Standard, cases);
}
