//! Hostile input: budget, nesting, values that grow by sharing. Every test runs on a stack of 2 MB.

use super::environment;
use std::time::{Duration, Instant};
use tidemill_feel::{Budget, EmptyScope, Evaluation, EvaluationError, Expression, Value};

/// Runs on a thread with the stack that servers give their threads.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    thread.join().expect("no panic and no overflow")
}

fn run(text: &str) -> Result<Evaluation, EvaluationError> {
    let text = text.to_string();
    on_small_stack(move || {
        let expression = Expression::compile(&text).unwrap_or_else(|error| panic!("{text:.60}: {error}"));
        expression.evaluate(&EmptyScope, &environment())
    })
}

#[test]
fn endless_work_ends_quickly() {
    let cases = [
        "for x in 1..1000000000 return x",
        "count(for x in 1..1000000000 return x)",
        "some x in 1..1000000000 satisfies x < 0",
        "every x in 1..100000, y in 1..100000 satisfies true",
        "for x in 1..9000000000000000000 return 1",
        "{f: function(x) f(x), r: f(1)}.r",
        "{f: function(g) g(g), r: f(f)}.r",
        "for i in 1..100000 return [partial]",
        "for i in 1..1000 return [partial, partial]",
        "for i in 1..100000 return function() partial",
        "for i in 1..1000 return {a: partial, b: partial}",
    ];
    for text in cases {
        let start = Instant::now();
        let result = run(text);
        let took = start.elapsed();
        assert!(result.is_err(), "{text}: {result:?}");
        // A debug build is some twenty times slower than a release build, which must stay under 50 ms.
        let limit = if cfg!(debug_assertions) { Duration::from_secs(3) } else { Duration::from_millis(50) };
        assert!(took < limit, "{text} took {took:?}");
    }
}

#[test]
fn deep_nesting_is_a_syntax_error() {
    let deep = 100_000;
    let cases = [
        "(".repeat(deep),
        "[".repeat(deep),
        "{a:".repeat(deep),
        "-".repeat(deep),
        "not(".repeat(deep),
        "if ".repeat(deep),
        "if true then ".repeat(deep),
        "for x in ".repeat(deep),
        "function(x) ".repeat(deep),
        "x[".repeat(deep),
        "]1..".repeat(deep),
        "(1..".repeat(deep),
        "x in (".repeat(deep),
        "x instance of ".to_string() + &"list<".repeat(deep),
        "1 = ".repeat(deep),
        "]a..b[".repeat(deep),
        "a[1..b".repeat(deep),
        "a".to_string() + &"[1]".repeat(deep),
        "a".to_string() + &"(1)".repeat(deep),
        "for ".to_string() + &"x in y, ".repeat(deep) + "z in z return 1",
    ];
    for text in cases {
        let shown = text.chars().take(20).collect::<String>();
        let failed = on_small_stack(move || Expression::compile(&text).is_err());
        assert!(failed, "{shown}");
    }
}

/// The widest tree that the nesting limit allows must fit the stack: parse, format, compile, evaluate, drop.
#[test]
fn the_deepest_trees_fit_a_small_stack() {
    let levels = [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{a: ", "1", "}"),
        ("(0 or true and 1 = 2 + 3 * 4 ** -abs(", "1", "))"),
        ("(if ", "true", " then 1 else 2)"),
        ("for x in [1] return ", "1", ""),
        ("some a in [1], b in [2], c in [3] satisfies ", "true", ""),
        ("(function(x) ", "1", ")(1)"),
        ("[1][item = ", "1", "]"),
        ("1 in (1, 2, ", "1", ")"),
        ("{f: function(a) {b: ", "1", "}}.f(1)"),
        ("sort([2, 1], function(x, y) x < ", "1", ")"),
        ("(0 or true and 1 in (2 + 3 * 4 ** -abs([1][", "1", "])))"),
    ];
    for (open, core, close) in levels {
        let mut deepest = 0;
        for depth in 1..=120 {
            let text = open.repeat(depth) + core + &close.repeat(depth);
            let compiled = on_small_stack(move || {
                let Ok(expression) = Expression::compile(&text) else { return false };
                let again = Expression::compile(&expression.format()).expect("the canonical form");
                assert!(again == expression);
                let _ = expression.evaluate(&EmptyScope, &environment());
                true
            });
            if compiled {
                deepest = depth;
            }
        }
        assert!(deepest >= 15, "{open} nests only {deepest} deep");
    }
}

#[test]
fn long_chains_are_not_deep() {
    let count = 20_000;
    let cases = [
        vec!["1"; count].join(" + "),
        vec!["true"; count].join(" and "),
        vec!["2"; count].join(" * "),
        format!("{{}}{}", ".a".repeat(count)),
        format!("[1]{}", "[1]".repeat(200)),
        format!("{}2", "if false then 1 else ".repeat(count)),
        format!("[{}]", vec!["1"; count].join(", ")),
    ];
    for text in cases {
        let result = run(&text);
        assert!(result.is_ok(), "{text:.40}: {result:?}");
    }
}

#[test]
fn recursion_reaches_a_useful_depth() {
    let outcome =
        run("{f: function(n) if n = 0 then 0 else 1 + f(n - 1), r: f(40)}.r").expect("40 calls deep");
    assert_eq!(outcome.value, Value::from(40));
}

#[test]
fn the_budget_counts_the_same_every_time() {
    let expression = Expression::compile("for x in 1..100 return x * 2").expect("valid");
    let with = |steps_max| {
        let budget = Budget { steps_max, ..Budget::default() };
        expression.evaluate(&EmptyScope, &environment().with_budget(budget)).is_ok()
    };
    let needed = (1..2000).find(|steps| with(*steps)).expect("2000 steps are enough");
    assert!((100..1000).contains(&needed), "{needed}");
    assert!(!with(needed - 1) && with(needed));
}

#[test]
fn bytes_are_limited() {
    let budget = Budget { bytes_max: 10_000, ..Budget::default() };
    let environment = environment().with_budget(budget);
    let expression = Expression::compile("for x in 1..10000 return x").expect("valid");
    let error = expression.evaluate(&EmptyScope, &environment).expect_err("too many bytes");
    assert_eq!(error, EvaluationError::BytesExceeded { bytes_max: 10_000 });
}
