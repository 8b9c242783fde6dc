//! Hostile values and functions: large and deep JSON, patterns that backtrack, texts that explode, numbers out of range.
//! Each ends soon, with a value or with an error of the budget.

use super::{environment, evaluate};
use std::time::{Duration, Instant};
use tidemill_feel::{
    CompileOptions, Dialect, EmptyScope, Evaluation, EvaluationError, Expression, Lookup, Scope, Value,
};

/// One variable, `v`, as text.
struct Text(String);

impl Scope for Text {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        (name == "v").then_some(Lookup::Json(&self.0))
    }
}

fn run(text: &str, scope: &dyn Scope) -> Result<Evaluation, EvaluationError> {
    let expression = Expression::compile(text).unwrap_or_else(|error| panic!("{text:.60}: {error}"));
    let start = Instant::now();
    let result = expression.evaluate(scope, &environment());
    // A debug build is some twenty times slower than a release build.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 5000 } else { 250 });
    assert!(start.elapsed() < limit, "{text:.80} took {:?}", start.elapsed());
    result
}

#[test]
fn deep_json_is_refused_without_overflow() {
    for open in ["[", "{\"p\":", "[{\"p\":"] {
        let scope = Text(open.repeat(100_000));
        for text in ["v", "v.p", "v.p.p", "v[p > 1]", "v[1]", "for x in v return x"] {
            let result = run(text, &scope);
            assert!(matches!(result, Err(EvaluationError::Variable { .. })), "{open} {text}: {result:?}");
        }
    }
    let closed = Text("[".repeat(100_000) + &"]".repeat(100_000));
    assert!(matches!(run("v", &closed), Err(EvaluationError::Variable { .. })));
    assert!(run("v[p > 1]", &closed).is_err());
}

#[test]
fn a_large_variable_is_read_or_refused() {
    let line = r#"{"name":"a line of text that is not so short","p":12},"#;
    let lines = 10_000_000 / line.len();
    let scope = Text(format!("[{}{{\"p\":1}}]", line.repeat(lines)));
    assert_eq!(run("count(v[p < 10])", &scope).expect("one is kept").value, Value::from(1));
    assert_eq!(run("count(v)", &scope).expect("within the bytes").value, Value::from(lines as i64 + 1));
    let larger = Text(format!("[{}1]", "[],".repeat(1 << 20)));
    assert!(matches!(run("v", &larger), Err(EvaluationError::BytesExceeded { .. })));
}

#[test]
fn patterns_that_backtrack_end() {
    let long = "a".repeat(5000);
    for pattern in [
        "(a*)*b",
        "(a|a)*b",
        "^(a+)+$b",
        r"(a*)*\\1b",
        r"((a*)*)*\\2c",
        r"(?=(a*)*c)\\1",
        r"(.*)(.*)(.*)\\1\\2x",
    ] {
        for call in [
            format!("matches(\"{long}\", \"{pattern}\")"),
            format!("replace(\"{long}\", \"{pattern}\", \"$0$0\")"),
        ] {
            match run(&call, &EmptyScope) {
                Ok(outcome) => assert!(!matches!(outcome.value, Value::Boolean(true)), "{pattern}"),
                Err(error) => {
                    assert!(matches!(error, EvaluationError::StepsExceeded { .. }), "{pattern}: {error}")
                }
            }
        }
    }
}

#[test]
fn texts_that_explode_meet_the_budget() {
    let doubled = |times: usize| {
        format!("{}\"ab\"{}", "replace(".repeat(times), ", \"[ab]\", \"$0$0$0$0$0$0$0$0\")".repeat(times))
    };
    let cases = [
        doubled(12),
        "{l: for i in 1..1000 return \"xxxxxxxxxx\", t: string join(l), r: string join(for i in 1..10000 return t)}.r".to_string(),
        "{t: string join(for i in 1..10000 return \"x\"), r: string join(for i in 1..10000 return \"\", t)}.r".to_string(),
        "{t: string join(for i in 1..10000 return \"x\"), r: replace(t, \"x\", t)}.r".to_string(),
        "{t: string join(for i in 1..10000 return \"x\"), r: for i in 1..10000 return split(t, \"\")}.r".to_string(),
    ];
    for text in cases {
        let result = run(&text, &EmptyScope);
        let refused = matches!(
            result,
            Err(EvaluationError::BytesExceeded { .. } | EvaluationError::StepsExceeded { .. })
        );
        assert!(refused, "{text:.80}: {result:?}");
    }
}

