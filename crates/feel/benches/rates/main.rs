//! Rates of compiling and evaluating, for a condition and for a filter over ten items: prepared values and JSON text.
//! Measured in time on the processor, so that what else runs on the machine does not count.

mod cpu_time;

use cpu_time::CpuTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tidemill_feel::{Context, Environment, Expression, Lookup, Scope, Value};

const CONDITION: &str = r#"amount > 100 and status = "open""#;
const FILTER: &str = "items[price > 10]";
const PATH: &str = "order.customer.address.city";

/// Variables as JSON texts, as an engine stores them.
struct Texts(Vec<(&'static str, String)>);

impl Scope for Texts {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| Lookup::Json(text))
    }
}

impl Texts {
    fn parsed(&self) -> Context {
        self.0.iter().map(|(name, text)| (*name, Value::from_json(text).expect("valid JSON"))).collect()
    }
}

fn condition_variables() -> Texts {
    Texts(vec![("amount", "120".to_string()), ("status", "\"open\"".to_string())])
}

fn filter_variables() -> Texts {
    let items: Vec<String> =
        (1..=10).map(|i| format!(r#"{{"name":"item {i}","price":{},"quantity":{i}}}"#, i * 2)).collect();
    Texts(vec![("items", format!("[{}]", items.join(",")))])
}

/// A large variable of which a small part is read.
fn path_variables() -> Texts {
    let lines: Vec<String> = (0..100).map(|i| format!(r#"{{"sku":"sku-{i}","price":{i}.50}}"#)).collect();
    let text = format!(
        r#"{{"lines":[{}],"customer":{{"name":"Ann","address":{{"city":"Ulm","zip":"89073"}}}}}}"#,
        lines.join(",")
    );
    Texts(vec![("order", text)])
}

fn evaluate(c: &mut Criterion<CpuTime>, name: &str, text: &str, texts: &Texts) {
    let expression = Expression::compile(text).expect("valid");
    let environment = Environment::at_millis(0);
    let parsed = texts.parsed();
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(1));
    group.bench_function("compile", |b| b.iter(|| Expression::compile(black_box(text))));
    group.bench_function("prepared", |b| b.iter(|| expression.evaluate(black_box(&parsed), &environment)));
    group.bench_function("from JSON", |b| b.iter(|| expression.evaluate(black_box(texts), &environment)));
    group.finish();
}

fn rates(c: &mut Criterion<CpuTime>) {
    evaluate(c, "condition", CONDITION, &condition_variables());
    evaluate(c, "filter", FILTER, &filter_variables());
    evaluate(c, "path", PATH, &path_variables());
    let json = &filter_variables().0[0].1;
    c.bench_function("read JSON of ten items", |b| b.iter(|| Value::from_json(black_box(json))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = rates
}
criterion_main!(benches);
