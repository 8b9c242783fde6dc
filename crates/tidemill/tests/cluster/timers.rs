//! Service timers with two servers: any of them takes any request, and whoever is left fires what the other had.

use crate::world::{Server, World, eventually, key, one_task};
use serde_json::{Value, json};

fn timer(server: &Server, body: Value) -> String {
    key(&server.post("/v1/timers", &body).ok(), "id")
}

fn state(server: &Server, id: &str) -> String {
    key(&server.get(&format!("/v1/timers/{id}")).ok(), "state")
}

fn shifts(server: &Server) -> usize {
    let search = json!({"filter": {"processDefinitionId": "shift"}, "page": {"limit": 1000}});
    let found = server.post("/v2/process-instances/search", &search).ok();
    found["items"].as_array().map_or(0, Vec::len)
}

#[test]
fn any_server_takes_any_request_about_timers() {
    let world = World::new();
    let servers = world.servers::<2>();
    let stream = json!({"type": "stream"});
    // Own ids go to all partitions, whoever owns them.
    let ids: Vec<String> = (0..24).map(|n| format!("t{n}")).collect();
    for (n, id) in ids.iter().enumerate() {
        let made =
            timer(&servers[n % 2], json!({"id": id, "delay": "PT1H", "payload": {"n": n}, "target": stream}));
        assert_eq!(made, *id);
    }
    for (n, id) in ids.iter().enumerate() {
        let other = &servers[(n + 1) % 2];
        assert_eq!(other.get(&format!("/v1/timers/{id}")).ok()["payload"]["n"], n);
        other.post(&format!("/v1/timers/{id}/pause"), &json!({})).ok();
        assert_eq!(state(&servers[n % 2], id), "PAUSED");
        other.post(&format!("/v1/timers/{id}/resume"), &json!({})).ok();
        assert_eq!(state(&servers[n % 2], id), "SCHEDULED");
    }
    let generated = timer(&servers[0], json!({"delay": "PT1H", "target": stream}));
    assert_eq!(state(&servers[1], &generated), "SCHEDULED");
    servers[1].post("/v1/timers/namespaces/night/pause", &json!({})).ok();
    let paused = servers[0].get("/v1/timers/namespaces").ok();
    assert_eq!(paused["items"][0]["namespace"], "night");
    for server in &servers {
        let found = server.post("/v1/timers/search", &json!({"limit": 1000})).ok();
        assert_eq!(found["items"].as_array().map(Vec::len), Some(25));
    }
    // Deliveries are read at one server and acknowledged there, whichever node owns their partition.
    for n in 0..16 {
        timer(
            &servers[n % 2],
            json!({"namespace": "feed", "id": format!("f{n}"), "delay": n, "target": stream}),
        );
    }
    let mut page = Value::Null;
    eventually("all have fired", || {
        page = servers[0].get("/v1/timers/stream?namespace=feed").ok();
        page["items"].as_array().is_some_and(|items| items.len() == 16)
    });
    let acknowledge = json!({"cursor": page["cursor"]});
    servers[1].post("/v1/timers/stream/acknowledge?namespace=feed", &acknowledge).ok();
    assert_eq!(servers[0].get("/v1/timers/stream?namespace=feed").ok()["items"], json!([]));
}

#[test]
fn timers_of_a_server_that_died_fire_at_the_other_one_exactly_once() {
    let world = World::new();
    let [first, second] = world.servers::<2>();
    first.deploy("shift.bpmn", &one_task("shift", "work"));
    let target = json!({"type": "process", "processDefinitionId": "shift"});
    for n in 0..40 {
        let server = if n % 2 == 0 { &first } else { &second };
        timer(server, json!({"id": format!("t{n}"), "delay": 1_500 + 10 * n, "target": target}));
    }
    first.kill();
    eventually("all have fired", || shifts(&second) >= 40);
    world.settle(&[&second]);
    let later = timer(&second, json!({"delay": 5, "target": target}));
    assert!(later.starts_with("tm_"), "{later}");
    eventually("new ones fire too", || shifts(&second) >= 41);
    assert_eq!(shifts(&second), 41, "none has fired twice");
}
