//! Any text, as expression, as unary tests and as JSON: nothing may panic, and what compiles must come back from
//! its canonical form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidemill_feel::{Budget, CompileOptions, Context, Dialect, Environment, Expression, UnaryTests, Value};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let budget = Budget { steps_max: 20_000, bytes_max: 1 << 20 };
    let environment = Environment::at_millis(1_772_366_400_000).with_budget(budget);
    let scope: Context = [("a", Value::from(3)), ("b", Value::from("x")), ("c", vec![Value::from(1)].into())]
        .into_iter()
        .collect();
    if let Ok(value) = Value::from_json(text) {
        assert_eq!(Value::from_json(&value.to_json()).expect("our own JSON"), value);
    }
    for dialect in [Dialect::Camunda, Dialect::Standard] {
        let known_names = vec!["a b".to_string(), "a-b".to_string()];
        let options = CompileOptions { dialect, known_names, ..CompileOptions::default() };
        if let Ok(expression) = Expression::compile_with(text, &options) {
            let _ = expression.evaluate(&scope, &environment);
            let plain = CompileOptions { dialect, ..CompileOptions::default() };
            let again = Expression::compile_with(&expression.format(), &plain).expect("the canonical form");
            assert!(again == expression, "{text}\n{}", expression.format());
        }
        if let Ok(tests) = UnaryTests::compile_with(text, &options) {
            let _ = tests.evaluate(&Value::from(3), &scope, &environment);
        }
    }
});
