//! Properties over random expressions and values: the canonical form means the same, nothing panics, the outcome is
//! always the same, JSON comes back.

use proptest::prelude::*;
use tidemill_feel::{
    Budget, CompileOptions, Context, Dialect, Environment, Expression, Lookup, Number, Scope, UnaryTests,
    Value,
};

fn environment() -> Environment {
    let budget = Budget { steps_max: 20_000, bytes_max: 1 << 20 };
    Environment::at_millis(1_772_366_400_000).with_budget(budget).with_seed(7)
}

fn scope() -> Context {
    let text = r#"{"a": 3, "b": "text", "c": [1, "x", null, {"d": 2}], "d": {"a": true}, "e": -0.5}"#;
    Value::from_json(text).expect("valid JSON").as_context().expect("an object").clone()
}

/// The same variables, as texts.
struct Texts(Vec<(String, String)>);

impl Scope for Texts {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, text)| Lookup::Json(text))
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }
}

fn texts(variables: &Context) -> Texts {
    Texts(variables.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect())
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_string()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i32>().prop_map(|value| value.to_string()),
        (any::<i64>(), 0u32..20).prop_map(|(digits, scale)| {
            Number::decimal(i128::from(digits), -(scale as i32)).expect("in range").to_string()
        }),
        "[a-e]".prop_map(|name| name),
        "[a-e]".prop_map(|name| format!("`{name} {name}`")),
        "\"[a-z é😀]{0,4}\"".prop_map(|text| text),
        Just("\"\\n\\\"\\u00e9\"".to_string()),
        Just("@\"2026-02-28\"".to_string()),
        Just("@\"2026-02-28T10:00:00@Europe/Berlin\"".to_string()),
        Just("@\"PT1H\"".to_string()),
        Just("@\"P1Y2M\"".to_string()),
        Just("item".to_string()),
        Just("date".to_string()),
        Just("?".to_string()),
    ]
}

