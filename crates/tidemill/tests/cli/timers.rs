//! `tidemill timers`: from making one to what operators see of it.

use crate::harness::{Place, Server};
use crate::{ADD, text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn get(server: &Server, id: &str) -> Value {
    server.run(&["timers", "get", id, "--json"]).json()
}

#[test]
fn a_timer_is_made_shown_moved_paused_and_cancelled() {
    let place = Place::new();
    let server = place.serve();
    let hook = "https://example.com/hook";
    let made = server.run(&["timers", "create", "--in", "PT1H", "--callback", hook, "--header", "X-Team: a"]);
    let id = made.ok().trim().to_owned();
    assert!(id.starts_with("tm_"), "{id}");
    let timer = get(&server, &id);
    assert_eq!(text(&timer["target"]["url"]), hook);
    assert!(timer["target"]["headers"].to_string().to_lowercase().contains("x-team"), "{timer}");
    let args = ["timers", "create", "--id", "bill 7", "--at", "2031-01-31T09:00:00Z", "--stream"];
    server.run(&[&args[..], &["--payload", "{\"n\": 1.50}"]].concat()).ok();
    let shown = server.run(&["timers", "get", "bill 7"]).ok();
    assert!(shown.contains("SCHEDULED") && shown.contains("2031-01-31"), "{shown}");
    server.run(&["timers", "move", "bill 7", "--at", "2031-02-01T09:00:00Z"]).ok();
    assert_eq!(text(&get(&server, "bill 7")["executeAt"]), "2031-02-01T09:00:00.000Z");
    server.run(&["timers", "pause", "bill 7"]).ok();
    assert_eq!(text(&get(&server, "bill 7")["state"]), "PAUSED");
    let listed = server.run(&["timers", "list", "--state", "paused"]).ok();
    assert!(listed.contains("bill 7") && !listed.contains(&id), "{listed}");
    server.run(&["timers", "resume", "bill 7"]).ok();
    let by_payload = server.run(&["timers", "list", "--payload", "n=1.5", "--json"]).json();
    assert_eq!(by_payload["items"].as_array().map(Vec::len), Some(1));
    let cancelled = server.run(&["timers", "cancel", "bill 7", &id, "nobody"]).ok();
    assert_eq!(cancelled, format!("bill 7: cancelled\n{id}: cancelled\nnobody: absent\n"));
    assert_eq!(server.run(&["timers", "list"]).ok(), "no timers\n");
    let missing = server.run(&["timers", "get", "bill 7"]);
    assert_eq!(missing.code, 4, "{}", missing.stderr);
}

#[test]
fn wrong_timers_are_refused_with_the_name_of_what_is_wrong() {
    let place = Place::new();
    let server = place.serve();
    let never = server.run(&["timers", "create", "--in", "soon", "--stream"]);
    assert_eq!(never.code, 5);
    assert!(never.stderr.contains("delay"), "{}", never.stderr);
    let zone = server.run(&["timers", "create", "--schedule", "0 0 9 * * *", "--zone", "Mars", "--stream"]);
    assert!(zone.stderr.contains("schedule.zone"), "{}", zone.stderr);
    for args in [&["--in", "PT1S"][..], &["--stream"], &["--in", "1", "--at", "x", "--stream"]] {
        assert_eq!(server.run(&[&["timers", "create"], args].concat()).code, 2, "{args:?}");
    }
    assert_eq!(server.run(&["timers", "pause"]).code, 2);
}

#[test]
fn a_schedule_starts_a_process_and_a_namespace_is_paused() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let instances = || server.run(&["instances", "--json"]).json()["items"].as_array().map_or(0, Vec::len);
    server.run(&["timers", "create", "--schedule", "R2/PT0.05S", "--start", "add"]).ok();
    eventually("two instances were started", || instances() == 2);
    server.run(&["timers", "pause", "--all", "--namespace", "night"]).ok();
    server.run(&["timers", "create", "-n", "night", "--in", "1", "--start", "add"]).ok();
    server.run(&["timers", "create", "-n", "day", "--in", "20", "--start", "add"]).ok();
    eventually("the day goes on", || instances() == 3);
    let night = || server.run(&["timers", "list", "-n", "night", "--state", "paused"]).ok();
    eventually("the night waits", || night().contains("process add"));
    server.run(&["timers", "resume", "--all", "--namespace", "night"]).ok();
    eventually("the night has come", || instances() == 4);
    let times = server.run(&["timers", "occurrences", "R3/PT90M"]).ok();
    assert_eq!(times.lines().count(), 3, "{times}");
}

