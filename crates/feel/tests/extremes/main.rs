//! Every built-in and every operator with every combination of extreme values: each ends within its budget with a
//! value, null or an error, on a small stack, and nothing panics in a build that checks for overflow.

mod values;
mod work;

use std::time::{Duration, Instant};
use tidemill_feel::{
    Budget, Builtin, CompileOptions, Dialect, Environment, Expression, Lookup, Scope, Value, builtins,
};
use values::{all, few};

/// A quarter of the smallest stack that servers give their threads, 2 MB, in a build whose frames are several times as
/// large as theirs.
const STACK_BYTES: usize = 512 * 1024;
const NAMES: [&str; 3] = ["a1", "a2", "a3"];

struct Arguments<'a>(&'a [Value]);

impl Scope for Arguments<'_> {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        let place = NAMES.iter().position(|known| *known == name)?;
        Some(Lookup::Value(self.0.get(place)?.clone()))
    }
}

fn environment() -> Environment {
    let budget = Budget { steps_max: 4_000, bytes_max: 1 << 20 };
    Environment::at_millis(1_772_366_400_000).with_budget(budget)
}

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("a thread");
    thread.join().expect("no panic and no overflow");
}

fn compiled(text: &str, dialect: Dialect) -> Option<Expression> {
    Expression::compile_with(text, &CompileOptions { dialect, ..CompileOptions::default() }).ok()
}

/// Evaluates, and does with the result what servers do with it.
fn try_out(expression: &Expression, arguments: &[Value]) {
    let start = Instant::now();
    if let Ok(outcome) = expression.evaluate(&Arguments(arguments), &environment()) {
        let json = outcome.value.to_json();
        let shown = outcome.value.to_string();
        assert!(json.len() < 32 << 20 && shown.len() < 32 << 20, "{}", expression.text());
        let _ = outcome.value == outcome.value.clone();
    }
    let took = start.elapsed();
    let shown = || arguments.iter().map(|value| format!("{:.60}", value.to_string())).collect::<Vec<_>>();
    assert!(took < Duration::from_secs(3), "{} took {took:?} with {:?}", expression.text(), shown());
}

fn combinations(expression: &Expression, count: usize, values: &[Value]) {
    let mut places = vec![0; count];
    loop {
        let arguments: Vec<Value> = places.iter().map(|place| values[*place].clone()).collect();
        try_out(expression, &arguments);
        let Some(next) = places.iter().rposition(|place| place + 1 < values.len()) else { return };
        places[next] += 1;
        places[next + 1..].fill(0);
    }
}

fn exercise(text: &str, count: usize) {
    for dialect in [Dialect::Camunda, Dialect::Standard] {
        let Some(expression) = compiled(text, dialect) else { continue };
        let is_thorough = count < 2 || (count == 2 && dialect == Dialect::Camunda);
        combinations(&expression, count, if is_thorough { all() } else { few() });
    }
}

#[test]
fn every_builtin_survives_every_value() {
    for builtin in builtins() {
        for count in (0..=3).filter(|count| accepts(builtin, *count)) {
            let text = format!("{}({})", builtin.name, NAMES[..count].join(", "));
            on_small_stack(move || exercise(&text, count));
        }
    }
}

fn accepts(builtin: &Builtin, count: usize) -> bool {
    builtin.signatures.iter().any(|signature| {
        let most = signature.required.len() + signature.optional.len();
        count >= signature.required.len() && (signature.variadic || count <= most)
    })
}

#[test]
fn every_operator_survives_every_value() {
    let texts = [
        "a1 + a2",
        "a1 - a2",
        "a1 * a2",
        "a1 / a2",
        "a1 ** a2",
        "a1 = a2",
        "a1 != a2",
        "a1 < a2",
        "a1 >= a2",
        "a1 in a2",
        "a1 in (< a2)",
        "[a1, a2]",
        "{a: a1, b: a2}",
        "a1[a2]",
        "a1[item = a2]",
        "a1[item > a2]",
        "for i in a1..a2 return i",
        "some i in a1..a2 satisfies i = a1",
        "every i in a1 satisfies i = a2",
        "for i in a1 return [partial, i, a2]",
        "if a1 then a2 else a1",
        "a1 and a2",
        "a1 or a2",
        "(= a1)",
        "[a1..a2]",
        "(a1..a2)",
        "for i in [a1..a2] return i",
        "for i in (a1..a2) return i",
        "a1 instance of list<number>",
        "(function(x: list<list<number>>) x)(a1)",
        "a1(a2)",
        "a1(a1, a2)",
        "sort([a1, a2, a1], a1)",
        "sort([a1, a2], function(x, y) x < y)",
        "sort([a1, a2, a2, a1], function(x, y) true)",
        "-a1",
        "-(-a1)",
        "(= (= a1))",
        "string(-a1)",
        "a1 + a2 - a1",
        "a1 * a2 / a1",
        "(a1 - a2) - a1",
    ];
    for text in texts {
        on_small_stack(move || exercise(text, 2));
    }
    for name in [
        "year",
        "month",
        "day",
        "weekday",
        "hour",
        "minute",
        "second",
        "time offset",
        "timezone",
        "days",
        "hours",
        "minutes",
        "seconds",
        "years",
        "months",
        "start",
        "end",
        "`start included`",
        "a",
    ] {
        on_small_stack(move || exercise(&format!("a1.{name}"), 1));
    }
    on_small_stack(|| exercise("a1 between a2 and a3", 3));
}