/// Texts of expressions in which everything may meet everything.
fn expression() -> impl Strategy<Value = String> {
    leaf().prop_recursive(5, 60, 4, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "**", "=", "!=", "<", "<=", ">", ">=", "and", "or", "in",
        ]);
        let function = prop::sample::select(vec![
            "not",
            "count",
            "sum",
            "string",
            "string length",
            "abs",
            "sort",
            "append",
            "flatten",
            "date",
            "number",
            "split",
            "matches",
            "replace",
            "context put",
            "get entries",
            "mean",
            "mode",
            "index of",
            "substring",
            "range",
            "before",
            "overlaps",
            "distinct values",
            "duration",
            "date and time",
            "time",
            "list replace",
        ]);
        let kind = prop::sample::select(vec![
            "number",
            "list<string>",
            "context<a: number>",
            "date and time",
            "range",
        ]);
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "and", "or"]), inner.clone())
                .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            pair.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), "[a-e]").prop_map(|(a, name)| format!("({a}).{name}")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("({a})")),
            (inner.clone(), kind).prop_map(|(a, kind)| format!("({a}) instance of {kind}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("if {a} then {b} else {c}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) between ({b}) and ({c})")),
            ("[a-e]", inner.clone(), inner.clone())
                .prop_map(|(x, a, b)| format!("for {x} in {a} return {b}")),
            ("[a-e]", pair.clone(), inner.clone())
                .prop_map(|(x, (a, b), c)| format!("some {x} in ({a})..({b}) satisfies {c}")),
            ("[a-e]", inner.clone(), inner.clone())
                .prop_map(|(x, a, b)| format!("every {x} in {a} satisfies {b}")),
            pair.clone().prop_map(|(a, b)| format!("[{a}, {b}]")),
            pair.clone().prop_map(|(a, b)| format!("[({a})..({b}))")),
            ("[a-e]", inner.clone(), inner.clone())
                .prop_map(|(k, a, b)| format!("{{{k}: {a}, \"x y\": {b}}}")),
            ("[a-e]", inner.clone(), inner.clone()).prop_map(|(x, a, b)| format!("(function({x}) {a})({b})")),
            (function.clone(), inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (function.clone(), pair.clone()).prop_map(|(f, (a, b))| format!("{f}({a}, {b})")),
            (function, pair, inner.clone()).prop_map(|(f, (a, b), c)| format!("{f}({a}, {b}, {c})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a}) in (< ({b}), [1..2])")),
        ]
    })
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (any::<i128>(), -30i32..30).prop_map(|(digits, exponent)| Number::decimal(digits, exponent).into()),
        ".{0,30}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..16)
                .prop_map(|entries| entries.into_iter().collect::<Context>().into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn the_canonical_form_means_the_same(text in expression(), standard in any::<bool>()) {
        let dialect = if standard { Dialect::Standard } else { Dialect::Camunda };
        let options = CompileOptions { dialect, ..CompileOptions::default() };
        // `a and b or c = d` may chain comparisons, which is no expression.
        if let Ok(expression) = Expression::compile_with(&text, &options) {
            let canonical = expression.format();
            let again = Expression::compile_with(&canonical, &options)
                .unwrap_or_else(|error| panic!("{text}\n{canonical}\n{error}"));
            prop_assert!(again == expression, "{text}\n{canonical}\n{}", again.format());
            prop_assert_eq!(again.format(), canonical);
        }
        if let Ok(tests) = UnaryTests::compile_with(&text, &options) {
            let canonical = tests.format();
            let again = UnaryTests::compile_with(&canonical, &options)
                .unwrap_or_else(|error| panic!("{text}\n{canonical}\n{error}"));
            prop_assert!(again == tests, "{text}\n{canonical}");
        }
    }

    #[test]
    fn evaluation_never_panics_and_is_always_the_same(text in expression(), standard in any::<bool>()) {
        let dialect = if standard { Dialect::Standard } else { Dialect::Camunda };
        let options = CompileOptions { dialect, ..CompileOptions::default() };
        if let Ok(expression) = Expression::compile_with(&text, &options) {
            let run = || expression.evaluate(&scope(), &environment()).map(|outcome| {
                (outcome.value.to_json(), outcome.value.to_string(), outcome.warnings)
            });
            prop_assert_eq!(run(), run());
        }
    }

    #[test]
    fn text_and_values_give_the_same(
        items in prop::collection::vec(json(), 0..8),
        name in "[a-c]",
        operator in prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]),
        constant in prop::sample::select(vec!["0", "-5.5", "\"a\"", "null", "true"]),
        key in "[a-c]",
    ) {
        let items: Vec<Value> = items
            .into_iter()
            .enumerate()
            .map(|(index, value)| match index % 3 {
                0 => value,
                1 => Context::from_iter([(key.clone(), value)]).into(),
                _ => Context::from_iter([("z".to_string(), value), (key.clone(), Value::from(index as i64))]).into(),
            })
            .collect();
        let variables = Context::from_iter([("items", Value::from(items)), ("c", Value::from(1))]);
        let texts = texts(&variables);
        for text in [format!("items[{name} {operator} {constant}]"), format!("items.{name}"), format!("items[1].{key}.z")] {
            let expression = Expression::compile(&text).expect("valid");
            let run = |scope: &dyn Scope| {
                let outcome = expression.evaluate(scope, &environment()).expect("within the budget");
                (outcome.value.to_json(), outcome.warnings)
            };
            prop_assert_eq!(run(&variables), run(&texts), "{}", text);
        }
    }

    #[test]
    fn any_text_compiles_or_tells_where_it_fails(text in "[ -~é\\n]{0,40}") {
        if let Err(error) = Expression::compile(&text) {
            let lines = text.split('\n').count() as u32;
            prop_assert!(error.line >= 1 && error.line <= lines);
            let line = text.split('\n').nth(error.line as usize - 1).expect("the line exists");
            prop_assert!(error.column >= 1 && error.column as usize <= line.chars().count() + 1);
        }
    }

    #[test]
    fn json_comes_back(value in json()) {
        let text = value.to_json();
        let again = Value::from_json(&text).expect("our own JSON");
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(again.to_json(), text);
    }
}
