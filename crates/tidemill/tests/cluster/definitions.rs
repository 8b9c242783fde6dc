//! Definitions on several servers: whoever starts an instance after a deployment was answered gets its version, wherever that is.

use crate::world::{World, eventually, key, one_task};
use serde_json::json;

const ROUNDS: usize = 200;

#[test]
fn a_start_after_the_answer_gets_the_new_version_on_every_server() {
    let world = World::new();
    let servers = world.servers::<2>();
    for round in 0..ROUNDS {
        let (here, there) = (&servers[round % 2], &servers[(round + 1) % 2]);
        let deployed = here.deploy("moving.bpmn", &one_task("moving", &format!("work-{round}")));
        let version = &deployed["deployments"][0]["processDefinition"]["processDefinitionVersion"];
        assert_eq!(*version, round + 1, "{deployed}");
        let created = there.post("/v2/process-instances", &json!({"processDefinitionId": "moving"})).ok();
        assert_eq!(created["processDefinitionVersion"], round + 1, "stale in round {round}: {created}");
    }
}

#[test]
fn the_caches_of_all_servers_are_shown() {
    let world = World::new();
    let servers = world.servers::<2>();
    servers[0].deploy("shown.bpmn", &one_task("shown", "show"));
    for server in &servers {
        for _ in 0..8 {
            server.create("shown", json!({}));
        }
    }
    let report = servers[0].get("/v1/admin/cache").ok();
    let items = report["items"].as_array().expect("a list");
    assert_eq!(items.len(), 2, "{report}");
    for item in items {
        assert_eq!(item["cache"]["entries"], 1, "{report}");
        assert_eq!(item["cache"]["largest"][0]["processDefinitionId"], "shown", "{report}");
    }
}

#[test]
fn a_death_and_the_takeover_stand_in_the_log_with_both_names() {
    let world = World::new();
    let [first, second] = world.servers::<2>();
    let dead = second.url.trim_start_matches("http://").to_owned();
    let heir = first.url.trim_start_matches("http://").to_owned();
    second.kill();
    eventually("the takeover is told", || {
        let said = first.said_after(0);
        let is_gone = said.iter().any(|line| line.contains("a node is gone") && line.contains(&dead));
        let has_moved = said.iter().any(|line| {
            let (Some(from), Some(to)) = (line.find(&dead), line.find(&heir)) else { return false };
            line.contains("partitions have moved") && from < to
        });
        is_gone && has_moved
    });
}

#[test]
fn deployments_are_told_and_deleted_definitions_leave() {
    let world = World::new();
    let server = world.start();
    let deployed = server.deploy("gone.bpmn", &one_task("gone", "go"));
    let definition = key(&deployed["deployments"][0]["processDefinition"], "processDefinitionKey");
    for _ in 0..8 {
        let instance = server.create("gone", json!({}));
        server.post(&format!("/v2/process-instances/{instance}/cancellation"), &json!({})).ok();
    }
    eventually("it is told", || {
        server.said_after(0).iter().any(|line| line.contains("deployed a process") && line.contains("gone"))
    });
    let entries = || server.get("/v1/admin/cache").ok()["items"][0]["cache"]["entries"].clone();
    assert_eq!(entries(), 1);
    server.post(&format!("/v2/resources/{definition}/deletion"), &json!({})).ok();
    eventually("it has left", || {
        let body = json!({"processDefinitionKey": definition});
        assert!(server.post("/v2/process-instances", &body).status >= 400);
        entries() == 0
    });
}
