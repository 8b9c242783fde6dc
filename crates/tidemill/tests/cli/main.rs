//! The command line against a real server: what it prints, and the exit codes that scripts see.

mod admin;
mod bench;
mod connections;
mod escapes;
mod follow;
mod harness;
mod installed;
mod large_deployment;
mod lists;
mod memory;
mod metrics;
mod once;
mod reference;
mod render;
mod reports;
mod scripts;
mod timers;
mod tls;
mod values;
mod views;

use harness::{Cli, Place};
use serde_json::{Value, json};

const ADD: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <process id="add" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="sum"/>
    <serviceTask id="sum"><extensionElements><zeebe:taskDefinition type="sum"/></extensionElements></serviceTask>
    <sequenceFlow id="b" sourceRef="sum" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

const REVIEW: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="=orderId"/></extensionElements></message>
  <process id="review" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="payment"/>
    <intermediateCatchEvent id="payment"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
    <sequenceFlow id="b" sourceRef="payment" targetRef="look"/>
    <userTask id="look" name="Look at it"><extensionElements><zeebe:userTask/></extensionElements></userTask>
    <boundaryEvent id="late" attachedToRef="look">
      <timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>
    </boundaryEvent>
    <sequenceFlow id="c" sourceRef="look" targetRef="end"/>
    <sequenceFlow id="d" sourceRef="late" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is a text"))
}

