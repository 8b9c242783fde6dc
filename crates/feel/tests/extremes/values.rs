//! Values at the edges of what their types can hold.

use std::sync::OnceLock;
use tidemill_feel::{EmptyScope, Environment, Expression, Value};

/// The value of an expression that has no variables.
fn value(text: &str) -> Value {
    let expression = Expression::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let environment = Environment::at_millis(0);
    expression.evaluate(&EmptyScope, &environment).unwrap_or_else(|error| panic!("{text}: {error}")).value
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.5",
    "2",
    "-2.5",
    "63",
    "15000.5",
    "999999999",
    "-999999999",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1E+34",
    "1E-34",
    "1.000000000000000000000000000000001",
    "0.9999999999999999999999999999999999",
    "1E+2000",
    "-1E+2000",
    "1E-2000",
    "1E+6144",
    "-1E+6144",
    "1E-6176",
    "-1E-6176",
    "9.999999999999999999999999999999999E+6144",
    "3.000000000000000000000000000000001E+33",
];

const EXPRESSIONS: &[&str] = &[
    "null",
    "true",
    "\"\"",
    "\"a\"",
    "\"aé😀\\n\"",
    "\"(a*)*b\"",
    "\"(?<=a)(b|a)*\\\\1\"",
    "\"()()()()\"",
    "\"$0$0\"",
    "\"ix\"",
    "\"999999999-12-31\"",
    "\"P999999999999D\"",
    "\"[1..9e9]\"",
    "\"1e999999999999\"",
    "\"{\\\"a\\\":[1]}\"",
    "[]",
    "[1, 2, 3]",
    "[null, \"a\", 1, true]",
    "{}",
    "{a: {b: {c: 1}}}",
    "{key: \"k\", value: 1}",
    "@\"999999999-12-31\"",
    "@\"-999999999-01-01\"",
    "@\"2024-02-29\"",
    "@\"999999999-12-31T23:59:59.999999999@Europe/Paris\"",
    "@\"-999999999-01-01T00:00:00+18:00\"",
    "@\"999999999-12-31T23:59:59\"",
    "@\"23:59:59.999999999-18:00\"",
    "@\"00:00:00@Europe/Paris\"",
    "@\"10:00:00\"",
    "@\"P106751991167300DT15H30M7S\"",
    "-@\"P106751991167300DT15H30M8S\"",
    "@\"PT0.000000001S\"",
    "@\"P768614336404564650Y7M\"",
    "-@\"P768614336404564650Y8M\"",
    "@\"P1Y\"",
    "[1..10]",
    "(-9223372036854775807..9223372036854775807)",
    "(< 5)",
    "(= [1, 2])",
    "[@\"-999999999-01-01\"..@\"999999999-12-31\"]",
    "function(x) x",
    "function(x, y) x < y",
    "sum",
    "sort",
    "string",
];

fn numbers(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| value(&format!("number(\"{text}\")"))).collect()
}

fn nested(depth: usize, open: &str, close: &str) -> Value {
    Value::from_json(&(open.repeat(depth) + "1" + &close.repeat(depth))).expect("as deep as values may be")
}

/// Long and deep ones.
fn large() -> Vec<Value> {
    vec![
        Value::from("ab".repeat(1_000)),
        value("for i in 1..2000 return \"k\""),
        value("for i in 1..1000 return i"),
        value("context(for i in 1..300 return {key: string(i), value: i})"),
        nested(200, "[", "]"),
        nested(200, "{\"a\":", "}"),
        numbers(NUMBERS).into(),
    ]
}

pub(crate) fn all() -> &'static [Value] {
    static ALL: OnceLock<Vec<Value>> = OnceLock::new();
    ALL.get_or_init(|| {
        let plain = EXPRESSIONS.iter().map(|text| value(text));
        numbers(NUMBERS).into_iter().chain(plain).chain(large()).collect()
    })
}

/// Few enough for all combinations of three.
pub(crate) fn few() -> &'static [Value] {
    static FEW: OnceLock<Vec<Value>> = OnceLock::new();
    FEW.get_or_init(|| {
        let plain = ["null", "\"a\"", "\"(a*)*b\"", "[1, 2, 3]", "{a: {b: 1}}", "function(x, y) x < y"];
        let dates = ["@\"999999999-12-31\"", "-@\"P106751991167300DT15H30M8S\""];
        let plain = plain.into_iter().chain(dates).map(value);
        let extreme = ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1E+6144", "1E-6176"];
        let deep = large().into_iter().filter(|value| value.depth() > 100 || value.as_list().is_some());
        numbers(&extreme).into_iter().chain(plain).chain(deep).collect()
    })
}
