//! Work and memory are counted for what they really are, and no recursion outgrows a small stack.

use crate::on_small_stack;
use tidemill_feel::{
    Budget, CompileOptions, Dialect, EmptyScope, Environment, EvaluationError, Expression, Lookup, Scope,
    Spent, Value,
};

/// One variable, `x`, as JSON text.
struct Json(String);

impl Scope for Json {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        (name == "x").then_some(Lookup::Json(&self.0))
    }
}

fn evaluate(text: &str, x: String) -> (Result<Value, EvaluationError>, Spent) {
    let expression = Expression::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (result, spent) = expression.evaluate_counted(&Json(x), &Environment::at_millis(0));
    (result.map(|outcome| outcome.value), spent)
}

fn text_of(bytes: usize, part: &str) -> String {
    format!("\"{}\"", part.repeat(bytes / part.len()))
}

/// Patterns that need more states than there is room for: all their places are followed for each byte of the text.
#[test]
fn a_pattern_of_many_states_pays_for_its_size_and_the_length_of_the_text() {
    for pattern in
        ["[ab]*a[ab]{200}c", "([ab]*a[ab]{200})c", "[ab]*a[ab]{100}([ab]{100})c", "c[ab]{200}a[ab]*"]
    {
        for call in [
            "matches(x, PATTERN)",
            "count(split(x, PATTERN))",
            "replace(x, PATTERN, \"\")",
            "count(extract(x, PATTERN))",
        ] {
            let text = call.replace("PATTERN", &format!("\"{pattern}\""));
            let (result, _) = evaluate(&text, text_of(1 << 20, "abbaab"));
            assert!(matches!(result, Err(EvaluationError::StepsExceeded { .. })), "{text}: {result:?}");
            let (result, spent) = evaluate(&text, text_of(10_000, "abbaab"));
            assert!(result.is_ok(), "{text}: {result:?}");
            assert!(spent.steps > 10_000 * 200 / 4, "{text}: {} steps", spent.steps);
        }
    }
}

#[test]
fn a_pattern_of_few_states_goes_over_a_long_text() {
    for pattern in
        ["error code [0-9]+", "[a-z]+@[a-z]+[.]com", "(foo|bar|baz|qux){3}", "[0-9]{4}-[0-9]{2}-[0-9]{2}"]
    {
        let text = format!("matches(x, \"{pattern}\")");
        let (result, spent) = evaluate(&text, text_of(1 << 20, "lorem ipsum dolor "));
        assert_eq!(result, Ok(Value::from(false)), "{text}");
        assert!(spent.steps < 100_000, "{text}: {} steps", spent.steps);
    }
    // Letters beyond ASCII and the borders of words.
    let (result, _) = evaluate("matches(x, \"\\\\bübermut\\\\b\")", text_of(1 << 17, "käse und brot "));
    assert_eq!(result, Ok(Value::from(false)));
}

#[test]
fn short_texts_cost_little_whatever_the_pattern() {
    let (result, spent) = evaluate("matches(x, \"[ab]*a[ab]{20}c\")", text_of(60, "abbaab"));
    assert_eq!(result, Ok(Value::from(false)));
    assert!(spent.steps < 4_000, "{} steps", spent.steps);
}

/// An item takes in memory at least a value of 24 bytes, and 48 for each collection.
#[test]
fn a_value_is_charged_what_it_takes_in_memory() {
    for (item, bytes) in [("1", 24), ("[]", 72), ("{}", 72), ("[1]", 96), ("{\"a\":1}", 96), ("null", 24)] {
        let count = 10_000;
        let list = format!("[{}]", vec![item; count].join(","));
        let cases = [
            ("count(x)", list.clone()),
            ("count(x.y)", format!("{{\"y\":{list}}}")),
            ("count(from json(x))", format!("\"{}\"", list.replace('"', "\\\""))),
            ("count(x[a = 1]) + count(x)", list),
        ];
        for (text, x) in cases {
            let (result, spent) = evaluate(text, x);
            assert!(result.is_ok(), "{text} of {item}: {result:?}");
            assert!(spent.bytes >= count as u64 * bytes, "{text} of {item}: {} bytes", spent.bytes);
        }
    }
}

#[test]
fn the_largest_variables_can_be_read_but_not_those_that_explode() {
    let large = |item: &str| {
        let count = (4 << 20) / (item.len() + 1);
        format!("[{}]", vec![item; count].join(","))
    };
    let order = r#"{"id":1234567,"name":"a customer","amount":12.50,"open":true}"#;
    for item in [order, "\"some text of a common length\"", "12345678", "1"] {
        let (result, _) = evaluate("count(x) > 0", large(item));
        assert_eq!(result, Ok(Value::from(true)), "{item}");
    }
    for item in ["[]", "{}", "[[]]"] {
        for text in ["count(x)", "count(x[a = 1])", "x.a"] {
            let (result, _) = evaluate(text, large(item));
            assert!(
                matches!(result, Err(EvaluationError::BytesExceeded { .. })),
                "{text} of {item}: {result:?}"
            );
        }
    }
}

/// A function that calls itself from within every construct. The count of levels must end it before the stack does.
#[test]
fn recursion_through_every_construct_ends_before_the_stack() {
    let bodies = [
        "CALL",
        "1 + CALL",
        "-CALL",
        "[CALL]",
        "{a: CALL}",
        "{a: CALL}.a",
        "if CALL then 1 else 2",
        "if true then CALL else 2",
        "for i in [1] return CALL",
        "for i in CALL return 1",
        "some i in [1] satisfies CALL",
        "every i in [1], j in [2] satisfies CALL",
        "[1][CALL]",
        "[1][item = CALL]",
        "[CALL][1]",
        "2 in (1, CALL)",
        "1 in [CALL..2]",
        "CALL between 1 and 2",
        "CALL instance of number",
        "abs(CALL)",
        "string join([string(CALL)])",
        "sort([1, 2], function(x, y) CALL)",
        "sort(list: [1, 2], precedes: function(x, y) CALL < 1)",
        "(function(x) x)(CALL)",
        "(function() CALL)()",
        "{g: function() CALL, r: g()}.r",
        "not(CALL)",
        "true and CALL",
        "[[[CALL]]]",
        "{a: {b: {c: [CALL]}}}",
    ];
    for body in bodies {
        on_small_stack(move || {
            for dialect in [Dialect::Camunda, Dialect::Standard] {
                let function = format!("function(f) {}", body.replace("CALL", "f(f)"));
                let text = format!("({function})({function})");
                let options = CompileOptions { dialect, ..CompileOptions::default() };
                let expression =
                    Expression::compile_with(&text, &options).unwrap_or_else(|e| panic!("{text}: {e}"));
                let budget = Budget { steps_max: 10_000_000, ..Budget::default() };
                let environment = Environment::at_millis(0).with_budget(budget);
                let result = expression.evaluate(&EmptyScope, &environment);
                assert!(matches!(result, Err(EvaluationError::DepthExceeded { .. })), "{text}: {result:?}");
            }
        });
    }
}