#[test]
fn numbers_out_of_range_are_null() {
    for text in [
        "10**1000000",
        "number(\"1e6144\") * 10",
        "10**6145",
        "-(10**3100)**2",
        "exp(1000000)",
        "2**(2**62)",
        "number(\"1e99999999999\")",
    ] {
        let outcome = run(text, &EmptyScope).expect("a value");
        assert!(outcome.value.is_null() && !outcome.warnings.is_empty(), "{text}: {outcome:?}");
    }
    let cases = [
        ("10**-1000000", "0"),
        ("number(\"1e6144\") = 10 * number(\"1e6143\")", "true"),
        ("0.1 + 0.2", "0.3"),
        ("1**1000000000", "1"),
    ];
    for (text, expected) in cases {
        assert_eq!(run(text, &EmptyScope).expect("a value").value.to_string(), expected, "{text}");
    }
}

#[test]
fn ranges_as_arguments() {
    for dialect in [Dialect::Camunda, Dialect::Standard] {
        let cases = [
            ("before([1..5], 10)", "true"),
            ("includes([1..10], [2..5])", "true"),
            ("(function(r) 3 in r)([1..5])", "true"),
            ("overlaps(]1..5[, [5..9])", "false"),
            ("string([1..3])", "[1..3]"),
        ];
        for (text, expected) in cases {
            assert_eq!(evaluate(dialect, text).value.to_string(), expected, "{text}");
        }
        for text in ["abs([1..1000000000])", "sum([1..1000000000])", "string join([1..1000000000])"] {
            assert!(evaluate(dialect, text).value.is_null(), "{text}");
        }
    }
}

#[test]
fn brackets_without_end_need_little_stack() {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let thread = thread.spawn(|| {
        for dialect in [Dialect::Camunda, Dialect::Standard] {
            let options = CompileOptions { dialect, ..CompileOptions::default() };
            for open in ["(", "[", "{a:"] {
                assert!(Expression::compile_with(&open.repeat(100_000), &options).is_err());
            }
        }
    });
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn the_seed_alone_decides_what_is_random() {
    let expression = Expression::compile("[uuid(), uuid(), random number()]").expect("valid");
    let with = |seed| {
        expression.evaluate(&EmptyScope, &environment().with_seed(seed)).expect("a value").value.to_json()
    };
    assert_eq!(with(7), with(7));
    assert_ne!(with(7), with(8));
}

/// One step must not stand for unbounded work, whatever pattern and text meet.
#[test]
fn patterns_cost_what_they_take() {
    let long = Text(format!("\"{}\"", "a".repeat(1 << 20)));
    let cases = [
        r#"matches(v, "(?<=a)b")"#,
        r#"matches(v, "(?<!b)b")"#,
        r#"matches(v, "(a*)\\1b\\1")"#,
        r#"count(split(v, "(?=a)"))"#,
        r#"count(for i in 1..100000 return matches("a", "\\w{90}" + string(i)))"#,
        r#"count(for i in 1..100000 return matches("a", "\\w{9000}" + string(i)))"#,
        r#"matches("a", "(?=a)(?:(?:(?:(?:){9999}){9999}){9999}){9999}")"#,
        r#"matches("a", "(?:(?:(?:(?:){9999}){9999}){9999}){9999}")"#,
        r#"matches("a", "(?=a)(?:(?:(?:a{9999}){9999}){9999}){9999}")"#,
    ];
    for text in cases {
        let _ = run(text, &long);
    }
    let many = Text(format!("\"{}\"", "a".repeat(20_000)));
    for count in [199, 10_000] {
        let groups = "()".repeat(count);
        for call in [
            format!("string length(replace(v, \"{groups}\", \"b\"))"),
            format!("count(extract(v, \"(?=a){groups}\"))"),
        ] {
            let result = run(&call, &many);
            assert!(result.is_err() || count > 200, "{count} groups");
        }
    }
}

#[test]
fn a_pattern_in_a_loop_is_paid_for_once() {
    let outcome = run(r#"count(for i in 1..10000 return matches("abc", "\\w+\\d*"))"#, &EmptyScope);
    assert_eq!(outcome.expect("within the budget").value, Value::from(10_000));
}

#[test]
fn entries_that_are_missing_again_and_again_cost_little() {
    let entries: Vec<String> = (0..20_000).map(|n| format!("\"some key {n}\":{n}")).collect();
    let scope = Text(format!("{{{}}}", entries.join(",")));
    let outcome = run("{c: v, r: count(for i in 1..30000 return c.some_key)}.r", &scope).expect("a value");
    assert_eq!(outcome.value, Value::from(30_000));
    assert_eq!(outcome.warnings.len(), 32);
}
