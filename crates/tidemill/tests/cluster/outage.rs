//! What clients hear while the store is away, and what becomes of what they asked.

use crate::world::{World, eventually, one_task};
use serde_json::json;
use std::time::{Duration, Instant};
use tidemill_store_conformance::postgres::PostgresServer;

#[test]
fn clients_are_answered_while_the_store_is_away() {
    let postgres = PostgresServer::start(&["fsync=off"]);
    let world = World::on(&postgres);
    let server = world.start();
    server.deploy("work.bpmn", &one_task("work", "work"));
    postgres.crash();
    let began = Instant::now();
    let created = server.post("/v2/process-instances", &json!({"processDefinitionId": "work"}));
    assert_eq!(created.status, 504, "{}", created.body);
    assert!(created.body["detail"].as_str().is_some_and(|detail| detail.contains("it goes on")));
    assert!(began.elapsed() < Duration::from_secs(15), "answered after {:?}", began.elapsed());
    assert_eq!(server.post("/v2/process-instances/search", &json!({})).status, 503);
    postgres.resume();
    eventually("what was asked has gone on", || {
        let found = server.post("/v2/process-instances/search", &json!({}));
        found.status == 200 && found.body["page"]["totalItems"] == 1
    });
}
