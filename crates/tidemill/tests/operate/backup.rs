//! A dump that is taken under load holds everything that was answered before, and a server on what was restored from it
//! goes on.

use crate::world::{NO_WAIT, Server, World, eventually, one_task, process};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tidemill_store_conformance::postgres::{PostgresServer, program};

const CATCH: &str =
    r#"<intermediateCatchEvent id="a"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>"#;
const TIMER: &str = r#"<intermediateCatchEvent id="a"><timerEventDefinition><timeDuration>PT4S</timeDuration></timerEventDefinition></intermediateCatchEvent>"#;
const WAITING: usize = 20;
/// Of jobs under load; shorter than the test waits for the end of all instances.
const JOB_TIMEOUT_MS: i64 = 5_000;

fn run(name: &str, arguments: &[&str]) {
    let ran = Command::new(program(name)).args(arguments).output().expect("it runs");
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Creates instances and works on jobs until told to stop; gives all keys that were answered, in order.
struct Load {
    answered: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

/// Ends the load when it is dropped, also by a failure: otherwise the test would wait for it for ever.
struct EndOfLoad<'a>(&'a Load);

impl Drop for EndOfLoad<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

impl Load {
    fn create(&self, server: &Server) {
        while !self.is_over.load(Ordering::Relaxed) {
            let key = server.create("work", json!({}));
            self.answered.lock().expect("no holder panics").push(key);
        }
    }

    fn work(&self, server: &Server) {
        while !self.is_over.load(Ordering::Relaxed) {
            // Some are left for later, and the dump may hold some as handed out: they come back when their time is over.
            server.activate_for(JOB_TIMEOUT_MS, "work", 2, 100).iter().for_each(|job| server.complete(job));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn keys(&self) -> Vec<String> {
        self.answered.lock().expect("no holder panics").clone()
    }
}

#[test]
fn what_a_dump_holds_goes_on_elsewhere() {
    if !PostgresServer::can_be_dumped() {
        return;
    }
    let postgres = PostgresServer::shared();
    let world = World { store_url: postgres.url(), ..World::new() };
    let server = world.start();
    for (name, xml) in [
        ("work", one_task("work", "work")),
        ("wait", process("wait", CATCH)),
        ("late", process("late", TIMER)),
    ] {
        server.deploy(&format!("{name}.bpmn"), &xml);
    }
    let waiting: Vec<String> =
        (0..WAITING).map(|n| server.create("wait", json!({"order": format!("o-{n}")}))).collect();
    let late: Vec<String> = (0..WAITING).map(|_| server.create("late", json!({}))).collect();
    let load = Load { answered: Mutex::new(Vec::new()), is_over: AtomicBool::new(false) };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("flows.dump");
    let before = std::thread::scope(|scope| {
        scope.spawn(|| load.create(&server));
        scope.spawn(|| load.create(&server));
        scope.spawn(|| load.work(&server));
        let _ends = EndOfLoad(&load);
        std::thread::sleep(Duration::from_secs(1));
        let before = load.keys();
        dump(&postgres.url(), &world.schema, &file);
        std::thread::sleep(Duration::from_millis(300));
        before
    });
    server.kill();
    let everything = load.keys();
    assert!(!before.is_empty() && everything.len() > before.len(), "there was load before and after");

    postgres.psql("postgres", "CREATE DATABASE restored");
    let restored_url = postgres.url_of("postgres", "restored");
    run("pg_restore", &["--no-owner", "-d", &restored_url, file.to_str().expect("a text")]);
    let server = World { store_url: restored_url, ..world }.start();
    let known: BTreeSet<String> = before.iter().chain(&waiting).chain(&late).cloned().collect();
    let found = instances(&server);
    let lost: Vec<_> = known.difference(&found).collect();
    assert!(lost.is_empty(), "answered before the dump began, and lost: {lost:?}");

    let taken: BTreeSet<String> = everything.into_iter().chain(found).collect();
    for _ in 0..50 {
        let key = server.create("work", json!({}));
        assert!(!taken.contains(&key), "{key} was given before");
    }
    for n in 0..WAITING {
        let body = json!({"name": "paid", "correlationKey": format!("o-{n}"), "timeToLive": 60_000});
        server.post("/v2/messages/publication", &body).ok();
    }
    eventually("every instance comes to its end", || {
        while let jobs @ [_, ..] = &server.activate("work", 100, NO_WAIT)[..] {
            jobs.iter().for_each(|job| server.complete(job));
        }
        let active = json!({"filter": {"state": "ACTIVE"}});
        server.post("/v2/process-instances/search", &active).ok()["page"]["totalItems"] == 0
    });
    for instance in known {
        assert_eq!(server.state(&instance), "COMPLETED", "{instance}");
    }
}

fn dump(url: &str, schema: &str, file: &Path) {
    run("pg_dump", &["-Fc", "--schema", schema, "-f", file.to_str().expect("a text"), url]);
}

/// The keys of all instances, page by page.
fn instances(server: &Server) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut page = json!({"limit": 1_000});
    loop {
        let found = server.post("/v2/process-instances/search", &json!({"page": page})).ok();
        let items = found["items"].as_array().expect("a list");
        if items.is_empty() {
            return keys;
        }
        keys.extend(items.iter().map(|item| crate::world::key(item, "processInstanceKey")));
        page = json!({"limit": 1_000, "after": end_cursor(&found)});
    }
}

fn end_cursor(found: &Value) -> &Value {
    &found["page"]["endCursor"]
}
