//! Service timers over REST, with and without processes behind them.

use crate::models::{one_job, waiting_for_message};
use crate::world::{Answered, SECRET, World, text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tidemill_server::NodeConfig;
use tidemill_server::timers::deliver::CallbackSettings;

const PATIENCE: Duration = Duration::from_secs(20);

impl World {
    async fn timer(&self, body: Value) -> String {
        let made = self.post("/v1/timers", body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        text(&made.json()["id"])
    }

    async fn timer_state(&self, id: &str) -> String {
        text(&self.get(&format!("/v1/timers/{id}")).await.ok()["state"])
    }

    async fn lines(&self, path: &str, lines: &[Value]) -> Vec<Value> {
        let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let headers = [("content-type", "application/x-ndjson")];
        let request = axum::http::Request::post(path).header(headers[0].0, headers[0].1);
        let answered = self.send(request.body(axum::body::Body::from(body)).expect("a request")).await;
        assert_eq!(answered.status, 200, "{}", answered.text);
        answered.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    async fn operate(&self, path: &str) -> Answered {
        let secret = format!("Bearer {SECRET}");
        self.with_headers("GET", path, "", &[("authorization", &secret)]).await
    }

    async fn found_timers(&self, search: Value) -> Vec<Value> {
        let found = self.post("/v1/timers/search", search).await.ok();
        found["items"].as_array().expect("a list").clone()
    }
}

async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn stream() -> Value {
    json!({"type": "stream"})
}

#[track_caller]
fn wrong_fields(answered: &Answered) -> Vec<String> {
    let problem = answered.problem(400);
    let errors = problem["errors"].as_array().expect("a list");
    errors.iter().map(|error| text(&error["field"])).collect()
}

#[tokio::test]
async fn a_timer_is_made_looked_at_changed_and_cancelled() {
    let world = World::with_partitions(3).await;
    let payload = json!({"order": 7});
    let id = world.timer(json!({"delay": "PT1H", "payload": payload, "target": stream()})).await;
    let path = format!("/v1/timers/{id}");
    let timer = world.get(&path).await.ok();
    assert_eq!(
        (&timer["id"], &timer["payload"], &timer["state"]),
        (&json!(id), &payload, &json!("SCHEDULED"))
    );
    assert_eq!((&timer["namespace"], &timer["target"]["type"]), (&json!("default"), &json!("stream")));
    let moved = world.text("PATCH", &path, r#"{"executeAt":"2031-05-01T10:00:00Z"}"#).await.ok();
    assert_eq!(moved["executeAt"], "2031-05-01T10:00:00.000Z");
    let timer = world.get(&path).await.ok();
    assert_eq!((&timer["id"], &timer["executeAt"]), (&json!(id), &json!("2031-05-01T10:00:00.000Z")));
    world.post_nothing(&format!("{path}/pause")).await.done();
    assert_eq!(world.timer_state(&id).await, "PAUSED");
    world.post_nothing(&format!("{path}/resume")).await.done();
    assert_eq!(world.timer_state(&id).await, "SCHEDULED");
    for _ in 0..2 {
        let cancelled = world.text("DELETE", &path, "").await.ok();
        assert!(cancelled["result"] == "CANCELLED" || cancelled["result"] == "FIRED", "{cancelled}");
    }
    assert!([404, 409].contains(&world.get(&path).await.status.as_u16()));
    world.get("/v1/timers/tm_0").await.problem(404);
    world.get(&format!("{path}?namespace=other")).await.problem(404);
    let absent = world.text("DELETE", "/v1/timers/never-made", "").await.ok();
    assert_eq!(absent["result"], "ABSENT");
}

#[tokio::test]
async fn own_ids_replace_keep_or_fail() {
    let world = World::with_partitions(3).await;
    let timer =
        |mode: &str, at: &str| json!({"id": "bill 7", "mode": mode, "executeAt": at, "target": stream()});
    let first = world.post("/v1/timers", timer("fail", "2031-01-01T00:00:00Z")).await;
    assert_eq!(first.status, 201);
    let (title, status) = ("ALREADY_EXISTS", 409);
    let again = world.post("/v1/timers", timer("fail", "2032-01-01T00:00:00Z")).await;
    again.refused(status, title, "Expected no timer with id 'bill 7', but there is one");
    let kept = world.post("/v1/timers", timer("keep", "2032-01-01T00:00:00Z")).await.ok();
    assert_eq!((&kept["created"], &kept["executeAt"]), (&json!(false), &json!("2031-01-01T00:00:00.000Z")));
    assert_eq!(world.post("/v1/timers", timer("replace", "2033-01-01T00:00:00Z")).await.status, 201);
    let shown = world.get("/v1/timers/bill%207").await.ok();
    assert_eq!((&shown["id"], &shown["executeAt"]), (&json!("bill 7"), &json!("2033-01-01T00:00:00.000Z")));
    assert_eq!(world.found_timers(json!({})).await.len(), 1, "the replaced one is gone");
    assert_eq!(world.text("DELETE", "/v1/timers/bill%207", "").await.ok()["result"], "CANCELLED");
    assert_eq!(world.text("DELETE", "/v1/timers/bill%207", "").await.ok()["result"], "ABSENT");
}

#[tokio::test]
async fn each_wrong_member_is_named() {
    let world = World::new().await;
    let wrong = async |body: Value| wrong_fields(&world.post("/v1/timers", body).await);
    let fields = wrong(
        json!({"mode": "often", "executeAt": "tomorrow", "target": {"type": "http", "url": "ftp://x"}}),
    );
    let mut fields = fields.await;
    fields.sort();
    assert_eq!(fields, ["executeAt", "mode", "target.url"]);
    assert_eq!(wrong(json!({"schedule": "R/PT0S", "target": stream()})).await, ["schedule"]);
    let zone = json!({"expression": "0 0 9 * * *", "zone": "Middle/Earth"});
    assert_eq!(wrong(json!({"schedule": zone, "target": stream()})).await, ["schedule.zone"]);
    for date in ["1969-12-31T23:59:59Z", "-009999-01-01T00:00:00Z"] {
        assert_eq!(wrong(json!({"executeAt": date, "target": stream()})).await, ["executeAt"], "{date}");
    }
    let long = json!({"delay": 5, "payload": "x".repeat(102_400), "target": stream()});
    assert_eq!(wrong(long).await, ["payload"]);
    let fits = json!({"delay": "PT1H", "payload": "x".repeat(102_398), "target": stream()});
    assert_eq!(world.post("/v1/timers", fits).await.status, 201);
    let moved = world.text("PATCH", "/v1/timers/x", r#"{"executeAt":1,"delay":2}"#).await;
    assert_eq!(wrong_fields(&moved), ["executeAt"]);
}

#[tokio::test]
async fn messages_and_starts_reach_processes_exactly_once() {
    let world = World::with_partitions(3).await;
    world.deploy(&waiting_for_message("order")).await;
    let instance = world.create("order", json!({"order": "1"})).await;
    let target = json!({"type": "message", "name": "paid", "correlationKey": "1"});
    world.timer(json!({"delay": 20, "payload": {"sum": 5}, "target": target})).await;
    world.wait_for_state(&instance, "COMPLETED").await;
    assert_eq!(world.one("variables", json!({"name": "sum"})).await["value"], "5");

    world.deploy(&one_job("shift", "work")).await;
    let target = json!({"type": "process", "processDefinitionId": "shift"});
    for n in 0..20 {
        world.timer(json!({"delay": n, "payload": {"n": n}, "target": target})).await;
    }
    let started = json!({"processDefinitionId": "shift"});
    world.soon("process-instances", started.clone(), 20).await;
    let world = world.restart().await;
    world.soon("process-instances", started, 20).await;
}

#[tokio::test]
async fn a_schedule_comes_as_often_as_it_says_and_can_be_cancelled() {
    let world = World::with_partitions(2).await;
    world.deploy(&one_job("shift", "work")).await;
    let target = json!({"type": "process", "processDefinitionId": "shift"});
    // Each occurrence, however late a busy machine is: by default those that were missed come once.
    let schedule = json!({"expression": "R3/PT0.05S", "misfire": "all"});
    let thrice = world.timer(json!({"schedule": schedule, "target": target})).await;
    let shifts = json!({"processDefinitionId": "shift"});
    world.soon("process-instances", shifts.clone(), 3).await;
    eventually("it is over", async || world.get(&format!("/v1/timers/{thrice}")).await.status == 409).await;
    let daily = json!({"id": "daily", "schedule": {"expression": "0 0 9 * * *", "zone": "Europe/Berlin"}});
    let mut daily = daily;
    daily["target"] = target;
    world.timer(daily).await;
    let shown = world.get("/v1/timers/daily").await.ok();
    assert_eq!(
        (&shown["schedule"]["zone"], &shown["occurrencesLeft"]),
        (&json!("Europe/Berlin"), &Value::Null)
    );
    // Its next occurrence comes at once, and the one after that in its time.
    world.post_nothing("/v1/timers/daily/trigger").await.done();
    world.soon("process-instances", shifts, 4).await;
    let after = world.get("/v1/timers/daily").await.ok();
    assert!(text(&after["scheduledAt"]) > text(&shown["scheduledAt"]), "{after}");
    assert_eq!(world.text("DELETE", "/v1/timers/daily", "").await.ok()["result"], "CANCELLED");
    world.get("/v1/timers/daily").await.problem(404);
}

#[tokio::test]
async fn pending_overdue_and_repeating_timers_live_through_a_restart() {
    let world = World::with_partitions(2).await;
    world.deploy(&one_job("shift", "work")).await;
    let target = json!({"type": "process", "processDefinitionId": "shift"});
    let pending = world.timer(json!({"delay": "PT1H", "target": target})).await;
    world.timer(json!({"delay": 700, "target": target})).await;
    world.timer(json!({"id": "beat", "schedule": {"expression": "R2/PT0.7S", "misfire": "all"}, "target": target})).await;
    let world = world.restart().await;
    // One that was overdue, two of the schedule.
    world.soon("process-instances", json!({"processDefinitionId": "shift"}), 3).await;
    assert_eq!(world.timer_state(&pending).await, "SCHEDULED");
}

#[tokio::test]
async fn a_paused_namespace_holds_its_timers_back() {
    let world = World::with_partitions(2).await;
    world.deploy(&one_job("shift", "work")).await;
    let target = json!({"type": "process", "processDefinitionId": "shift"});
    world.post_nothing("/v1/timers/namespaces/night/pause").await.done();
    let listed = world.get("/v1/timers/namespaces").await.ok();
    assert_eq!(listed["items"], json!([{"namespace": "night", "state": "PAUSED"}]));
    let timer = json!({"namespace": "night", "delay": 5, "target": target});
    let ids = [world.timer(timer.clone()).await, world.timer(timer).await];
    let day = world.timer(json!({"namespace": "day", "delay": 10, "target": target})).await;
    let shifts = json!({"processDefinitionId": "shift"});
    world.soon("process-instances", shifts.clone(), 1).await;
    world.get(&format!("/v1/timers/{day}?namespace=day")).await.problem(409);
    let night = json!({"namespace": "night", "state": "PAUSED"});
    eventually("they are parked", async || world.found_timers(night.clone()).await.len() == 2).await;
    let parked = world.get(&format!("/v1/timers/{}?namespace=night", ids[0])).await.ok();
    assert_eq!(parked["state"], "PAUSED");
    let cancelled = world.text("DELETE", &format!("/v1/timers/{}?namespace=night", ids[1]), "").await.ok();
    assert_eq!(cancelled["result"], "CANCELLED");
    world.post_nothing("/v1/timers/namespaces/night/resume").await.done();
    world.soon("process-instances", shifts.clone(), 2).await;
    eventually("it is resumed", async || world.get("/v1/timers/namespaces").await.ok()["items"] == json!([]))
        .await;
    world.soon("process-instances", shifts, 2).await;
}

#[tokio::test]
async fn many_timers_are_made_and_cancelled_by_lines() {
    let world = World::with_partitions(3).await;
    let mut lines: Vec<Value> =
        (0..1_500).map(|n| json!({"delay": "PT2H", "payload": {"n": n}, "target": stream()})).collect();
    lines[7] = json!({"delay": "PT2H", "target": {"type": "pigeon"}});
    let path = "/v1/timers/bulk?namespace=mail&stream=run-1";
    let made = world.lines(path, &lines).await;
    assert_eq!(made.len(), 1_500);
    assert_eq!(
        (&made[0]["line"], &made[0]["id"], &made[0]["created"]),
        (&json!(1), &json!("run-1.1"), &json!(true))
    );
    assert_eq!(made[7]["error"]["errors"][0]["field"], "target.type");
    // The same lines once more make nothing twice.
    let again = world.lines(path, &lines[..50]).await;
    assert!(again.iter().filter(|line| line["error"].is_null()).all(|line| line["created"] == false));
    let generated = world.lines("/v1/timers/bulk?namespace=mail", &lines[10..20]).await;
    assert!(generated.iter().all(|line| text(&line["id"]).starts_with("tm_")), "{generated:?}");
    let mut found = 0;
    let mut search = json!({"namespace": "mail", "limit": 400});
    loop {
        let page = world.post("/v1/timers/search", search.clone()).await.ok();
        found += page["items"].as_array().expect("a list").len();
        match &page["cursor"] {
            Value::Null => break,
            cursor => search["cursor"] = cursor.clone(),
        }
    }
    assert_eq!(found, 1_499 + 10);
    let mut ids: Vec<Value> = generated.iter().map(|line| line["id"].clone()).collect();
    ids.push(json!({"id": "run-1.1"}));
    ids.push(json!({"id": "nobody"}));
    ids.push(json!(5));
    let cancelled = world.lines("/v1/timers/bulk-cancel?namespace=mail", &ids).await;
    let results: Vec<&Value> = cancelled.iter().map(|line| &line["result"]).collect();
    assert_eq!(results[..11], [&json!("CANCELLED"); 11]);
    assert_eq!((results[11], &cancelled[12]["error"]["status"]), (&json!("ABSENT"), &json!(400)));
    let counts = world.get("/v1/timers/counts?namespace=mail").await.ok();
    let later: u64 =
        counts["slots"].as_array().expect("a list").iter().filter_map(|slot| slot["timers"].as_u64()).sum();
    assert!(later >= 1_498, "{counts}");
}

#[tokio::test]
async fn timers_are_searched_by_time_state_and_payload() {
    let world = World::with_partitions(2).await;
    for n in 0..40 {
        let at = format!("2031-01-{:02}T00:00:00Z", n % 28 + 1);
        let payload = json!({"order": {"items": [n, "x"]}});
        world
            .timer(json!({"id": format!("t{n}"), "executeAt": at, "payload": payload, "target": stream()}))
            .await;
    }
    world.timer(json!({"id": "soon", "delay": "PT10M", "target": stream()})).await;
    world.post_nothing("/v1/timers/t3/pause").await.done();
    let ids = |found: Vec<Value>| -> Vec<String> { found.iter().map(|timer| text(&timer["id"])).collect() };
    let early = json!({"from": "2031-01-01T00:00:00Z", "to": "2031-01-02T00:00:00Z", "state": "SCHEDULED"});
    assert_eq!(ids(world.found_timers(early).await), ["t0", "t28", "t1", "t29"]);
    assert_eq!(ids(world.found_timers(json!({"state": "PAUSED"})).await), ["t3"]);
    let by_payload = json!({"payload": {"path": "order.items.0", "equals": 17}});
    assert_eq!(ids(world.found_timers(by_payload).await), ["t17"]);
    assert_eq!(world.found_timers(json!({"limit": 1_000})).await.len(), 41);
    assert_eq!(world.found_timers(json!({"namespace": "other"})).await.len(), 0);
    let counts = world.get("/v1/timers/counts").await.ok();
    let minutes: u64 = counts["minutes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|minute| minute["timers"].as_u64())
        .sum();
    assert_eq!((minutes, &counts["isExact"]), (1, &json!(true)));
    world.post("/v1/timers/search", json!({"cursor": "x"})).await.problem(400);
    let wrong = world.post("/v1/timers/search", json!({"limit": 0, "payload": {"path": "a"}})).await;
    assert_eq!(wrong_fields(&wrong), ["limit", "payload.equals"]);
}

#[tokio::test]
async fn the_times_of_a_schedule_are_told_without_making_it() {
    let world = World::new().await;
    let body = json!({"schedule": {"expression": "0 30 2 * * *", "zone": "Europe/Berlin"}, "count": 3});
    let told = world.post("/v1/timers/occurrences", body).await.ok();
    assert_eq!(told["occurrences"].as_array().expect("a list").len(), 3);
    let wrong = world.post("/v1/timers/occurrences", json!({"schedule": "often"})).await;
    assert_eq!(wrong_fields(&wrong), ["schedule"]);
    assert_eq!(world.found_timers(json!({})).await.len(), 0);
}

#[tokio::test]
async fn operators_see_partitions_slots_and_blocks() {
    let world = World::with_partitions(2).await;
    for n in 0..10 {
        world.timer(json!({"id": format!("t{n}"), "delay": "P3D", "payload": [n], "target": stream()})).await;
    }
    let stats = world.operate("/v1/admin/timers/stats").await.ok();
    let items = stats["items"].as_array().expect("a list");
    let stored: u64 = items.iter().filter_map(|item| item["stored"].as_u64()).sum();
    assert_eq!((items.len(), stored), (2, 10));
    assert_eq!((&items[0]["loop"]["isReady"], &items[0]["loop"]["trouble"]), (&json!(true), &Value::Null));
    let slots = world.operate("/v1/admin/timers/slots").await.ok();
    let slot = &slots["items"][0];
    let (partition, level, number) = (&slot["partitionId"], &slot["level"], text(&slot["slot"]));
    let path = format!("/v1/admin/timers/blocks?partition={partition}&level={level}&slot={number}");
    let blocks = world.operate(&path).await.ok();
    let block = world.operate(&format!("/v1/admin/timers/blocks/{}", text(&blocks["items"][0]))).await.ok();
    assert!(block["timers"][0]["payload"].is_array(), "{block}");
    world.operate("/v1/admin/timers/blocks/1.0.0.1.0.0").await.problem(404);
}

#[tokio::test]
async fn a_stream_is_read_by_cursor_and_acknowledged() {
    let world = World::with_partitions(2).await;
    for n in 0..5 {
        world.timer(json!({"namespace": "feed", "delay": n, "payload": {"n": n}, "target": stream()})).await;
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    eventually("all have come", async || {
        let path = format!("/v1/timers/stream?namespace=feed&limit=2&waitMs=50&cursor={cursor}");
        let page = world.get(&path).await.ok();
        seen.extend(
            page["items"].as_array().expect("a list").iter().map(|timer| timer["payload"]["n"].clone()),
        );
        cursor = text(&page["cursor"]);
        seen.len() == 5
    })
    .await;
    let again = world.get("/v1/timers/stream?namespace=feed").await.ok();
    assert_eq!(again["items"].as_array().map(Vec::len), Some(5), "nothing was acknowledged");
    let other = world.get("/v1/timers/stream?namespace=other").await.ok();
    assert_eq!(other["items"], json!([]));
    let acknowledge = json!({"cursor": text(&again["cursor"])});
    world.post("/v1/timers/stream/acknowledge?namespace=feed", acknowledge).await.done();
    assert_eq!(world.get("/v1/timers/stream?namespace=feed").await.ok()["items"], json!([]));
    world.get("/v1/timers/stream?cursor=x").await.problem(400);
}

#[tokio::test]
async fn what_cannot_be_delivered_is_kept_tried_again_and_dropped() {
    let config = NodeConfig { callbacks: Some(CallbackSettings::default()), ..NodeConfig::default() };
    let world = World::with_node(config).await;
    // Callbacks to the machine itself are not allowed unless the configuration says so.
    let target = json!({"type": "http", "url": "http://127.0.0.1:9/hook"});
    for n in 0..2 {
        world.timer(json!({"id": format!("t{n}"), "delay": 0, "payload": [n], "target": target})).await;
    }
    let listed = async || {
        let page = world.get("/v1/timers/dead-letters").await.ok();
        page["items"].as_array().expect("a list").clone()
    };
    eventually("both are given up", async || listed().await.len() == 2).await;
    let letters = listed().await;
    let ids: Vec<String> = letters.iter().map(|letter| text(&letter["letterId"])).collect();
    let shown = world.get(&format!("/v1/timers/dead-letters/{}", ids[0])).await.ok();
    assert_eq!(shown["timer"]["target"]["url"], "http://127.0.0.1:9/hook");
    assert!(text(&shown["timer"]["id"]).starts_with('t'), "{shown}");
    world.get(&format!("/v1/timers/dead-letters/{}?namespace=other", ids[0])).await.problem(404);
    world.get("/v1/timers/dead-letters/9-9-9").await.problem(404);
    world.post_nothing(&format!("/v1/timers/dead-letters/{}/retry", ids[0])).await.done();
    eventually("it is given up again, as another letter", async || {
        let now = listed().await;
        now.len() == 2 && now.iter().all(|letter| text(&letter["letterId"]) != ids[0])
    })
    .await;
    world.text("DELETE", &format!("/v1/timers/dead-letters/{}", ids[1]), "").await.done();
    assert_eq!(listed().await.len(), 1);
    assert_eq!(world.text("DELETE", "/v1/timers/dead-letters", "").await.ok()["dropped"], 1);
    assert_eq!(listed().await.len(), 0);
}

/// A web page may send such bodies to any server without being asked first.
#[tokio::test]
async fn bodies_of_other_types_are_refused() {
    let world = World::with_partitions(1).await;
    let document = world.get("/openapi.json").await.ok();
    let mut seen = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let methods = methods.as_object().expect("methods").keys().filter(|method| *method != "get");
        for method in methods.filter(|_| path.starts_with("/v1/timers")) {
            for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
                let path = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
                let path = path.collect::<Vec<_>>().join("/");
                let method = method.to_uppercase();
                let request = axum::http::Request::builder().method(method.as_str()).uri(&path);
                let request = request.header("content-type", media_type);
                let body = axum::body::Body::from("{\"a\": 1}");
                let answered = world.send(request.body(body).expect("a request")).await;
                assert_eq!(answered.status, 415, "{method} {path} as {media_type}: {}", answered.text);
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen} requests");
}
