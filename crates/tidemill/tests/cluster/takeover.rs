//! Servers come, stop and die; the others go on.

use crate::world::{NO_WAIT, PARTITIONS, Server, World, eventually, key, one_task, process};
use serde_json::json;
use std::time::{Duration, Instant};
use tidemill_store_conformance::servers::StoreServer;

/// Everything that is asked of a cluster with these partitions is answered.
fn works_on_all_partitions(server: &crate::world::Server) -> bool {
    (0..PARTITIONS * 3).all(|number| {
        let header = format!("probe-{number}-{:?}", Instant::now());
        let body = json!({"processDefinitionId": "work"});
        let created = server.try_post("/v2/process-instances", &body, &[("idempotency-key", &header)]);
        created.is_ok_and(|answer| answer.status == 200)
    })
}

#[test]
fn a_server_that_stops_hands_over_at_once() {
    let world = World::new();
    let [first, mut second] = world.servers::<2>();
    first.deploy("work.bpmn", &one_task("work", "work"));
    let instances: Vec<String> = (0..PARTITIONS).map(|_| second.create("work", json!({}))).collect();
    let began = Instant::now();
    second.signal("-TERM");
    eventually("the first server has everything", || first.owned() == [PARTITIONS]);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(1), "handed over in {took:?}");
    second.wait();
    println!("handed over in {took:?}");
    for job in first.activate("work", PARTITIONS, 5_000) {
        first.complete(&job);
    }
    eventually("what the second had begun goes on", || {
        for job in first.activate("work", PARTITIONS, NO_WAIT) {
            first.complete(&job);
        }
        instances.iter().all(|instance| first.state(instance) == "COMPLETED")
    });
}

#[test]
fn a_server_that_dies_is_replaced() {
    let world = World::new();
    let [first, second, third] = world.servers::<3>();
    first.deploy("work.bpmn", &one_task("work", "work"));
    let began = Instant::now();
    third.kill();
    // Requests during the take-over wait for it.
    assert!(works_on_all_partitions(&first), "answered in time");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(10), "work went on after {took:?}");
    println!("work went on after {took:?}");
    world.settle(&[&first, &second]);
    let fourth = world.start();
    world.settle(&[&first, &second, &fourth]);
    assert!(works_on_all_partitions(&fourth));
}

#[test]
fn a_frozen_server_wakes_up_without_its_partitions() {
    let world = World::new();
    let [first, second] = world.servers::<2>();
    first.deploy("work.bpmn", &one_task("work", "work"));
    second.signal("-STOP");
    eventually("the first server has everything", || first.owned() == [PARTITIONS]);
    assert!(works_on_all_partitions(&first));
    second.signal("-CONT");
    world.settle(&[&first, &second]);
    assert!(works_on_all_partitions(&second));
}

#[test]
fn a_server_that_wakes_up_does_not_answer_from_memory() {
    let world = World::new();
    let [first, second] = world.servers::<2>();
    let task = r#"<userTask id="a"><extensionElements><zeebe:userTask/></extensionElements></userTask>"#;
    first.deploy("review.bpmn", &process("review", task));
    for _ in 0..PARTITIONS {
        second.create("review", json!({}));
    }
    let found = second.post("/v2/user-tasks/search", &json!({})).ok();
    let tasks = found["items"].as_array().expect("a list").iter();
    let tasks: Vec<String> = tasks.map(|task| key(task, "userTaskKey")).collect();
    assert_eq!(tasks.len(), PARTITIONS);
    let assign = |server: &Server, task: &str, assignee: &str, overrides: bool| {
        let body = json!({"assignee": assignee, "allowOverride": overrides});
        server.post(&format!("/v2/user-tasks/{task}/assignment"), &body).status
    };
    for task in &tasks {
        assert_eq!(assign(&second, task, "bob", true), 204);
    }
    second.signal("-STOP");
    eventually("the first server has everything", || first.owned() == [PARTITIONS]);
    for task in &tasks {
        assert_eq!(assign(&first, task, "ada", true), 204);
    }
    std::thread::scope(|scope| {
        let claim = |task: &String| assign(&second, task, "ada", false);
        let claims: Vec<_> = tasks.iter().map(|task| scope.spawn(move || claim(task))).collect();
        // They are there when it wakes up, before it can have learned anything.
        std::thread::sleep(Duration::from_millis(500));
        second.signal("-CONT");
        for claim in claims {
            assert_eq!(claim.join().expect("ends"), 204, "it is hers already");
        }
    });
}

#[test]
fn servers_wait_for_a_store_that_is_gone() {
    let store = StoreServer::start();
    let world = World::on(&store);
    let [first, second] = world.servers::<2>();
    first.deploy("work.bpmn", &one_task("work", "work"));
    let instance = first.create("work", json!({}));
    store.crash();
    eventually("the server says that it cannot work", || {
        let ready = first.get("/readyz");
        ready.status == 503 && ready.body["detail"].as_str().is_some_and(|detail| detail.contains("store"))
    });
    store.resume();
    let back = eventually("the servers are back", || {
        [&first, &second].into_iter().all(|server| server.get("/readyz").status == 200)
    });
    assert!(back < Duration::from_secs(10), "back after {back:?}");
    println!("back after {back:?}");
    assert!(works_on_all_partitions(&second));
    assert_eq!(second.state(&instance), "ACTIVE", "what was answered is there");
}

#[test]
fn a_server_without_the_secret_is_sent_away() {
    let world = World::new();
    let _first = world.start();
    let refused = world.command(None).output().expect("it ends");
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("--cluster-secret"), "{said}");
}

#[test]
fn a_server_with_another_secret_is_sent_away() {
    let world = World::new();
    let first = world.start();
    let refused = world.command(Some("another secret of nodes")).output().expect("it ends");
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("same cluster secret") && said.contains("--cluster-secret"), "{said}");
    assert_eq!(first.owned(), [PARTITIONS], "nobody has taken a partition meanwhile");
}

#[test]
fn a_server_that_is_turned_away_later_gives_its_partitions_up() {
    let world = World::new();
    let first = world.start();
    first.deploy("work.bpmn", &one_task("work", "work"));
    // Nobody is there to turn the second one away when it starts.
    first.signal("-STOP");
    let second = world.try_start(world.command(Some("another secret of nodes"))).expect("it finds nobody");
    eventually("the second server has everything", || second.owned() == [PARTITIONS]);
    first.signal("-CONT");
    eventually("the second server knows", || {
        let ready = second.get("/readyz");
        ready.status == 503 && ready.body.to_string().contains("same cluster secret")
    });
    eventually("the first server has everything", || first.owned() == [PARTITIONS]);
    assert!(works_on_all_partitions(&first));
}
