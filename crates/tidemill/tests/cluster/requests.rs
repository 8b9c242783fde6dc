//! Every server answers every request, whoever owns the partition.

use crate::world::{NO_WAIT, PARTITIONS, Server, World, eventually, key, one_task, process};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn any_server_takes_any_request() {
    let world = World::new();
    let servers = world.servers::<3>();
    servers[0].deploy("work.bpmn", &one_task("work", "work"));
    // Created everywhere, worked on everywhere else.
    let mut instances = Vec::new();
    for server in &servers {
        for _ in 0..PARTITIONS {
            instances.push(server.create("work", json!({})));
        }
    }
    let partitions: BTreeSet<i64> =
        instances.iter().map(|key| key.parse::<i64>().expect("a number") >> 51).collect();
    assert_eq!(partitions.len(), PARTITIONS, "instances live on all partitions");
    let mut left = instances.len();
    while left > 0 {
        for (number, server) in servers.iter().enumerate() {
            for job in server.activate("work", 3, NO_WAIT) {
                servers[(number + 1) % 3].complete(&job);
                left -= 1;
            }
        }
    }
    for (number, instance) in instances.iter().enumerate() {
        assert_eq!(servers[number % 3].state(instance), "COMPLETED");
    }
    for server in &servers {
        assert!(server.activate("work", 10, NO_WAIT).is_empty(), "every job was handed out once");
        assert_eq!(server.get("/readyz").status, 200);
    }
}

#[test]
fn a_worker_waits_at_all_servers() {
    let world = World::new();
    let servers = world.servers::<2>();
    servers[0].deploy("late.bpmn", &one_task("late", "late"));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| servers[0].activate("late", 5, 20_000));
        std::thread::sleep(std::time::Duration::from_millis(500));
        let began = std::time::Instant::now();
        let instance = servers[1].create("late", json!({}));
        let jobs = waiting.join().expect("an answer");
        assert!(began.elapsed().as_secs() < 5, "the worker is told at once, after {:?}", began.elapsed());
        assert_eq!(jobs.len(), 1);
        assert_eq!(key(&jobs[0], "processInstanceKey"), instance);
        servers[0].complete(&jobs[0]);
        assert_eq!(servers[1].state(&instance), "COMPLETED");
    });
}

#[test]
fn the_end_of_an_instance_is_told_on_every_server() {
    let world = World::new();
    let servers = world.servers::<2>();
    servers[0].deploy("await.bpmn", &one_task("await", "await"));
    std::thread::scope(|scope| {
        // Keys lead creates to partitions of either server.
        let waits: Vec<_> = (0..6)
            .map(|number| {
                let server = &servers[number % 2];
                scope.spawn(move || {
                    let body = json!({
                        "processDefinitionId": "await", "awaitCompletion": true, "requestTimeout": 20_000,
                        "variables": {"number": number},
                    });
                    let header = format!("await-{number}");
                    server.try_post("/v2/process-instances", &body, &[("idempotency-key", &header)])
                })
            })
            .collect();
        let mut done = 0;
        eventually("all jobs are done", || {
            for job in servers[done % 2].activate("await", 10, 100) {
                servers[1].complete(&job);
                done += 1;
            }
            done == 6
        });
        for wait in waits {
            let ended = wait.join().expect("ends").expect("an answer").ok();
            assert!(ended["variables"]["number"].is_number(), "{ended}");
        }
    });
}

#[test]
fn messages_and_calls_cross_partitions() {
    let world = World::new();
    let servers = world.servers::<2>();
    let catch =
        r#"<intermediateCatchEvent id="a"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>"#;
    servers[0].deploy("order.bpmn", &process("order", catch));
    let call = r#"<callActivity id="a"><extensionElements><zeebe:calledElement processId="order" propagateAllChildVariables="false"/></extensionElements></callActivity>"#;
    servers[1].deploy("caller.bpmn", &process("caller", call));
    let mut instances = Vec::new();
    for number in 0..12 {
        let process = if number % 2 == 0 { "order" } else { "caller" };
        instances.push(servers[number % 2].create(process, json!({"order": format!("o-{number}")})));
    }
    for number in 0..12 {
        let body = json!({"name": "paid", "correlationKey": format!("o-{number}"), "timeToLive": 60_000});
        servers[(number + 1) % 2].post("/v2/messages/publication", &body).ok();
    }
    for instance in &instances {
        eventually("the instance ends", || servers[0].state(instance) == "COMPLETED");
    }
}

