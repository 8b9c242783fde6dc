//! A server on a Redis whose settings are weak by choice, change later, or whose memory runs out.

use crate::world::{SECRET, Server, World, eventually, one_task};
use serde_json::json;
use std::process::{Command, Stdio};
use tidemill_store_conformance::redis::RedisServer;

fn serve(redis: &RedisServer, arguments: &[&str]) -> Result<Server, String> {
    let world = World::at(redis.url());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
    command.args([
        "serve",
        "--http",
        "127.0.0.1:0",
        "--metrics",
        "off",
        "--partitions",
        "2",
        "--lease",
        "1s",
    ]);
    command.args(["--store", &redis.url()]).args(arguments).env("TIDEMILL_CLUSTER_SECRET", SECRET);
    command.stderr(Stdio::piped());
    world.try_start(command)
}

fn redis_cli(redis: &RedisServer, arguments: &[&str]) -> String {
    let mut command = Command::new("redis-cli");
    command.args(["-p", &redis.port().to_string()]).args(arguments);
    String::from_utf8(command.output().expect("redis-cli runs").stdout).expect("a text")
}

fn used_memory(redis: &RedisServer) -> u64 {
    let told = redis_cli(redis, &["INFO", "memory"]);
    let used = told.lines().find_map(|line| line.strip_prefix("used_memory:"));
    used.and_then(|used| used.trim().parse().ok()).expect("a figure")
}

#[test]
fn a_weaker_durability_is_a_choice_that_is_told() {
    let redis = RedisServer::start(&[("appendfsync", "everysec")]);
    let refused = serve(&redis, &[]).err().expect("refused");
    assert!(refused.contains("appendfsync is everysec and must be always"), "{refused}");
    let server = serve(&redis, &["--redis-durability", "everysec"]).expect("it was chosen");
    let ready = server.get("/readyz").ok();
    assert!(ready["troubles"].to_string().contains("--redis-durability everysec"), "{ready}");
    redis_cli(&redis, &["CONFIG", "SET", "appendfsync", "no"]);
    eventually("a setting that is weaker still is noticed", || server.get("/readyz").status == 503);
    redis_cli(&redis, &["CONFIG", "SET", "appendfsync", "everysec"]);
    eventually("work goes on", || server.get("/readyz").status == 200);
}

#[test]
fn what_runs_ends_while_nothing_new_begins() {
    let redis = RedisServer::start(&[]);
    let server = serve(&redis, &[]).expect("starts");
    server.deploy("work.bpmn", &one_task("work", "work"));
    for n in 0..4 {
        server.create("work", json!({"n": n}));
    }
    let limit = |percent: u64| {
        let max = used_memory(&redis) * 100 / percent;
        redis_cli(&redis, &["CONFIG", "SET", "maxmemory", &max.to_string()]);
    };
    limit(95);
    let create = || server.post("/v2/process-instances", &json!({"processDefinitionId": "work"}));
    eventually("nothing new begins", || create().status == 503);
    let ready = server.get("/readyz").ok();
    assert!(ready["troubles"].to_string().contains("% of maxmemory is used"), "{ready}");
    for job in server.activate("work", 2, 5_000) {
        server.complete(&job);
    }
    // Beyond the limit Redis takes nothing by itself.
    limit(110);
    eventually("all that were begun have ended", || {
        server.activate("work", 10, 500).iter().for_each(|job| server.complete(job));
        let active = json!({"filter": {"state": "ACTIVE"}});
        server.post("/v2/process-instances/search", &active).ok()["page"]["totalItems"] == 0
    });
    redis_cli(&redis, &["CONFIG", "SET", "maxmemory", "0"]);
    eventually("something new begins again", || create().status == 200);
}
