//! A filter over JSON text reads only what it must. It has to give what the same filter gives over values: the same
//! items, warnings and steps, in both dialects.

use proptest::prelude::*;
use tidemill_feel::{
    Budget, CompileOptions, Context, Dialect, Environment, EvaluationError, Expression, Lookup, Scope, Value,
    Warning,
};

/// One variable, `items`, as text.
struct Items<'a>(&'a str);

impl Scope for Items<'_> {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        (name == "items").then_some(Lookup::Json(self.0))
    }

    fn names(&self) -> Vec<String> {
        vec!["items".to_string()]
    }
}

/// A key as JSON may write it; two of them are the same key.
fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""p""#,
        r#""\u0070""#,
        r#""q""#,
        r#""p\n""#,
        r#""a long key, \"quoted\"""#,
        r#""""#,
    ])
}

fn scalar() -> impl Strategy<Value = String> {
    let fixed = vec![
        "null",
        "true",
        "10",
        "10.0",
        "1e1",
        "-0",
        "9",
        "11",
        "-11",
        "10.000000000000000000001",
        "1E+3",
        "9223372036854775808",
        "999999999999999999",
        "1000000000000000000",
        r#""10""#,
        r#""open""#,
        r#""op\u0065n""#,
        r#""\ud83d\ude00 \\ \" }],{[""#,
        r#""a text of more than twenty-three bytes, é""#,
        "[]",
        "{}",
        "[10]",
        r#"{"p":10}"#,
        r#"[[{"p":["]"]}]]"#,
    ];
    prop_oneof![
        prop::sample::select(fixed).prop_map(str::to_string),
        (-20i64..20).prop_map(|n| n.to_string())
    ]
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "", " ", "\n\t "])
}

fn element() -> impl Strategy<Value = String> {
    let entry =
        (blank(), key(), blank(), blank(), scalar()).prop_map(|(before, key, middle, after, value)| {
            format!("{before}{key}{middle}:{after}{value}{before}")
        });
    let object = prop::collection::vec(entry, 0..5).prop_map(|entries| format!("{{{}}}", entries.join(",")));
    let like = (-20i64..20, 0u8..100).prop_map(|(p, q)| format!(r#"{{"q":"item {q}","p":{p}}}"#));
    prop_oneof![2 => object, 2 => like, 1 => scalar()]
}

fn array() -> impl Strategy<Value = String> {
    let elements = prop::collection::vec((blank(), element()), 0..12);
    (blank(), elements).prop_map(|(blank, elements)| {
        let elements: Vec<String> =
            elements.into_iter().map(|(before, text)| format!("{before}{text}{before}")).collect();
        format!("{blank}[{blank}{}]{blank}", elements.join(","))
    })
}

type Seen = Result<(String, Vec<Warning>), EvaluationError>;

fn run(expression: &Expression, scope: &dyn Scope, steps_max: u64) -> Seen {
    let budget = Budget { steps_max, ..Budget::default() };
    let outcome = expression.evaluate(scope, &Environment::at_millis(0).with_budget(budget))?;
    Ok((outcome.value.to_json(), outcome.warnings))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2048) })]

    #[test]
    fn text_and_values_are_filtered_alike(
        text in prop_oneof![9 => array(), 1 => element()],
        name in prop::sample::select(vec!["p", "q", "item.p", "p.p", "item"]),
        operator in prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]),
        constant in prop::sample::select(vec!["10", "10.0", "-11", "\"open\"", "\"10\"", "null", "true", "[10]"]),
        standard in any::<bool>(),
        steps_max in prop_oneof![Just(1_000_000u64), 1u64..40],
    ) {
        let dialect = if standard { Dialect::Standard } else { Dialect::Camunda };
        let options = CompileOptions { dialect, ..CompileOptions::default() };
        let condition = format!("items[{name} {operator} {constant}]");
        let expression = Expression::compile_with(&condition, &options).expect("valid");
        let values = Context::from_iter([("items", Value::from_json(&text).expect("valid JSON"))]);
        prop_assert_eq!(
            run(&expression, &Items(&text), steps_max), run(&expression, &values, steps_max), "{} {}", condition, text
        );
    }
}

#[test]
fn what_is_kept_comes_out_as_it_was_written() {
    let text =
        r#"[{"z":"\u0001\"é","p":11,"a":1.50},{"p":9},{"p":12,"n":1234567890123456789012345678901234}]"#;
    let expression = Expression::compile("items[p > 10]").expect("valid");
    let kept = r#"[{"z":"\u0001\"é","p":11,"a":1.50},{"p":12,"n":1234567890123456789012345678901234}]"#;
    assert_eq!(run(&expression, &Items(text), 1000), Ok((kept.to_string(), Vec::new())));
}

#[test]
fn objects_written_alike_are_filtered_as_values_are() {
    let rows = [
        r#"{"p":1,"q":"x","p":#}"#,
        r#"{"\u0070":#,"q":null}"#,
        r#"{ "q" : true, "p" : # , "r": false}"#,
        r#"{"q":"é \n","p":#}"#,
        r#"{"q":[{"p":1}],"p":#,"r":2.50}"#,
        r#"{"q":-0,"p":#,"r":1e2}"#,
    ];
    let expression = Expression::compile("items[p > 10]").expect("valid");
    for row in rows {
        let items: Vec<String> = (8..14).map(|p| row.replace('#', &p.to_string())).collect();
        let text = format!("[{}]", items.join(","));
        let values = Context::from_iter([("items", Value::from_json(&text).expect("valid JSON"))]);
        let seen = run(&expression, &Items(&text), 1000);
        assert_eq!(seen, run(&expression, &values, 1000), "{text}");
        let kept = Value::from_json(&format!("[{}]", items[3..].join(","))).expect("valid JSON");
        assert_eq!(seen, Ok((kept.to_json(), Vec::new())), "{text}");
        let outcome = expression.evaluate(&Items(&text), &Environment::at_millis(0)).expect("valid JSON");
        assert_eq!((outcome.value.depth(), outcome.value.weight()), (kept.depth(), kept.weight()), "{text}");
    }
}

#[test]
fn broken_text_is_an_error_wherever_it_breaks() {
    let whole = r#" [{"q":"x","p":11},{"p":9,"q":[{"r":"\\"}]}] "#;
    let expression = Expression::compile("items[p > 10]").expect("valid");
    for end in 1..whole.trim_end().len() {
        let broken = run(&expression, &Items(&whole[..end]), 1000);
        assert!(matches!(broken, Err(EvaluationError::Variable { .. })), "{}: {broken:?}", &whole[..end]);
    }
    for text in
        ["[{\"p\":11,}]", "[{\"p\":11} {\"p\":12}]", "[{p:11}]", "[,]", "[{\"p\":11}]]", "[{\"p\":11}] 1"]
    {
        assert!(run(&expression, &Items(text), 1000).is_err(), "{text}");
    }
}
