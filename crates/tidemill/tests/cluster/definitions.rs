//! Definitions on several servers: whoever starts an instance after a deployment was answered gets its version, wherever that is.

use crate::world::{NO_WAIT, PARTITIONS, World, eventually, key, one_task};
use serde_json::json;
use std::time::Duration;

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

/// Nodes that can neither call each other nor wake each other up hear of a deployment with their next commit or beat, long before the
/// entries of the cache would run out.
#[test]
fn nodes_that_cannot_reach_each_other_hear_of_a_deployment_with_the_next_commit_or_beat() {
    const CUT_OFF: [&str; 6] = ["--wakeup", "poll", "--advertise", "127.0.0.1:1", "--lease", "6s"];
    const TURNS: usize = 2 * PARTITIONS;
    let world = World::new();
    let servers = [(); 2].map(|()| world.start_with(&CUT_OFF));
    world.settle(&servers.iter().collect::<Vec<_>>());
    for round in 1..=4 {
        let (here, there) = (&servers[round % 2], &servers[(round + 1) % 2]);
        here.deploy("cut.bpmn", &one_task("cut", &format!("work-{round}")));
        if round % 2 == 0 {
            // A server that does nothing hears of it by its beat, three times a lease.
            std::thread::sleep(Duration::from_secs(4));
        }
        let mut stale = Vec::new();
        for turn in 0..TURNS {
            let created = there.post("/v2/process-instances", &json!({"processDefinitionId": "cut"}));
            let version = created.body["processDefinitionVersion"].as_u64();
            if version != Some(round as u64) {
                stale.push((turn, created.status, created.body));
            }
        }
        let may_be_stale = if round % 2 == 0 { 0 } else { 1 };
        assert!(stale.len() <= may_be_stale, "round {round}: {stale:?}");
    }
}

/// 100 definitions in a cache of 10 on each of two servers: every instance runs by its own model.
#[test]
fn a_small_cache_gives_right_results_on_postgres() {
    let world = World::new();
    let servers = [(); 2].map(|()| world.start_with(&["--definition-cache-entries", "10"]));
    world.settle(&servers.iter().collect::<Vec<_>>());
    for number in 0..100 {
        let (id, job_type) = (format!("small-{number}"), format!("type-{}", number % 10));
        servers[number % 2].deploy("small.bpmn", &one_task(&id, &job_type));
    }
    std::thread::scope(|scope| {
        for start in 0..4 {
            let server = &servers[start % 2];
            scope.spawn(move || {
                for turn in 0..50 {
                    let id = format!("small-{}", (start * 25 + turn * 7) % 100);
                    let created = server.post("/v2/process-instances", &json!({"processDefinitionId": id}));
                    assert_eq!(created.ok()["processDefinitionId"], *id);
                }
            });
        }
    });
    let mut completed = 0;
    eventually("all jobs were handed out", || {
        for number in 0..10 {
            for job in servers[number % 2].activate(&format!("type-{number}"), 50, NO_WAIT) {
                let of: usize = key(&job, "processDefinitionId")["small-".len()..].parse().expect("a number");
                assert_eq!(of % 10, number, "{job}");
                servers[(number + 1) % 2].complete(&job);
                completed += 1;
            }
        }
        completed == 200
    });
    let report = servers[0].get("/v1/admin/cache").ok();
    for item in report["items"].as_array().expect("a list") {
        assert_eq!(item["cache"]["entries"], 10, "{report}");
        assert!(item["cache"]["evictions"].as_u64() >= Some(90), "{report}");
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