#[test]
fn a_process_is_deployed_started_and_worked_on() {
    let place = Place::new();
    let server = place.serve();
    let file = place.file("add.bpmn", ADD);
    let table = server.run(&["deploy", &file]).ok();
    assert!(table.starts_with("KIND"), "{table}");
    assert!(table.contains("process  add  1"), "{table}");
    let key = server.run(&["start", "add", "--variables", r#"{"a": 1, "b": 2}"#]).ok();
    let key = key.trim();
    assert!(key.parse::<i64>().is_ok(), "{key}");
    let listed = server.run(&["instances", "--json"]).json();
    assert_eq!(text(&listed["items"][0]["processInstanceKey"]), key);
    assert!(server.run(&["jobs"]).ok().contains("sum"));
    let worked = server.run(&["worker", "sum", "--exec", r#"echo '{"sum": 3}'"#, "--jobs", "1"]).ok();
    assert!(worked.contains("completed"), "{worked}");
    let shown = server.run(&["show", key]).ok();
    assert!(shown.contains("COMPLETED") && shown.contains("sum = 3"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "colours are for terminals: {shown}");
    assert_eq!(server.run(&["instances"]).ok(), "no instances\n");
}

#[test]
fn waiting_for_the_end_gives_the_variables() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    std::thread::scope(|scope| {
        scope.spawn(|| server.run(&["worker", "sum", "--exec", "cat", "--jobs", "1"]).ok());
        let variables = place.file("variables.json", r#"{"a": 4}"#);
        let ended = server.run(&["start", "add", "--await", "-v", &format!("@{variables}")]).json();
        assert_eq!(ended, json!({"a": 4}));
    });
    let late = server.run(&["start", "add", "--await", "--timeout", "1"]);
    assert_eq!(late.code, 6, "{}", late.stderr);
    let (_, key) = late.stderr.split_once("processInstanceKey: ").expect("it says which instance goes on");
    assert!(server.run(&["show", key.trim()]).ok().contains("ACTIVE"));
}

#[test]
fn failures_and_errors_of_programs_reach_the_job() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    let key = key.trim();
    let failing = ["worker", "sum", "--exec", "echo out of paper >&2; exit 3", "--jobs", "3"];
    let failed = server.run(&failing);
    assert!(failed.stdout.contains("0 retries left: out of paper"), "{}", failed.stdout);
    assert_eq!(failed.code, 8, "whoever asked for jobs hears that they failed: {}", failed.stderr);
    let shown = server.run(&["show", key, "--json"]).json();
    let incident = &shown["incidents"][0];
    assert_eq!(text(&incident["errorMessage"]), "out of paper");
    assert!(server.run(&["instances", "--incidents"]).ok().contains(key));
    server.run(&["resolve", text(&incident["incidentKey"])]).ok();
    let throwing = ["worker", "sum", "--exec", r#"echo '{"errorCode": "E1"}'; exit 100"#, "--jobs", "1"];
    assert!(server.run(&throwing).ok().contains("error E1"));
    let shown = server.run(&["show", key]).ok();
    assert!(shown.contains("E1"), "{shown}");
    assert_eq!(server.run(&["cancel", key]).ok(), format!("cancelled instance {key}\n"));
    assert_eq!(server.run(&["cancel", key]).code, 4);
}

#[test]
fn messages_tasks_and_timers_are_seen() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("review.bpmn", REVIEW)]).ok();
    let key = server.run(&["start", "review", "-v", r#"{"orderId": "A-1"}"#]).ok();
    let key = key.trim();
    assert!(server.run(&["show", key]).ok().contains("message paid, key A-1"));
    assert_eq!(server.run(&["publish", "paid", "--key", "B-7", "--correlate"]).code, 4);
    assert_eq!(server.run(&["publish", "paid", "--key", "A-1", "--correlate"]).ok().trim(), key);
    let shown = server.run(&["show", key]).ok();
    assert!(shown.contains("of late  due "), "{shown}");
    let tasks = server.run(&["tasks", "--json"]).json();
    let task = text(&tasks["items"][0]["userTaskKey"]);
    assert!(server.run(&["tasks"]).ok().contains("Look at it"));
    server.run(&["complete-task", task]).ok();
    assert_eq!(server.run(&["complete-task", task]).code, 4);
    assert!(server.run(&["instances", "--state", "completed"]).ok().contains(key));
    assert!(server.run(&["signal", "nobody-listens"]).ok().trim().parse::<i64>().is_ok());
    assert!(server.run(&["publish", "later", "--ttl", "60"]).ok().trim().parse::<i64>().is_ok());
}

#[test]
fn refusals_say_why() {
    let place = Place::new();
    let server = place.serve();
    let wrong = place.file("wrong.bpmn", &ADD.replace("sourceRef=\"sum\"", "sourceRef=\"gone\""));
    let refused = server.run(&["deploy", &wrong]);
    assert_eq!(refused.code, 5);
    assert!(refused.stderr.contains(&format!("{wrong}:7:5: b: ")), "{}", refused.stderr);
    assert_eq!(refused.stderr.matches("gone").count(), 1, "each finding once: {}", refused.stderr);
    assert_eq!(server.run(&["start", "add"]).code, 4);
    assert_eq!(server.run(&["start", "add", "-v", "[1]"]).code, 2);
    assert_eq!(server.run(&["start"]).code, 2);
    assert_eq!(server.run(&["deploy", "no-such-file.bpmn"]).code, 1);
}

#[test]
fn nothing_is_needed_to_validate() {
    let place = Place::new();
    let cli = Cli::offline();
    let fine = place.file("add.bpmn", ADD);
    assert_eq!(cli.run(&["validate", &fine]).ok(), "the file is fine\n");
    let wrong = place.file("wrong.bpmn", &ADD.replace("sourceRef=\"sum\"", "sourceRef=\"gone\""));
    let found = cli.run(&["validate", &fine, &wrong]);
    assert_eq!(found.code, 7);
    assert!(found.stdout.starts_with(&format!("{wrong}:7:5: b: ")), "{}", found.stdout);
    let found = cli.run(&["validate", &wrong, "--json"]);
    let findings: Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!((found.code, &findings["findings"][0]["line"]), (7, &json!(7)));
    assert_eq!(cli.run(&["instances"]).code, 3);
    let missing = cli.run(&["validate", "nowhere.bpmn", "--json"]);
    let told: Value = serde_json::from_str(&missing.stderr).expect("JSON");
    assert_eq!((missing.code, &told["exitCode"]), (1, &json!(1)));
}

#[test]
fn files_are_validated_as_one_deployment() {
    let place = Place::new();
    let cli = Cli::offline();
    let model = place.file("add.bpmn", ADD);
    let form = place.file("ask.form", r#"{"id": "ask", "schemaVersion": 16, "components": []}"#);
    assert_eq!(cli.run(&["validate", &model, &form]).ok(), "all files are fine\n");
    let broken = place.file("broken.form", r#"{"components": "#);
    let refused = |files: &[&str], why: &str| {
        let found = cli.run(&[&["validate"], files].concat());
        assert_eq!(found.code, 7, "{}", found.stdout);
        assert!(found.stdout.contains(why), "{}", found.stdout);
    };
    refused(&[&model, &broken], "Failed to parse form JSON. '");
    refused(&[&model, &place.file("same.bpmn", ADD)], "Duplicated process id");
    let calling = r#"<callActivity id="sum"><extensionElements>
        <zeebe:calledElement processId="other" bindingType="deployment"/></extensionElements></callActivity>"#;
    let (start, end) = (ADD.find("<serviceTask").expect("there"), ADD.find("</serviceTask>").expect("there"));
    let open = format!("{}{calling}{}", &ADD[..start], &ADD[end + "</serviceTask>".len()..]);
    refused(&[&place.file("open.bpmn", &open)], "process with id 'other' in current deployment");
}

#[test]
#[cfg(debug_assertions)]
fn commands_that_were_put_aside_run_again_or_go() {
    let place = Place::new();
    let letters = {
        let server = place.serve_with_fault("panic:add");
        server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
        for _ in 0..2 {
            server.post_async("/v2/process-instances", r#"{"processDefinitionId": "add"}"#);
        }
        assert!(server.run(&["admin", "dead-letters", "list"]).until(|out| out.contains("panicked")));
        let shown = server.run(&["admin", "dead-letters", "list", "--json"]).json();
        let numbers =
            shown["items"].as_array().expect("a list").iter().map(|item| text(&item["number"]).to_owned());
        numbers.collect::<Vec<_>>()
    };
    assert_eq!(letters.len(), 2);
    let server = place.serve();
    let shown = server.run(&["admin", "dead-letters", "show", &letters[0]]).json();
    assert!(shown["command"]["CreateInstance"].is_object(), "{shown}");
    server.run(&["admin", "dead-letters", "retry", &letters[0]]).ok();
    assert!(server.run(&["instances"]).until(|out| out.contains("add")));
    server.run(&["admin", "dead-letters", "drop", &letters[1]]).ok();
    assert_eq!(server.run(&["admin", "dead-letters", "drop", &letters[1]]).code, 4);
    assert_eq!(server.run(&["admin", "dead-letters", "list"]).ok(), "no dead letters\n");
}

#[test]
fn settings_come_from_flags_variables_and_the_file() {
    let place = Place::new();
    let cli = Cli::offline();
    let open = cli.run(&["serve", "--http", "0.0.0.0:0"]);
    assert_eq!(open.code, 1);
    assert!(open.stderr.contains("--insecure-no-auth"), "{}", open.stderr);
    let redis = cli.run(&["serve", "--store", "redis://127.0.0.1:1"]);
    assert!(redis.code == 1 && redis.stderr.contains("cannot be reached"), "{}", redis.stderr);
    let cluster = cli.run(&["serve", "--store", "redis-cluster://127.0.0.1:1"]);
    assert!(cluster.code == 1 && cluster.stderr.contains("not in this version"), "{}", cluster.stderr);
    let postgres = cli.run(&["serve", "--store", "postgres://127.0.0.1:1/x"]);
    assert!(postgres.code == 1 && postgres.stderr.contains("cannot be reached"), "{}", postgres.stderr);
    let file = place.file("tidemill.toml", "colour = 'blue'");
    let unknown = cli.run(&["serve", "--config", &file]);
    assert!(unknown.code == 1 && unknown.stderr.contains("colour"), "{}", unknown.stderr);
    let file = place.file("tidemill.toml", "callbacks.allow = ['10.0.0.0/99']");
    let wrong = cli.run(&["serve", "--config", &file]);
    assert!(wrong.code == 1 && wrong.stderr.contains("10.0.0.0/99"), "{}", wrong.stderr);
    let keys = cli.run(&["serve", "--callbacks-keys", "nowhere.json", "--data", &place.path("data")]);
    assert!(keys.code == 1 && keys.stderr.contains("nowhere.json"), "{}", keys.stderr);
    let help = cli.run(&["serve", "--help"]).ok();
    assert!(help.contains("--callbacks-allow") && help.contains("TIDEMILL_CALLBACKS_KEYS"), "{help}");
    for option in
        ["--data", "--store", "--http", "--partitions", "--config", "TIDEMILL_CLUSTER_SECRET", "--wakeup"]
    {
        assert!(help.contains(option), "{option} in {help}");
    }
}
