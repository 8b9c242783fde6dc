//! Lists and trees where there are several partitions and called instances.

use crate::harness::Place;
use crate::{ADD, text};
use serde_json::{Value, json};

const CALLER: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <process id="caller" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="call"/>
    <callActivity id="call"><extensionElements><zeebe:calledElement processId="add"/></extensionElements></callActivity>
    <sequenceFlow id="b" sourceRef="call" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

#[test]
fn the_newest_of_all_partitions_come_first() {
    let place = Place::new();
    let server = place.serve_with(&["--partitions", "4"]);
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let start = || {
        let key = server.run(&["start", "add"]).ok().trim().to_owned();
        // Two starts of one millisecond have no order.
        std::thread::sleep(std::time::Duration::from_millis(5));
        key
    };
    let mut started: Vec<String> = (0..8).map(|_| start()).collect();
    started.reverse();
    let listed = |kind: &str| -> Vec<String> {
        let answer: Value =
            serde_json::from_str(&server.run(&[kind, "--json", "--limit", "5"]).ok()).expect("JSON");
        let items = answer["items"].as_array().expect("a list");
        items.iter().map(|item| text(&item["processInstanceKey"]).to_owned()).collect()
    };
    assert_eq!(listed("instances"), started[..5]);
    assert_eq!(listed("jobs"), started[..5]);
}

#[test]
fn keys_are_texts_wherever_scripts_read_them() {
    let place = Place::new();
    let server = place.serve_with(&["--partitions", "4"]);
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let keys: Vec<String> = (0..4).map(|_| server.run(&["start", "add"]).ok().trim().to_owned()).collect();
    for key in &keys {
        server.run(&["cancel", key]).ok();
    }
    let log = server.run(&["admin", "log", "--json"]).ok();
    let mut canceled: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|entry| entry["kind"] == "cancelProcessInstance")
        .map(|mut entry| entry["command"]["processInstanceKey"].take())
        .collect();
    let mut wanted: Vec<Value> = keys.iter().map(|key| json!(key)).collect();
    canceled.sort_by_key(ToString::to_string);
    wanted.sort_by_key(ToString::to_string);
    assert_eq!(canceled, wanted);
}

#[test]
fn an_incident_of_a_called_instance_is_shown_with_its_caller() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD), &place.file("caller.bpmn", CALLER)]).ok();
    let key = server.run(&["start", "caller"]).ok();
    server.run(&["worker", "sum", "--jobs", "3", "--exec", "exit 1"]);
    let shown = server.run(&["show", key.trim()]).ok();
    let (calls, incident) = (shown.find("calls add"), shown.find("JOB_NO_RETRIES"));
    assert!(calls.is_some() && incident > calls, "{shown}");
}

#[test]
fn what_cannot_be_meant_is_a_mistake_on_the_command_line() {
    let place = Place::new();
    let server = place.serve();
    for wrong in [
        &["jobs", "--instance", "abc"][..],
        &["jobs", "--limit", "0"],
        &["start", "add", "--variables", "{"],
        &["start", "add", "--variables", "[1]"],
    ] {
        assert_eq!(server.run(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn a_server_that_is_refused_leaves_nothing_behind() {
    let place = Place::new();
    let server = place.serve();
    let address = server.url().trim_start_matches("http://").to_owned();
    let data = place.path("second");
    let refused = |flags: &[&str], why: &str| {
        let ran = server.run(&[&["serve", "--data", &data], flags].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(!std::path::Path::new(&data).exists(), "{flags:?} has made the store");
    };
    refused(&["--http", &address], "is another server running there?");
    refused(&["--http", "127.0.0.1:0", "--partitions", "0"], "1 to 1024");
    let settings = place.file("none.toml", "partitions = 0");
    refused(&["--http", "127.0.0.1:0", "--config", &settings], "1 to 1024");
}

/// Called instances are found all at once, and each element of a scope by its index.
#[test]
fn an_instance_with_a_thousand_calls_is_shown_in_seconds() {
    let place = Place::new();
    let server = place.serve();
    let called = "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" targetNamespace=\"t\">\
        <process id=\"called\" isExecutable=\"true\"><startEvent id=\"s\"/></process></definitions>";
    let caller = "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
        xmlns:zeebe=\"http://camunda.org/schema/zeebe/1.0\" targetNamespace=\"t\"><process id=\"caller\" \
        isExecutable=\"true\"><startEvent id=\"s\"/><sequenceFlow id=\"f\" sourceRef=\"s\" targetRef=\"calls\"/>\
        <callActivity id=\"calls\"><extensionElements><zeebe:calledElement processId=\"called\"/></extensionElements>\
        <multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics \
        inputCollection=\"=for i in 1..1000 return i\" inputElement=\"i\"/></extensionElements>\
        </multiInstanceLoopCharacteristics></callActivity></process></definitions>";
    server.run(&["deploy", &place.file("called.bpmn", called), &place.file("caller.bpmn", caller)]).ok();
    let ended = server.run(&["start", "caller", "--await", "--json"]).json();
    let key = text(&ended["processInstanceKey"]).to_owned();
    let began = std::time::Instant::now();
    let shown = server.run(&["show", &key]).ok();
    assert_eq!(shown.matches("calls called ").count(), 1_000, "{shown}");
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "it took {:?}", began.elapsed());
}
