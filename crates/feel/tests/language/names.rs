//! Names: known ones with blanks and operators, backticks, declared ones, and what an expression reads.

use super::{check_both, environment, scope};
use tidemill_feel::{CompileOptions, Context, Dialect, Expression, Value};

fn known(names: &[&str]) -> CompileOptions {
    let known_names = names.iter().map(|name| name.to_string()).collect();
    CompileOptions { dialect: Dialect::Standard, known_names, ..CompileOptions::default() }
}

fn evaluate_known(text: &str, variables: &[(&str, i64)]) -> Value {
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let expression = Expression::compile_with(text, &known(&names)).expect(text);
    let scope: Context = variables.iter().copied().collect();
    expression.evaluate(&scope, &environment()).expect(text).value
}

#[test]
fn known_names_are_matched_longest_first() {
    let variables = [
        ("Monthly Salary", 10),
        ("Monthly", 1),
        ("Pre-bureauRiskCategory", 2),
        ("Approved/Declined", 3),
        ("a+b", 4),
    ];
    let cases = [
        ("Monthly Salary * 2", 20),
        ("Monthly   Salary * 2", 20),
        ("Monthly * 2", 2),
        ("Pre-bureauRiskCategory + 1", 3),
        ("Approved/Declined", 3),
        ("a+b", 4),
        ("{r: Monthly Salary}.r", 10),
        ("sum([Monthly Salary, Monthly])", 11),
    ];
    for (text, expected) in cases {
        assert_eq!(evaluate_known(text, &variables), Value::from(expected), "{text}");
    }
}

#[test]
fn names_that_are_not_known_are_arithmetic() {
    assert_eq!(evaluate_known("a-b", &[("a", 5), ("b", 3)]), Value::from(2));
}

#[test]
fn names_of_several_words_are_declared_by_the_expression() {
    check_both(&[
        ("{total price: 3, r: total price + 1}.r", "4"),
        ("{\"total price\": 3, r: total price + 1}.r", "4"),
        ("{a-b: 3}", "{\"a-b\": 3}"),
        ("for Line Item in [1, 2] return Line Item * 2", "[2, 4]"),
        ("some Line Item in [1, 2] satisfies Line Item = 2", "true"),
        ("(function(first name) first name)(1)", "1"),
        ("{f: function(first name) first name, r: f(first name: 2)}.r", "2"),
        ("`Monthly Salary` + 1", "1001"),
        ("date + 1", "8"),
        ("date and true", "null"),
        ("{in: 1}.in", "1"),
        ("{\"a b\": 1}.`a b`", "1"),
        ("{größe: 1, r: größe}.r", "1"),
    ]);
}

/// Names with the first segments that are read of them.
type Reads = &'static [(&'static str, &'static [&'static str])];

#[test]
fn an_expression_tells_what_it_reads() {
    let cases: [(&str, Reads); 8] = [
        ("a + b", &[("a", &[]), ("b", &[])]),
        ("a.b.c + a.d", &[("a", &["b", "d"])]),
        ("a.b + count(a)", &[("a", &[])]),
        ("{x: 1, y: x + z}", &[("z", &[])]),
        ("for i in items return i.price * rate", &[("items", &[]), ("rate", &[])]),
        ("items[price > 1]", &[("items", &[]), ("price", &[])]),
        ("{f: function(x) x + y.z, r: f(1)}.r", &[("y", &["z"])]),
        ("1 + 1", &[]),
    ];
    for (text, expected) in cases {
        let expression = Expression::compile(text).expect(text);
        let found: Vec<(&str, Vec<&str>)> = expression
            .variables()
            .iter()
            .map(|variable| (variable.name.as_str(), variable.segments.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(name, segments)| (*name, segments.to_vec())).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_known_name_may_shadow_a_built_in() {
    let scope: Context = [("abs", Value::from(3))].into_iter().collect();
    let expression = Expression::compile("abs + 1").expect("valid");
    assert_eq!(expression.evaluate(&scope, &environment()).expect("in budget").value, Value::from(4));
    let expression = Expression::compile("abs(-3)").expect("valid");
    assert_eq!(
        expression.evaluate(&super::scope(), &environment()).expect("in budget").value,
        Value::from(3)
    );
    assert!(!scope.is_empty() && !self::scope().is_empty());
}

#[test]
fn known_types_stand_for_what_the_model_declares() {
    let declared = [
        ("tPerson", "context<name: string, age: tAge>"),
        ("tAge", "number"),
        ("List of People", "list<tPerson>"),
        ("tEndless", "context<a: tEndless, b: tEndless>"),
    ];
    let known_types = declared.map(|(name, text)| (name.to_string(), text.to_string())).to_vec();
    let options = CompileOptions { dialect: Dialect::Standard, known_types, ..CompileOptions::default() };
    for (text, expected) in [
        (r#"{name: "Ann", age: 7} instance of tPerson"#, Value::from(true)),
        (r#"{name: "Ann", age: "7"} instance of tPerson"#, Value::from(false)),
        (r#"[{name: "Ann", age: 7}] instance of List of People"#, Value::from(true)),
        (r#"(function(a: tAge) a + 1)([1])"#, Value::from(2)),
        (r#"(function(a: tAge) a + 1)("x")"#, Value::Null),
        (r#"{a: 1} instance of tEndless"#, Value::from(false)),
        (r#"1 instance of tUnknown"#, Value::Null),
    ] {
        let expression = Expression::compile_with(text, &options).expect(text);
        assert_eq!(expression.evaluate(&scope(), &environment()).expect(text).value, expected, "{text}");
    }
}
