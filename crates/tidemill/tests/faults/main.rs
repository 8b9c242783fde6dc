//! Commands that panic, run out of stack or cannot be stored: each is answered or put aside, and the partition
//! goes on.
#![cfg(debug_assertions)]

mod poison;
#[allow(unreachable_pub, reason = "shared by the scenarios of this file")]
mod server;
mod time;

use server::{Answer, Server, TempDir};
use std::time::{Duration, Instant};

const ASYNC: &[(&str, &str)] = &[("content-type", "application/json"), ("prefer", "respond-async")];

fn model(id: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
             <process id="{id}" isExecutable="true">
               <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>
             </process>
           </definitions>"#
    )
}

fn create(process_id: &str) -> String {
    format!(r#"{{"processDefinitionId":"{process_id}"}}"#)
}

fn prepare(server: &Server) {
    for id in ["good", "bad"] {
        server.deploy(&format!("{id}.bpmn"), &model(id));
    }
}

fn expect_good(server: &Server) {
    let answer = server.post("/v2/process-instances", &create("good"));
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// The outcome of an async command, once it is no longer waiting.
fn outcome(server: &Server, accepted: &Answer) -> Answer {
    let receipt: serde_json::Value = serde_json::from_str(&accepted.body).expect("a receipt");
    let position = receipt["commandPosition"].to_string().replace('"', "");
    let began = Instant::now();
    loop {
        let answer = server.get(&format!("/v1/commands/{position}"));
        if !answer.body.contains("WAITING") || began.elapsed() > Duration::from_secs(10) {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_command_that_panics_is_refused_and_the_partition_goes_on() {
    let data = TempDir::new("panic");
    let server = Server::start(&data.0, Some("panic:bad"));
    prepare(&server);
    let answer = server.post("/v2/process-instances", &create("bad"));
    assert_eq!(answer.status, 500, "{}", answer.body);
    assert!(answer.body.contains("panicked"), "{}", answer.body);
    expect_good(&server);
    let accepted =
        server.send("POST", "/v2/process-instances", ASYNC, create("bad").as_bytes()).expect("answers");
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    let outcome = outcome(&server, &accepted);
    assert!(outcome.body.contains("panicked"), "{}", outcome.body);
    expect_good(&server);
}

#[test]
fn a_command_that_the_store_refuses_is_put_aside_alone() {
    let data = TempDir::new("refuse");
    let server = Server::start(&data.0, Some("refuse:bad"));
    prepare(&server);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let send = |n: usize| {
            let server = &server;
            scope.spawn(move || {
                let id = if n == 7 { "bad" } else { "good" };
                (n, server.post("/v2/process-instances", &create(id)))
            })
        };
        let threads: Vec<_> = (0..16).map(send).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    for (n, answer) in answers {
        let expected = if n == 7 { 500 } else { 200 };
        assert_eq!(answer.status, expected, "request {n}: {}", answer.body);
    }
    let found = server.post("/v2/process-instances/search", "{}");
    assert!(found.body.contains(r#""totalItems":15"#), "{}", found.body);
}

#[test]
fn commits_of_unknown_outcome_are_settled_and_nothing_happens_twice() {
    let data = TempDir::new("doubt");
    let server = Server::start(&data.0, Some("doubt:bad"));
    prepare(&server);
    std::thread::scope(|scope| {
        for client in 0..8 {
            let server = &server;
            scope.spawn(move || {
                for n in 0..12 {
                    let id = if (client + n) % 4 == 0 { "bad" } else { "good" };
                    let answer = server.post("/v2/process-instances", &create(id));
                    assert_eq!(answer.status, 200, "{}", answer.body);
                    if n % 3 == 0 {
                        let body = create(id);
                        let accepted = server
                            .send("POST", "/v2/process-instances", ASYNC, body.as_bytes())
                            .expect("answers");
                        assert!(outcome(server, &accepted).body.contains("processInstanceKey"));
                    }
                }
            });
        }
    });
    let found = server.post("/v2/process-instances/search", "{}");
    assert!(found.body.contains(r#""totalItems":128"#), "{}", found.body);
}

/// Moves the store away and lays an empty file in its place.
fn replace_store(data: &TempDir) {
    let file = data.0.join("tidemill.db");
    std::fs::rename(&file, data.0.join("moved.db")).expect("moves");
    std::fs::write(&file, "").expect("writes");
}

#[test]
fn after_the_store_was_lost_nothing_is_answered_as_done() {
    let data = TempDir::new("replaced");
    let mut server = Server::start(&data.0, None);
    prepare(&server);
    expect_good(&server);
    replace_store(&data);
    let (began, mut is_refused) = (Instant::now(), false);
    let headers = [("content-type", "application/json")];
    while let Some(answer) = server.send("POST", "/v2/process-instances", &headers, create("good").as_bytes())
    {
        assert!(!(is_refused && answer.status == 200), "refused before, and now {}", answer.body);
        is_refused |= answer.status >= 500;
        assert!(began.elapsed() < Duration::from_secs(20), "nobody has noticed");
    }
    assert!(server.ends_within(Duration::from_secs(20)), "a server that cannot write ends");
}

#[test]
fn a_server_notices_by_itself_that_its_store_was_lost() {
    let data = TempDir::new("lost");
    let server = Server::start(&data.0, None);
    expect_ready(&server);
    replace_store(&data);
    let began = Instant::now();
    while server.send("GET", "/readyz", &[], b"").is_some_and(|answer| answer.status == 200) {
        assert!(began.elapsed() < Duration::from_secs(20), "it still calls itself ready");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn expect_ready(server: &Server) {
    assert_eq!(server.get("/readyz").status, 200);
}
