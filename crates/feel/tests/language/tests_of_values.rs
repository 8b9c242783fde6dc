//! `in`, and the cells of decision tables.

use super::{check_both, environment, scope};
use tidemill_feel::{UnaryTests, Value};

#[test]
fn membership() {
    check_both(&[
        ("1 in [1, 2]", "true"),
        ("3 in [1, 2]", "false"),
        ("1 in (1, 2)", "true"),
        ("1 in 1", "true"),
        ("5 in [1..5]", "true"),
        ("5 in [1..5)", "false"),
        ("5 in (1..5)", "false"),
        ("1 in ]1..5]", "false"),
        ("3 in ([1..2], [3..4])", "true"),
        ("3 in [[1..2], [3..4]]", "true"),
        ("5 in > 3", "true"),
        ("5 in (< 3, > 4)", "true"),
        ("5 in (<= 3, = 4)", "false"),
        ("5 in != 4", "true"),
        ("5 in (? > 4)", "true"),
        ("\"b\" in [\"a\"..\"c\"]", "true"),
        ("@\"2026-01-05\" in [@\"2026-01-01\"..@\"2026-01-31\"]", "true"),
        ("[1] in [[1], [2]]", "true"),
        ("1 in [] or true", "true"),
        ("amount in (100..200) and true", "true"),
        ("amount in numbers", "false"),
        ("1 in (numbers)[2]", "true"),
    ]);
}

#[test]
fn cells() {
    let cases = [
        ("-", "5", true),
        ("5", "5", true),
        ("5", "6", false),
        ("< 10", "5", true),
        ("<= 5, > 100", "5", true),
        ("[1..5]", "5", true),
        ("(1..5)", "5", false),
        ("not(5)", "5", false),
        ("not(1, 2)", "5", true),
        ("not([1..3])", "5", true),
        ("\"a\", \"b\"", "\"b\"", true),
        ("\"a\", \"b\"", "\"c\"", false),
        ("? > 3", "5", true),
        ("? > 3 and ? < 5", "5", false),
        ("not(? > 3)", "5", false),
        ("contains(?, \"x\")", "\"axb\"", true),
        ("true", "true", true),
        ("true", "false", false),
        ("false", "false", true),
        ("null", "null", true),
        ("null", "5", false),
        ("5", "null", false),
        ("< 5", "null", false),
        ("< 5", "\"a\"", false),
        ("amount", "120", true),
        ("< amount", "119", true),
        ("numbers", "2", true),
        ("numbers", "9", false),
        ("some x in numbers satisfies x = ?", "2", true),
        ("-5", "-5", true),
        ("not(yes) or ? = 5", "5", true),
    ];
    for (tests, input, expected) in cases {
        let compiled = UnaryTests::compile(tests).unwrap_or_else(|error| panic!("{tests}: {error}"));
        let input_value = Value::from_json(input).expect("valid JSON");
        let outcome = compiled.evaluate(&input_value, &scope(), &environment()).expect("within the budget");
        assert_eq!(outcome.value, Value::Boolean(expected), "{tests} against {input}");
        assert_eq!(UnaryTests::compile(&compiled.format()).as_ref(), Ok(&compiled), "{tests}");
    }
}
