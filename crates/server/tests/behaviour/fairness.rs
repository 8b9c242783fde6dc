//! Floods: commands that nobody waits for, timers that are due all at once, and clients. None of them holds
//! up the others, and each has an end. Commands that have run are counted, so that the speed of the machine does not matter.

use crate::models::{END, START, empty, flow, model, one_job, timer};
use crate::world::{World, text};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tidemill_server::NodeConfig;

const ASYNC: (&str, &str) = ("prefer", "respond-async");
const FLOOD: usize = 1_500;
const TIMERS: usize = 2_000;
/// Elements in a row, so that a command takes a while.
const ELEMENTS: usize = 100;

fn long(id: &str) -> String {
    let tasks: Vec<String> = (0..ELEMENTS).map(|n| format!(r#"<task id="t{n}"/>"#)).collect();
    let mut row = vec![START];
    row.extend(tasks.iter().map(String::as_str));
    row.push(END);
    model(id, &row, "", "")
}

/// So many timers in one instance, each with a way of its own behind it.
fn many_timers(id: &str) -> String {
    let tasks: String = (0..ELEMENTS).map(|n| format!(r#"<task id="u{n}"/>"#)).collect();
    let ids: Vec<String> = ["began", "wait"]
        .map(str::to_owned)
        .into_iter()
        .chain((0..ELEMENTS).map(|n| format!("u{n}")))
        .collect();
    let flows: String = ids.windows(2).map(|pair| flow(&pair[0], &pair[1])).collect();
    let each = format!(
        r#"<subProcess id="each"><multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=for i in 1..{TIMERS} return i"/></extensionElements></multiInstanceLoopCharacteristics><startEvent id="began"/><intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>{tasks}{flows}</subProcess>"#
    );
    model(id, &[START, &each, END], "", "")
}

async fn total(world: &World, what: &str, filter: Value) -> usize {
    let body = json!({"filter": filter, "page": {"limit": 1}});
    let found = world.post(&format!("/v2/{what}/search"), body).await.ok();
    found["page"]["totalItems"].as_u64().expect("a number") as usize
}

async fn run_of(world: &World, id: &str) -> usize {
    total(world, "process-instances", json!({"processDefinitionId": id})).await
}

async fn until(is_so: impl AsyncFn() -> bool) {
    for _ in 0..6_000 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it takes too long");
}

/// Commands that wait in the inbox when the node begins to work.
async fn flooded(world: World) -> World {
    world.node.stop().await;
    let body = json!({"processDefinitionId": "flood"}).to_string();
    let sent =
        join_all((0..FLOOD).map(|_| world.with_headers("POST", "/v2/process-instances", &body, &[ASYNC])));
    assert!(sent.await.iter().all(|answered| answered.status == 202));
    world.restart().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_inbox_holds_up_neither_clients_nor_timers() {
    let world = World::new().await;
    world.deploy(&long("flood")).await;
    world.deploy(&empty("direct")).await;
    world.deploy(&timer("late", "PT1S")).await;
    // The next node's clock is the system's again, so the timer is overdue.
    world.pin_clock(1_000_000).await;
    let late = world.create("late", json!({})).await;
    let world = flooded(world).await;
    world.create("direct", json!({})).await;
    let before_client = run_of(&world, "flood").await;
    world.wait_for_state(&late, "COMPLETED").await;
    let before_timer = run_of(&world, "flood").await;
    assert!(before_client < FLOOD, "all commands of the inbox ran before a client");
    assert!(before_timer < FLOOD, "all commands of the inbox ran before a timer");
    until(async || run_of(&world, "flood").await == FLOOD).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_that_are_due_at_once_and_clients_share_the_turns() {
    let world = World::new().await;
    world.deploy(&many_timers("storm")).await;
    world.deploy(&empty("direct")).await;
    world.deploy(&long("flood")).await;
    world.pin_clock(1_000_000).await;
    world.create("storm", json!({})).await;
    let waiting = || total(&world, "element-instances", json!({"elementId": "wait", "state": "ACTIVE"}));
    until(async || waiting().await == TIMERS).await;
    world.pin_clock(1_000_000 + 2 * 3_600_000).await;
    for _ in 0..3 {
        world.create("direct", json!({})).await;
    }
    let left = waiting().await;
    assert!(left > TIMERS / 4, "only {left} of {TIMERS} timers were left when three clients were answered");
    let body = json!({"processDefinitionId": "flood"});
    let creates = join_all((0..FLOOD).map(|_| world.post("/v2/process-instances", body.clone())));
    let fired = async {
        let before = waiting().await;
        until(async || waiting().await < before.saturating_sub(5).max(1)).await;
        run_of(&world, "flood").await
    };
    let (created, ran_before) = tokio::join!(creates, fired);
    assert!(created.iter().all(|answered| answered.status == 200));
    assert!(ran_before < FLOOD, "timers fired only after all clients were served");
    until(async || waiting().await == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_share_more_than_a_batch_hands_out() {
    const WORKERS: usize = 40;
    let world = World::new().await;
    world.deploy(&one_job("order", "work")).await;
    let large = "v".repeat(1 << 20);
    for _ in 0..WORKERS {
        world.create("order", json!({"v": large})).await;
    }
    let body = json!({"type": "work", "timeout": 60_000, "maxJobsToActivate": 1, "requestTimeout": -1});
    let began = Instant::now();
    let served = join_all((0..WORKERS).map(|_| world.post("/v2/jobs/activation", body.clone()))).await;
    let mut keys: Vec<String> = served.iter().map(|jobs| text(&jobs.ok()["jobs"][0]["jobKey"])).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), WORKERS, "each worker gets a job of its own, although it does not wait");
    assert!(began.elapsed() < Duration::from_secs(5), "nobody waits until something else happens");
}

#[tokio::test]
async fn an_inbox_has_an_end() {
    const LIMIT: u64 = 40;
    let world = World::with_node(NodeConfig { inbox_max: LIMIT, ..NodeConfig::default() }).await;
    world.deploy(&empty("flood")).await;
    world.node.stop().await;
    let body = json!({"processDefinitionId": "flood"}).to_string();
    let send = || world.with_headers("POST", "/v2/process-instances", &body, &[ASYNC]);
    for _ in 0..LIMIT {
        assert_eq!(send().await.status, 202);
    }
    let refused = send().await;
    let detail = format!(
        "Expected to run the command, but {LIMIT} commands wait in the inbox of partition 1 already. Try again later"
    );
    refused.refused(503, "RESOURCE_EXHAUSTED", &detail);
    assert_eq!(refused.headers["retry-after"], "1");
    let world = world.restart().await;
    until(async || run_of(&world, "flood").await == LIMIT as usize).await;
    let sent = world.with_headers("POST", "/v2/process-instances", &body, &[ASYNC]).await;
    assert_eq!(sent.status, 202, "there is room again");
}

#[tokio::test]
async fn nobody_waits_longer_than_the_limit_for_an_answer() {
    let world = World::new().await;
    world.deploy(&long("flood")).await;
    let config = NodeConfig { answer_limit: Duration::from_micros(10), ..NodeConfig::default() };
    let world = world.restart_with(config).await;
    let late = world.post("/v2/process-instances", json!({"processDefinitionId": "flood"})).await;
    let detail = "Expected to answer command 'CREATE' in time, but it takes longer; it goes on";
    late.refused(504, "DEADLINE_EXCEEDED", detail);
    until(async || run_of(&world, "flood").await == 1).await;
}

#[tokio::test]
async fn what_a_stopped_node_is_asked_was_not_begun() {
    let world = World::new().await;
    world.deploy(&empty("direct")).await;
    world.node.stop().await;
    let refused = world.post("/v2/process-instances", json!({"processDefinitionId": "direct"})).await;
    assert_eq!(refused.problem(503)["title"], "UNAVAILABLE");
    assert_eq!(refused.headers["retry-after"], "1");
    let world = world.restart().await;
    assert_eq!(run_of(&world, "direct").await, 0);
}