#[test]
fn a_key_makes_one_instance_on_all_servers() {
    let world = World::new();
    let servers = world.servers::<2>();
    servers[0].deploy("once.bpmn", &one_task("once", "once"));
    for round in 0..10 {
        let (body, header) = (json!({"processDefinitionId": "once"}), format!("key-{round}"));
        let keys: BTreeSet<String> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..4)
                .map(|number| {
                    let (server, body, header) = (&servers[number % 2], &body, &header);
                    scope.spawn(move || {
                        server.try_post("/v2/process-instances", body, &[("idempotency-key", header)])
                    })
                })
                .collect();
            let answers = tries.into_iter().map(|one| one.join().expect("ends").expect("an answer").ok());
            answers.map(|answer| key(&answer, "processInstanceKey")).collect()
        });
        assert_eq!(keys.len(), 1, "round {round}");
    }
    let all = json!({"filter": {"processDefinitionId": "once"}});
    assert_eq!(servers[1].post("/v2/process-instances/search", &all).ok()["page"]["totalItems"], 10);
}

#[test]
fn what_was_accepted_first_runs_first() {
    let world = World::new();
    let servers = world.servers::<2>();
    servers[0].deploy("sum.bpmn", &one_task("sum", "sum"));
    for round in 0..20 {
        let instance = servers[round % 2].create("sum", json!({"total": 0}));
        let job = servers[0].activate("sum", 1, 5_000).pop().expect("a job");
        let path = format!("/v2/element-instances/{instance}/variables");
        let accepted = servers[1].put_async(&path, &json!({"variables": {"total": round + 1}}));
        assert_eq!(accepted, 202);
        servers[0].complete(&job);
        let search = json!({"filter": {"processInstanceKey": instance, "name": "total"}});
        let found = servers[1].post("/v2/variables/search", &search).ok();
        assert_eq!(found["items"][0]["value"], (round + 1).to_string(), "round {round}");
    }
}

#[test]
fn deployments_at_once_get_versions_of_their_own() {
    let world = World::new();
    let servers = world.servers::<2>();
    let mut versions = BTreeSet::new();
    for round in 0..100 {
        let deployed: Vec<i64> = std::thread::scope(|scope| {
            let deploy = |number: usize| {
                let (server, xml) = (&servers[number], one_task("both", &format!("type-{round}-{number}")));
                scope.spawn(move || version_of(&server.deploy("both.bpmn", &xml)))
            };
            let both = [deploy(0), deploy(1)];
            both.map(|one| one.join().expect("deploys")).to_vec()
        });
        versions.extend(&deployed);
        let newest = *deployed.iter().max().expect("two");
        for server in &servers {
            assert_eq!(version_created(server, "both"), newest, "round {round}");
        }
        let (first, second) = (&servers[round % 2], &servers[(round + 1) % 2]);
        let xml = one_task("one", &format!("type-{round}"));
        let deployed = version_of(&first.deploy("one.bpmn", &xml));
        assert_eq!(version_created(second, "one"), deployed, "the next create on the other server uses it");
    }
    assert_eq!(versions, (1..=200).collect(), "no version is given twice");
    let both = json!({"filter": {"processDefinitionId": "both"}, "page": {"limit": 1_000}});
    let kept = servers[1].post("/v2/process-definitions/search", &both).ok();
    let kept = kept["items"].as_array().expect("a list");
    let kept: BTreeSet<i64> = kept.iter().map(|one| one["version"].as_i64().expect("a version")).collect();
    assert_eq!(kept, versions, "none is lost");
}

fn version_of(deployment: &Value) -> i64 {
    let version = &deployment["deployments"][0]["processDefinition"]["processDefinitionVersion"];
    version.as_i64().unwrap_or_else(|| panic!("no version in {deployment}"))
}

/// The version that a create without one takes.
fn version_created(server: &Server, process: &str) -> i64 {
    let created = server.post("/v2/process-instances", &json!({"processDefinitionId": process})).ok();
    created["processDefinitionVersion"].as_i64().unwrap_or_else(|| panic!("no version in {created}"))
}
