//! Looking after a server on the embedded store.

use crate::harness::{Place, Server};
use crate::{ADD, text};
use serde_json::Value;

fn entries(server: &Server, arguments: &[&str]) -> Vec<Value> {
    let told = server.run(&[&["admin", "log", "--json"], arguments].concat()).ok();
    told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_log_tells_what_was_asked() {
    let place = Place::new();
    let server = place.serve();
    assert_eq!(server.run(&["admin", "log"]).ok(), "no commands\n");
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let keys: Vec<String> = (0..3).map(|_| server.run(&["start", "add"]).ok().trim().to_owned()).collect();
    server.run(&["cancel", &keys[1]]).ok();
    let kinds: Vec<String> =
        entries(&server, &[]).iter().map(|entry| text(&entry["kind"]).to_owned()).collect();
    let create = "createProcessInstance";
    assert_eq!(kinds, ["createDeployment", create, create, create, "cancelProcessInstance"]);
    let of_one = entries(&server, &["--instance", &keys[1], "--since", "1h"]);
    assert_eq!(of_one.len(), 1);
    assert_eq!(of_one[0]["subject"], format!("instance {}", keys[1]));
    assert_eq!(entries(&server, &["--limit", "2"]).len(), 2);
    let deployed = &entries(&server, &["--since", "1h", "--limit", "1"])[0];
    assert_eq!(
        (text(&deployed["subject"]), &deployed["command"]["resources"][0]["name"]),
        ("add.bpmn", &"add.bpmn".into())
    );
    let table = server.run(&["admin", "log"]).ok();
    assert!(table.starts_with("TIME") && table.contains("createProcessInstance  process add"), "{table}");
    let refused = server.run(&["admin", "log", "--since", "yesterday"]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(refused.stderr.contains("yesterday"), "{}", refused.stderr);
}

#[test]
fn retention_is_set_for_good() {
    let place = Place::new();
    let server = place.serve();
    let lag = server.run(&["admin", "lag"]).ok();
    assert!(lag.starts_with("PARTITION") && lag.lines().count() == 2, "{lag}");
    server.run(&["admin", "retention", "--log", "12h"]).ok();
    drop(server);
    let server = place.serve();
    let shown = server.run(&["admin", "retention"]).ok();
    assert!(shown.contains("12h (set here; the server was started with 1d)"), "{shown}");
    let wrong = server.run(&["admin", "retention", "--log", "soon"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
}

#[test]
fn a_copy_is_made_while_the_server_works() {
    let place = Place::new();
    let copy = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    let file = copy.file("data/tidemill.db", "");
    std::fs::remove_file(&file).expect("it is there");
    let told = server.run(&["admin", "backup", &file]).ok();
    assert!(told.starts_with(&file), "{told}");
    for (place, reason) in [
        (file, "overwrites nothing"),
        (copy.path("data"), "name a new file in it"),
        (copy.path("nowhere/tidemill.db"), "make it first"),
    ] {
        let refused = server.run(&["admin", "backup", &place]);
        assert_eq!(refused.code, 5, "{}", refused.stderr);
        assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    }
    let after = server.run(&["start", "add"]).ok();
    let restored = copy.serve();
    assert!(restored.run(&["show", key.trim()]).ok().contains("ACTIVE"));
    assert_eq!(restored.run(&["show", after.trim()]).code, 4, "it came after the copy");
    restored.run(&["worker", "sum", "--exec", "cat", "--jobs", "1"]).ok();
    assert!(restored.run(&["show", key.trim()]).ok().contains("COMPLETED"));
}
