//! A worker whose server goes away while a program runs: the outcome arrives later, or the loss is told.

use crate::ADD;
use crate::harness::Place;
use std::process::{Command, Stdio};

fn worker(url: &str, timeout: &str, exec: &str) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_tidemill"))
        .args(["worker", "sum", "--jobs", "1", "--timeout", timeout, "--url", url, "--exec", exec])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs")
}

#[test]
fn a_report_waits_for_the_server_to_come_back() {
    let place = Place::new();
    let (began, go) = (place.file("began", ""), place.file("go", ""));
    let exec = format!("rm {began}; while [ -e {go} ]; do sleep 0.05; done");
    let server = place.serve();
    let url = server.url().to_owned();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    let working = worker(&url, "60", &exec);
    while std::path::Path::new(&began).exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(server);
    std::fs::remove_file(go).expect("it is there");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let server = place.serve_at(url.trim_start_matches("http://"));
    let output = working.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(server.run(&["show", key.trim()]).ok().contains("COMPLETED"));
}

#[test]
fn a_lost_report_is_told_by_the_exit_code() {
    let place = Place::new();
    let (began, go) = (place.file("began", ""), place.file("go", ""));
    let exec = format!("rm {began}; while [ -e {go} ]; do sleep 0.05; done");
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    server.run(&["start", "add"]).ok();
    let working = worker(server.url(), "3", &exec);
    while std::path::Path::new(&began).exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(server);
    std::fs::remove_file(go).expect("it is there");
    let output = working.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("could not be reported"), "{said}");
}
