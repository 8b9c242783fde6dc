//! A server that was killed comes back: what was pending stays, what is overdue fires, what repeats goes on.

use crate::receiver::Receiver;
use crate::world::{Store, callback, eventually};
use serde_json::json;
use std::time::Duration;

#[test]
fn a_restart_keeps_pending_overdue_and_repeating_timers() {
    comes_back(&Store::embedded());
}

#[test]
fn a_restart_keeps_pending_overdue_and_repeating_timers_on_a_server() {
    comes_back(&Store::shared());
}

fn comes_back(store: &Store) {
    let receiver = Receiver::start(Duration::ZERO);
    let server = store.serve();
    let pending =
        server.create_all(&[callback(&receiver.url, 3_600_000), callback(&receiver.url, 400 * 86_400_000)]);
    let target = json!({"type": "http", "url": receiver.url});
    let schedule = |expression: &str, misfire: &str| json!({"expression": expression, "misfire": misfire});
    let repeating = server.create_all(&[
        json!({"schedule": schedule("R/PT0.5S", "once"), "target": target}),
        json!({"schedule": schedule("R4/PT0.5S", "all"), "target": target}),
        json!({"schedule": schedule("R3/PT0.4S", "all"), "target": target, "id": "mine"}),
    ]);
    let overdue = server.create_all(&vec![callback(&receiver.url, 700); 100]);
    server.kill();
    // The time in which the timers would have fired.
    std::thread::sleep(Duration::from_millis(1_500));
    let before = receiver.count(&overdue);
    let server = store.serve();
    eventually("overdue timers fire", || receiver.count(&overdue) == overdue.len());
    assert!(before < overdue.len(), "the server was killed before they were due");
    eventually("each occurrence of a bounded schedule is made up for", || {
        receiver.occurrences(&repeating[1]) == 4 && receiver.occurrences("mine") == 3
    });
    let seen = receiver.occurrences(&repeating[0]);
    eventually("an endless schedule goes on", || receiver.occurrences(&repeating[0]) >= seen + 3);
    let cancelled = server.send(&format!("/v1/timers/{}/pause", repeating[0]), "application/json", "");
    assert!((200..300).contains(&cancelled.0), "{cancelled:?}");
    for id in &pending {
        assert_eq!(server.get(&format!("/v1/timers/{id}"))["id"], json!(id));
        assert!(!receiver.has(id), "{id} is not due");
    }
    assert_eq!(receiver.early(), 0);
}
