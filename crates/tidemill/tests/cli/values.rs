//! Values on their way through the command line: nothing is lost, whatever they look like.

use crate::harness::Place;
use crate::{ADD, REVIEW};

const EXACT: &str = r#"{"z": 1.10, "a": 12345678901234567890123, "d": 1e400, "t": "\u00e9"}"#;

fn squeezed(json: &str) -> String {
    json.split_whitespace().collect()
}

fn assert_exact(json: &str) {
    for part in [r#""z":1.10"#, r#""a":12345678901234567890123"#, r#""d":1e400"#] {
        assert!(squeezed(json).contains(part), "{part} in {json}");
    }
}

#[test]
fn numbers_keep_their_digits_from_start_to_end() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    std::thread::scope(|scope| {
        let working =
            scope.spawn(|| server.run(&["worker", "sum", "--exec", "cat", "--jobs", "1", "--json"]).ok());
        assert_exact(&server.run(&["start", "add", "--await", "-v", EXACT]).ok());
        assert_exact(&working.join().expect("no panic"));
    });
    let key = server.run(&["start", "add", "-v", EXACT]).ok();
    let shown = server.run(&["show", key.trim()]).ok();
    for line in ["z = 1.10", "a = 12345678901234567890123", "d = 1e400"] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
}

#[test]
fn deep_values_reach_programs_and_come_back() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let deep = format!("{{\"deep\": {}1{}}}", "[".repeat(900), "]".repeat(900));
    let file = place.file("deep.json", &deep);
    std::thread::scope(|scope| {
        scope.spawn(|| server.run(&["worker", "sum", "--exec", "cat", "--jobs", "1"]).ok());
        let ended = server.run(&["start", "add", "--await", "-v", &format!("@{file}")]).ok();
        assert_eq!(squeezed(&ended), squeezed(&deep));
    });
}

#[test]
fn messages_and_tasks_carry_exact_values() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("review.bpmn", REVIEW)]).ok();
    let key = server.run(&["start", "review", "-v", r#"{"orderId": "A-1"}"#]).ok();
    let key = key.trim();
    let long = "x".repeat(3_000);
    server.run(&["publish", "paid", "--key", "A-1", "-v", r#"{"paid": 0.10}"#]).ok();
    assert!(server.run(&["tasks"]).until(|out| out.contains("Look at it")));
    let tasks = server.run(&["tasks", "--json"]).json();
    let task = crate::text(&tasks["items"][0]["userTaskKey"]);
    let variables = format!(r#"{{"big": 98765432109876543210987, "long": "{long}"}}"#);
    let done = server.run(&["complete-task", task, "-v", &variables, "--json"]).json();
    assert_eq!(done["completed"], true);
    let shown = server.run(&["show", key]).ok();
    assert!(shown.contains("paid = 0.10") && shown.contains("big = 98765432109876543210987"), "{shown}");
    assert!(shown.contains("see --json") && !shown.contains(&long), "long values are cut: {shown}");
    assert!(server.run(&["show", key, "--json"]).ok().contains(&long), "but not in the JSON");
}

#[test]
fn the_demo_works_on_after_a_bad_order() {
    let place = Place::new();
    let server = place.serve_with(&["--demo"]);
    assert!(server.run(&["tasks"]).until(|out| out.contains("order")));
    let bad = server.run(&["start", "order", "-v", r#"{"quantity": 1e400}"#]).ok();
    let deep = format!("{{\"quantity\": 1, \"deep\": {}1{}}}", "[".repeat(900), "]".repeat(900));
    let good = server.run(&["start", "order", "-v", &deep]).ok();
    assert!(server.run(&["show", bad.trim()]).until(|out| out.contains("whole numbers")));
    assert!(server.run(&["show", good.trim()]).until(|out| out.contains("inStock = true")));
}
