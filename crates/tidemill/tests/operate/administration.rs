//! Administration of servers that share a store, from their machine and from others.

use crate::world::{PATIENCE, SECRET, Server, World, one_task};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use tidemill_store_conformance::servers::is_redis;

fn run(server: &Server, secret: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
    command.arg("admin").args(arguments).args(["--url", &server.url]).env_remove("TIDEMILL_CLUSTER_SECRET");
    if let Some(secret) = secret {
        command.env("TIDEMILL_CLUSTER_SECRET", secret);
    }
    command.output().expect("it runs")
}

fn told(server: &Server, arguments: &[&str]) -> String {
    let ran = run(server, None, arguments);
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("a text")
}

fn entries(server: &Server, arguments: &[&str]) -> Vec<Value> {
    let arguments = [&["log", "--json"], arguments].concat();
    told(server, &arguments).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn kinds(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["kind"].as_str().expect("a text")).collect()
}

#[test]
fn the_log_of_all_partitions_is_one() {
    let world = World::new();
    let servers = world.servers::<2>();
    servers[0].deploy("work.bpmn", &one_task("work", "work"));
    let instances: Vec<String> = (0..24).map(|n| servers[n % 2].create("work", json!({"n": n}))).collect();
    let jobs = servers[0].activate("work", 24, 5_000);
    jobs.iter().for_each(|job| servers[1].complete(job));

    let all = entries(&servers[0], &["--since", "1h", "--limit", "1000"]);
    let count = |kind: &str| kinds(&all).iter().filter(|known| **known == kind).count();
    assert_eq!(
        (count("createDeployment"), count("createProcessInstance"), count("completeJob")),
        (1, 24, jobs.len())
    );
    let times: Vec<&str> = all.iter().map(|entry| entry["timestamp"].as_str().expect("a date")).collect();
    assert!(times.is_sorted(), "{times:?}");
    // Page by page it is the same, forwards and backwards.
    let newest = entries(&servers[1], &["--limit", "7"]);
    assert_eq!(newest, all[all.len() - 7..]);
    let oldest = entries(&servers[1], &["--since", "1h", "--limit", "7"]);
    assert_eq!(oldest, all[..7]);

    let of_job = jobs.first().expect("some");
    let instance = of_job["processInstanceKey"].as_str().expect("a key");
    assert!(instances.iter().any(|known| known == instance));
    let found = entries(&servers[0], &["--instance", instance, "--since", "1h"]);
    assert_eq!(kinds(&found), ["completeJob"], "{found:?}");
    let partition = &found[0]["partitionId"];
    let of_partition =
        entries(&servers[0], &["--partition", &partition.to_string(), "--since", "1h", "--limit", "1000"]);
    assert!(of_partition.iter().all(|entry| entry["partitionId"] == *partition));
    assert!(of_partition.len() < all.len());
    assert!(entries(&servers[0], &["--until", "2020-01-01T00:00:00Z"]).is_empty());
    let table = told(&servers[0], &["log", "--limit", "3"]);
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.starts_with("TIME"), "{table}");
}

#[test]
fn following_at_one_server_shows_what_all_of_them_do() {
    let world = World::new();
    let servers = world.servers::<2>();
    let mut following = Command::new(env!("CARGO_BIN_EXE_tidemill"))
        .args(["admin", "log", "--follow", "--json", "--url", &servers[0].url])
        .env_remove("TIDEMILL_CLUSTER_SECRET")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    servers[0].deploy("work.bpmn", &one_task("work", "work"));
    (0..24).for_each(|n| drop(servers[n % 2].create("work", json!({"n": n}))));
    let output = BufReader::new(following.stdout.take().expect("it is piped"));
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // A test that has seen enough listens no longer.
        output.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
    });
    let next = || lines.recv_timeout(PATIENCE).expect("a line in time");
    let seen: Vec<Value> =
        (0..25).map(|_| serde_json::from_str(&next()).expect("one whole entry a line")).collect();
    let partitions: BTreeSet<u64> =
        seen.iter().map(|entry| entry["partitionId"].as_u64().expect("a number")).collect();
    assert!(partitions.len() > crate::world::PARTITIONS / 2, "of both servers: {partitions:?}");
    let interrupted = Command::new("kill").args(["-INT", &following.id().to_string()]).status();
    assert!(interrupted.expect("kill runs").success());
    assert_eq!(following.wait().expect("it ends").code(), Some(0));
    let all = entries(&servers[1], &["--since", "1h", "--limit", "1000"]);
    let sorted = |mut entries: Vec<Value>| {
        entries.sort_by_key(Value::to_string);
        entries
    };
    assert_eq!(sorted(seen), sorted(all), "everything once");
}

#[test]
fn what_is_behind_and_what_is_kept_is_told() {
    let world = World::new();
    let server = world.start();
    server.deploy("work.bpmn", &one_task("work", "work"));
    server.create("work", json!({}));
    let lag: Value = serde_json::from_str(&told(&server, &["lag", "--json"])).expect("JSON");
    let items = lag["items"].as_array().expect("a list");
    assert_eq!(items.len(), crate::world::PARTITIONS);
    assert!(items.iter().all(|item| item["waiting"] == 0 && item["timersDue"] == 0), "{lag}");
    assert!(items.iter().any(|item| item["position"].is_string()), "{lag}");

    // Memory is dearer than disk, so Redis forgets sooner.
    let kept = if is_redis() { "1h" } else { "forever" };
    let as_started = format!("{kept} (as the server was started)");
    let shown = told(&server, &["retention"]);
    assert!(shown.contains(&as_started) && shown.contains("1d (as"), "{shown}");
    let set = told(&server, &["retention", "--history", "30d", "--log", "forever"]);
    assert!(set.contains(&format!("30d (set here; the server was started with {kept})")), "{set}");
    let second = world.start();
    let tables = told(&second, &["retention", "--tables"]);
    assert!(tables.contains("30d (set here") && tables.contains("forever (set here"), "{tables}");
    let (log, days_min) = if is_redis() { ("log ", 1) } else { ("batches ", 3) };
    let days = tables.lines().filter(|line| line.starts_with(log)).count();
    assert!(days >= days_min, "days of the log: {tables}");
    let back = told(&second, &["retention", "--history", "default"]);
    assert!(back.contains(&as_started) && back.contains("forever (set here"), "{back}");
    let refused = run(&server, None, &["backup", "/tmp/never-written"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("pg_dump"), "{refused:?}");
}

#[test]
fn the_secret_lets_operators_in_from_elsewhere() {
    let world = World::new();
    let server = world.start();
    let ask = |headers: &[(&str, &str)]| {
        let mut request = server.agent.get(format!("{}/v1/admin/lag", server.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.call().expect("an answer").status().as_u16()
    };
    let bearer = format!("Bearer {SECRET}");
    // A proxy on the machine speaks for somebody elsewhere.
    let elsewhere = ("x-forwarded-for", "192.0.2.7");
    assert_eq!(ask(&[]), 200);
    assert_eq!(ask(&[elsewhere]), 401);
    assert_eq!(ask(&[elsewhere, ("authorization", &bearer)]), 200);
    assert_eq!(ask(&[("authorization", "Bearer guessed-by-somebody")]), 401);
    assert!(run(&server, Some(SECRET), &["nodes"]).status.success());
    let wrong = run(&server, Some("guessed-by-somebody"), &["nodes"]);
    assert_eq!(wrong.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("cluster secret"), "{wrong:?}");
}