#[test]
fn lines_make_and_cancel_many_timers() {
    let place = Place::new();
    let server = place.serve();
    let line =
        |n: u32| json!({"delay": "PT2H", "payload": {"n": n}, "target": {"type": "stream"}}).to_string();
    let lines: Vec<String> = (0..2_500).map(line).collect();
    let file = place.file("timers.ndjson", &lines.join("\n"));
    let args = ["timers", "bulk", &file, "--stream", "run-1"];
    assert_eq!(server.run(&args).ok(), "2500 lines done, 0 failed\n");
    assert_eq!(server.run(&args).ok(), "2500 lines done, 0 failed\n");
    let stored = || {
        let stats = server.run(&["timers", "stats", "--json"]).json();
        stats["items"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item["stored"].as_u64())
            .sum::<u64>()
    };
    assert_eq!(stored(), 2_500, "no line was made twice");
    assert_eq!(text(&get(&server, "run-1.2500")["state"]), "SCHEDULED");
    let wrong = place.file("wrong.ndjson", "{\"delay\": 1}\n");
    let refused = server.run(&["timers", "bulk", &wrong]);
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("line 1:") && refused.stdout.contains("target"), "{}", refused.stdout);
    let ids: Vec<String> = (1..=2_500).map(|n| format!("\"run-1.{n}\"")).collect();
    let file = place.file("ids.ndjson", &ids.join("\n"));
    assert_eq!(server.run(&["timers", "bulk", &file, "--cancel"]).ok(), "2500 lines done, 0 failed\n");
    assert_eq!(server.run(&["timers", "list", "--all"]).ok(), "no timers\n");
    let slots = server.run(&["timers", "slots"]).ok();
    assert!(slots.contains("CANCELLATIONS"), "{slots}");
    let slots = server.run(&["timers", "slots", "--json"]).json();
    let slot = &slots["items"][0];
    let name = format!("{}.{}.{}", slot["partitionId"], slot["level"], text(&slot["slot"]));
    let blocks = server.run(&["timers", "inspect", &name]).ok();
    let block = blocks.lines().next().expect("a block");
    assert_eq!(server.run(&["timers", "inspect", block]).json()["problem"], Value::Null);
}

#[test]
fn what_cannot_be_delivered_is_a_dead_letter() {
    let place = Place::new();
    let server = place.serve();
    // The server's own machine is off limits for callbacks.
    let args = ["timers", "create", "--id", "lost", "--in", "0", "--callback", "http://127.0.0.1:9/"];
    server.run(&args).ok();
    let letters = || server.run(&["timers", "dead-letters", "list", "--json"]).json()["items"].clone();
    eventually("it was given up", || letters().as_array().is_some_and(|letters| letters.len() == 1));
    let letter = text(&letters()[0]["letterId"]).to_owned();
    let shown = server.run(&["timers", "dead-letters", "show", &letter]).json();
    assert_eq!(text(&shown["timer"]["id"]), "lost");
    server.run(&["timers", "dead-letters", "retry", &letter]).ok();
    eventually("it was given up again", || {
        letters().as_array().is_some_and(|now| now.len() == 1 && text(&now[0]["letterId"]) != letter)
    });
    assert_eq!(server.run(&["timers", "dead-letters", "purge"]).ok(), "dropped 1\n");
    assert_eq!(server.run(&["timers", "dead-letters", "list"]).ok(), "no dead letters\n");
}
