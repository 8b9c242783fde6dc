//! Expressions that cost much: others are still served.

use crate::models::{END, START, empty, model};
use crate::world::World;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Generous for a loaded machine and a debug build; without bounds the waits are many times as long.
const SOON: Duration = Duration::from_secs(5);

fn memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux system");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it is always there");
    let kilobytes: u64 = line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).expect("a number");
    kilobytes * 1024
}

/// Takes some 50 MB of the 64 MB that an evaluation may take.
fn large() -> Value {
    let text = "x".repeat(100_000);
    json!({"expression": "=count(for i in 1..500 return upper case(t))", "variables": {"t": text}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn very_many_evaluations_at_once_leave_the_server_responsive() {
    let world = World::new().await;
    world.deploy(&empty("p")).await;
    let before = memory_bytes();
    let flood = join_all((0..600).map(|_| world.post("/v2/expression/evaluation", large())));
    let others = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let began = Instant::now();
            world.create("p", json!({})).await;
            world.get("/healthz").await;
            slowest = slowest.max(began.elapsed());
        }
        slowest
    };
    let (answers, slowest) = tokio::join!(flood, others);
    let grown = memory_bytes().saturating_sub(before);
    assert!(slowest < SOON, "another client waited {slowest:?}");
    assert!(grown < 1 << 30, "{grown} bytes more than before");
    let served = answers.iter().filter(|answered| answered.status == 200).count();
    assert!(served >= 1, "some are served");
    for turned_away in answers.iter().filter(|answered| answered.status != 200) {
        turned_away.problem(503);
        assert!(turned_away.headers.contains_key("retry-after"), "{:?}", turned_away.headers);
    }
    assert!(served < 600, "no more than a few wait");
}

#[tokio::test]
async fn a_result_larger_than_a_variable_is_refused() {
    let world = World::new().await;
    let body = json!({
        "expression": "=string join(for i in 1..50 return t)", "variables": {"t": "x".repeat(100_000)},
    });
    let problem = world.post("/v2/expression/evaluation", body).await.problem(400);
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("4194304 bytes")), "{problem}");
}

#[tokio::test]
async fn evaluations_that_people_try_out_draw_other_numbers_each_time() {
    let world = World::new().await;
    let draw = || async {
        world.post("/v2/expression/evaluation", json!({"expression": "=uuid()"})).await.ok()["result"].clone()
    };
    assert_ne!(draw().await, draw().await);
}

/// Two expressions used to end the process: a recursion as deep as an exponent is large, and a value as deep as a list is long.
#[tokio::test]
async fn no_expression_ends_the_process() {
    let world = World::new().await;
    let evaluate = |body: Value| world.post("/v2/expression/evaluation", body);
    let huge = serde_json::value::RawValue::from_string("1e2000".to_owned()).expect("JSON");
    let body = json!({"expression": "=2**n"})
        .to_string()
        .replace('}', &format!(",\"variables\":{{\"n\":{huge}}}}}"));
    let answered = world.text("POST", "/v2/expression/evaluation", &body).await.ok();
    assert_eq!(answered["result"], Value::Null);
    let deep = "=context put({}, for i in 1..20000 return \"a\", 1)";
    evaluate(json!({"expression": deep})).await.problem(400);
    let parentheses = format!("={}", "(".repeat(100_000));
    evaluate(json!({"expression": parentheses})).await.problem(400);
    assert_eq!(evaluate(json!({"expression": "=1 + 1"})).await.ok()["result"], 2);
}

/// A task whose mappings search a megabyte of text again and again.
fn heavy_task(id: &str) -> String {
    let mapping = |n: usize| {
        let source = "=count((for i in 1..30 return contains(text, &quot;b&quot;))[not(item)])";
        format!(r#"<zeebe:input source="{source}" target="r{n}"/>"#)
    };
    let mappings: String = (0..10).map(mapping).collect();
    format!(
        r#"<manualTask id="{id}"><extensionElements><zeebe:ioMapping>{mappings}</zeebe:ioMapping></extensionElements></manualTask>"#
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_of_heavy_mappings_lets_others_through() {
    let world = World::new().await;
    let tasks: Vec<String> = (0..30).map(|n| heavy_task(&format!("t{n}"))).collect();
    let mut row = vec![START];
    row.extend(tasks.iter().map(String::as_str));
    row.push(END);
    world.deploy(&model("heavy", &row, "", "")).await;
    world.deploy(&empty("light")).await;
    let heavy = world.create("heavy", json!({"text": "a".repeat(1 << 20)})).await;
    let mut between = 0;
    let began = Instant::now();
    while world.state(&heavy).await == "ACTIVE" {
        let asked = Instant::now();
        world.create("light", json!({})).await;
        assert!(asked.elapsed() < SOON, "another client waited {:?}", asked.elapsed());
        between += 1;
        assert!(began.elapsed() < 12 * SOON, "the heavy one has not ended after {between} light ones");
    }
    assert_eq!(world.state(&heavy).await, "COMPLETED");
    assert!(between > 1, "others came in between");
}

/// Takes some 800,000 steps of expressions, without a text so large that its bytes would end the batch.
fn searching() -> String {
    let source = "=count((for i in 1..400 return contains(text, &quot;b&quot;))[not(item)])";
    let mapping = |n: usize| format!(r#"<zeebe:input source="{source}" target="r{n}"/>"#);
    let mappings = mapping(1) + &mapping(2);
    let task = format!(
        r#"<manualTask id="t"><extensionElements><zeebe:ioMapping>{mappings}</zeebe:ioMapping></extensionElements></manualTask>"#
    );
    model("heavy", &[START, &task, END], "", "")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_takes_much_work_waits_for_those_that_take_little() {
    const HEAVY: usize = 40;
    let world = World::new().await;
    world.deploy(&searching()).await;
    world.deploy(&empty("light")).await;
    let answered = AtomicUsize::new(0);
    let text = "a".repeat(64 << 10);
    let heavy = join_all((0..HEAVY).map(async |_| {
        world.create("heavy", json!({"text": text})).await;
        answered.fetch_add(1, Ordering::AcqRel);
    }));
    let light = async {
        while answered.load(Ordering::Acquire) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let before = answered.load(Ordering::Acquire);
        join_all((0..20).map(|_| world.create("light", json!({})))).await;
        answered.load(Ordering::Acquire) - before
    };
    let (_, between) = tokio::join!(heavy, light);
    assert!(between <= 12, "{between} heavy ones were answered before 20 light ones");
}
