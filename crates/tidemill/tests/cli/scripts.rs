//! Scripts and pipes rely on these: help, exit codes, JSON on both outputs, readers that go away.

use crate::harness::{Cli, Place};
use crate::{ADD, text};
use serde_json::Value;
use std::process::{Command, Stdio};

#[test]
fn every_command_has_its_own_help() {
    let cli = Cli::offline();
    let help = cli.run(&["--help"]).ok();
    for words in ["Deploy BPMN files", "Start an instance", "Publish a message", "Work on jobs"] {
        assert!(help.contains(words), "{words} in {help}");
    }
    let help = cli.run(&["worker", "--help"]).ok();
    for words in ["TIDEMILL_JOB_KEY", "standard input", "a BPMN error", "--url"] {
        assert!(help.contains(words), "{words} in {help}");
    }
}

#[test]
fn readers_may_leave_early() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let variables: Vec<String> = (0..3_000).map(|n| format!("\"v{n}\": \"{}\"", "x".repeat(100))).collect();
    let variables = place.file("many.json", &format!("{{{}}}", variables.join(",")));
    let key = server.run(&["start", "add", "-v", &format!("@{variables}")]).ok();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tidemill"))
        .args(["show", key.trim(), "--url", server.url()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn all_instances_are_tried_and_failures_told_as_json() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    let cancelled = server.run(&["cancel", "7", key.trim(), "8", "--json"]);
    assert_eq!(cancelled.code, 4);
    let done: Value = serde_json::from_str(&cancelled.stdout).expect("JSON");
    assert_eq!(text(&done["processInstanceKey"]), key.trim());
    let failures: Vec<Value> =
        cancelled.stderr.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(failures.len(), 2);
    assert_eq!((&failures[0]["exitCode"], &failures[0]["problem"]["status"]), (&4.into(), &404.into()));
}

#[test]
fn an_address_that_is_none_is_a_mistake_on_the_command_line() {
    let cli = Cli::offline();
    for url in ["localhost 8080", "ftp://127.0.0.1:1", ""] {
        let ran = cli.run(&["instances", "--url", url]);
        assert_eq!(ran.code, 2, "{url}: {}", ran.stderr);
    }
}

#[test]
fn a_resolved_incident_leaves_the_job_alone() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    assert_eq!(server.run(&["worker", "sum", "--exec", "exit 3", "--jobs", "3"]).code, 8);
    let shown = server.run(&["show", key.trim(), "--json"]).json();
    let incident = text(&shown["incidents"][0]["incidentKey"]).to_owned();
    assert!(server.run(&["show", key.trim()]).ok().contains("0 retries left"));
    server.run(&["resolve", &incident]).ok();
    let listed = server.run(&["jobs"]).ok();
    assert!(listed.contains("RETRIES_UPDATED"), "every job that has not ended is listed: {listed}");
    assert!(server.run(&["show", key.trim()]).ok().contains("1 retry left"));
    assert_ne!(server.run(&["resolve", &incident, "--retries", "9"]).code, 0);
    let shown = server.run(&["show", key.trim(), "--json"]).json();
    assert_eq!(shown["jobs"][0]["retries"], 1);
}

#[test]
fn a_job_in_work_tells_who_holds_it() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    std::thread::scope(|scope| {
        let go = place.file("go", "");
        let wait = format!("while [ -e {go} ]; do sleep 0.05; done");
        scope.spawn({
            let (server, wait) = (&server, wait.clone());
            move || server.run(&["worker", "sum", "--exec", &wait, "--jobs", "1", "--name", "ada"]).ok()
        });
        assert!(server.run(&["show", key.trim()]).until(|out| out.contains("held by ada until 2")));
        assert!(server.run(&["jobs"]).ok().contains("ada"));
        std::fs::remove_file(go).expect("it is there");
    });
}
