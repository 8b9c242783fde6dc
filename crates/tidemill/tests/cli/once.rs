//! Commands with a name of their own happen once, however often they are sent.

use crate::harness::Place;
use crate::{ADD, text};

#[test]
fn a_command_with_a_name_happens_once() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD), "--idempotency-key", "deploy-1"]).ok();
    let start = ["start", "add", "--idempotency-key", "mail-1", "--variable", "a=1"];
    let first = server.run(&start).ok();
    assert_eq!(server.run(&start).ok(), first, "the same answer, and no second instance");
    let other = server.run(&["start", "add", "--idempotency-key", "mail-1", "--variable", "a=2"]);
    assert_eq!(other.code, 5, "{}", other.stderr);
    assert!(other.stderr.contains("Idempotency-Key"), "{}", other.stderr);
    let listed = server.run(&["instances", "--json"]).json();
    assert_eq!(listed["page"]["totalItems"], 1);

    let publish = ["publish", "news", "--key", "k", "--ttl", "60", "--idempotency-key", "p"];
    let message = server.run(&publish).ok();
    assert_eq!(server.run(&publish).ok(), message);
    let signal = ["signal", "open", "--idempotency-key", "s"];
    assert_eq!(server.run(&signal).ok(), server.run(&signal).ok());

    assert_eq!(server.run(&["worker", "sum", "--exec", "exit 1", "--jobs", "3"]).code, 8);
    let incident = server.run(&["incidents", "--json"]).json();
    let resolve = ["resolve", text(&incident["items"][0]["incidentKey"]), "--idempotency-key", "r"];
    server.run(&resolve).ok();
    let cancel = ["cancel", first.trim(), "--idempotency-key", "c"];
    server.run(&cancel).ok();
    server.run(&cancel).ok();
    assert_eq!(server.run(&["cancel", first.trim()]).code, 4, "without the name it is another command");
}
