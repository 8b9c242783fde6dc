//! The commands of operators.

use crate::world::{PARTITIONS, Server, World, eventually};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

fn admin(server: &Server, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
    let ran = command.arg("admin").args(arguments).args(["--url", &server.url]).output().expect("it runs");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("a text")
}

/// By this exit code, with these words.
#[track_caller]
fn assert_refused(server: &Server, arguments: &[&str], code: i32, words: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
    let ran = command.arg("admin").args(arguments).args(["--url", &server.url]).output().expect("it runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(words), "{arguments:?}: {said}");
}

fn held(server: &Server, address: &str) -> Vec<u64> {
    let answer: Value = serde_json::from_str(&admin(server, &["nodes", "--json"])).expect("JSON");
    let nodes = answer["items"].as_array().expect("a list");
    let node = nodes.iter().find(|node| node["address"] == address).expect("the node is known");
    node["partitions"].as_array().expect("a list").iter().map(|id| id.as_u64().expect("a number")).collect()
}

#[test]
fn partitions_are_moved_and_nodes_drained() {
    let world = World::new();
    let [first, second] = world.servers::<2>();
    let address = second.url.trim_start_matches("http://");
    let table = admin(&first, &["partitions"]);
    assert_eq!(table.lines().count(), PARTITIONS + 1, "{table}");
    assert_eq!(table.lines().filter(|line| line.contains(address)).count(), PARTITIONS / 2, "{table}");

    let wanted =
        (1..=PARTITIONS as u64).find(|id| !held(&first, address).contains(id)).expect("one is elsewhere");
    admin(&first, &["move", &wanted.to_string(), address]);
    eventually("the partition has moved", || held(&first, address).contains(&wanted));
    eventually("another took its place", || held(&first, address).len() == PARTITIONS / 2);
    assert!(held(&first, address).contains(&wanted));

    let told = admin(&first, &["drain", address, "--wait"]);
    assert!(told.contains("has handed over"), "{told}");
    assert!(held(&first, address).is_empty(), "it is empty when that was said");
    let here = first.url.trim_start_matches("http://");
    assert_refused(&first, &["move", "1", address], 5, "is being drained");
    assert_refused(&first, &["drain", here], 5, "no other node could take its partitions");
    eventually("it passes on what it is asked", || second.get("/readyz").status == 200);
    admin(&first, &["drain", address, "--undo"]);
    eventually("it has its share again", || held(&first, address).len() == PARTITIONS / 2);
}

#[test]
fn what_is_not_there_is_named() {
    let world = World::new();
    let server = world.start();
    let address = server.url.trim_start_matches("http://");
    assert_refused(&server, &["move", "99", address], 4, "from 1 to 8, but got 99");
    assert_refused(&server, &["log", "--partition", "99"], 4, "from 1 to 8, but got 99");
    assert_refused(&server, &["move", "1", "10.0.0.7:8080"], 4, address);
    assert_refused(&server, &["drain", "the one next door?"], 4, "'the one next door?'");
    assert_refused(&server, &["log", "--limit", "0"], 2, "--limit");
}

#[test]
fn workers_do_not_keep_a_drained_server_from_stopping() {
    let world = World::new();
    let [first, mut second] = world.servers::<2>();
    let address = second.url.trim_start_matches("http://").to_owned();
    admin(&first, &["drain", &address]);
    eventually("the server is empty", || held(&first, &address).is_empty());
    let url = format!("{}/v2/jobs/activation", second.url);
    let worker = std::thread::spawn(move || {
        let body =
            json!({"type": "nothing", "timeout": 1_000, "maxJobsToActivate": 1, "requestTimeout": 60_000});
        ureq::post(url).header("content-type", "application/json").send(body.to_string())
    });
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    second.signal("-TERM");
    second.wait();
    assert!(began.elapsed() < Duration::from_secs(5), "stopped after {:?}", began.elapsed());
    let answer = worker.join().expect("ends").expect("the worker is answered");
    assert_eq!(answer.status(), 200);
}
