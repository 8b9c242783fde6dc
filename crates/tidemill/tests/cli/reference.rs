//! The examples of the API reference: every one is sent to a server, and answered with the status that the reference
//! shows; `./test full` compares the answers member by member.
//!
//! `TIDEMILL_WRITE_EXAMPLES=1 cargo test --test cli reference` writes them anew, after a change of the API.

use crate::harness::{Place, Server};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use ureq::http::Request;

/// Where answers are too long to be read.
const SHOWN_CHARS_MAX: usize = 600;
/// Members whose values depend on the machine and the moment.
const VARYING: [&str; 21] = [
    "address",
    "amounts",
    "batch",
    "brokerId",
    "bytes",
    "clusterId",
    "commandPosition",
    "detail",
    "endCursor",
    "epoch",
    "gatewayVersion",
    "host",
    "level",
    "minutes",
    "node",
    "port",
    "position",
    "slot",
    "slots",
    "startCursor",
    "version",
];

const PARCEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <message id="m" name="delivered">
    <extensionElements><zeebe:subscription correlationKey="=parcelId"/></extensionElements>
  </message>
  <process id="parcel" name="Parcel" isExecutable="true">
    <startEvent id="sent"/>
    <sequenceFlow id="to-wait" sourceRef="sent" targetRef="wait"/>
    <receiveTask id="wait" name="Wait for the delivery" messageRef="m"/>
    <boundaryEvent id="late" attachedToRef="wait" cancelActivity="false">
      <timerEventDefinition><timeDuration>P2D</timeDuration></timerEventDefinition>
    </boundaryEvent>
    <sequenceFlow id="to-told" sourceRef="late" targetRef="told"/>
    <endEvent id="told"/>
    <sequenceFlow id="to-done" sourceRef="wait" targetRef="done"/>
    <endEvent id="done"/>
  </process>
</definitions>"#;

#[derive(Deserialize)]
struct Step {
    operation: String,
    path: String,
    #[serde(default)]
    body: Option<Value>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Values of the answer that later steps need, by name.
    #[serde(default)]
    keep: BTreeMap<String, String>,
    /// 200 where none is given.
    status: Option<u16>,
    /// Needed for others, and no example.
    #[serde(default)]
    quiet: bool,
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn recorded_file() -> PathBuf {
    repository().join("crates/server/src/gateway/reference/examples.json")
}

/// A run of the script: what it has learnt so far.
struct Run<'a> {
    server: &'a Server,
    /// The methods of all operations, by name.
    methods: BTreeMap<String, String>,
    known: BTreeMap<String, String>,
}

impl Run<'_> {
    fn filled(&self, text: &str) -> String {
        self.known
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    fn body(&self, step: &Step) -> Option<Value> {
        let body = step.body.as_ref()?;
        Some(serde_json::from_str(&self.filled(&body.to_string())).expect("JSON"))
    }

    /// The answer when it no longer says that something waits: a command that nobody waited for runs in a moment.
    fn settled(&self, step: &Step) -> (u16, Value) {
        let began = Instant::now();
        loop {
            let (status, answer) = self.send(step);
            if answer["state"] != "WAITING" || began.elapsed() > PATIENCE {
                return (status, answer);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Status and answer; what is no JSON comes as a text.
    fn send(&self, step: &Step) -> (u16, Value) {
        let url = format!("{}{}", self.server.url(), self.filled(&step.path));
        let method =
            self.methods.get(&step.operation).unwrap_or_else(|| panic!("{} is unknown", step.operation));
        let mut request = Request::builder().method(method.to_uppercase().as_str()).uri(url);
        for (name, value) in &step.headers {
            request = request.header(name, value);
        }
        let body = match self.body(step) {
            Some(body) => {
                request = request.header("content-type", "application/json");
                body.to_string().into_bytes()
            }
            None if step.files.is_empty() => Vec::new(),
            None => {
                request = request.header("content-type", "multipart/form-data; boundary=example-boundary");
                multipart(&step.files)
            }
        };
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut answer = agent.run(request.body(body).expect("a request")).expect("the server answers");
        let text = answer.body_mut().read_to_string().expect("a text");
        let value =
            serde_json::from_str(&text).unwrap_or(if text.is_empty() { Value::Null } else { json!(text) });
        (answer.status().as_u16(), value)
    }
}

const PATIENCE: Duration = Duration::from_secs(20);

fn multipart(files: &[String]) -> Vec<u8> {
    let mut body = Vec::new();
    for name in files {
        let content = match name.as_str() {
            "order.bpmn" => std::fs::read_to_string(repository().join("examples/order.bpmn")).expect("there"),
            "parcel.bpmn" => PARCEL.to_owned(),
            "check.rpa" => r#"{"id": "check", "name": "Check", "script": "*** Tasks ***"}"#.to_owned(),
            other => std::fs::read_to_string(repository().join("tests/models").join(other)).expect("there"),
        };
        let head = format!(
            "--example-boundary\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend_from_slice(format!("{head}{content}\r\n").as_bytes());
    }
    body.extend_from_slice(b"--example-boundary--\r\n");
    body
}

/// Replaces values that differ from run to run by those that readers know.
fn as_shown(value: &Value, address: &str, backup: &str) -> Value {
    let text = value.to_string().replace(address, "127.0.0.1:8080").replace(backup, "/backup");
    let port = address.rsplit(':').next().expect("a port");
    let mut shown: Value =
        serde_json::from_str(&text.replace(&format!("\"port\":{port}"), "\"port\":8080")).expect("JSON");
    if let Value::String(text) = &mut shown
        && text.chars().count() > SHOWN_CHARS_MAX
    {
        *text = text.chars().take(SHOWN_CHARS_MAX).chain(" ...".chars()).collect();
    }
    shown
}

/// Two runs of the same step may differ in keys, dates and what the machine says of itself.
fn is_alike(one: &Value, other: &Value, name: &str) -> bool {
    let is_varying = VARYING.contains(&name) || name.ends_with("Ms") || name.ends_with("Key");
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let member = |map: &Map<String, Value>, name: &String| map.get(name).cloned();
            names.into_iter().all(|name| match (member(one, name), member(other, name)) {
                (Some(one), Some(other)) => is_alike(&one, &other, name),
                _ => false,
            })
        }
        _ if is_varying => true,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_alike(one, other, name))
        }
        (Value::String(one), Value::String(other)) => {
            one == other || (is_date(one) && is_date(other)) || (is_key(one) && is_key(other)) || is_file(one)
        }
        (Value::Number(_), Value::Number(_)) if name == "deadline" => true,
        (one, other) => one == other,
    }
}

fn is_date(text: &str) -> bool {
    text.len() >= 20 && text.as_bytes()[10] == b'T' && text[..4].parse::<u16>().is_ok()
}

fn is_key(text: &str) -> bool {
    text.len() >= 12 && text.rsplit(' ').next().is_some_and(|last| last.parse::<i64>().is_ok())
}

/// Drawings may change by a hair.
fn is_file(text: &str) -> bool {
    text.starts_with("<svg") || text.starts_with("<?xml")
}

fn run_script() -> Vec<Value> {
    let (place, copies) = (Place::new(), Place::new());
    let server = place.serve_with(&["--pinned-clock"]);
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/reference.json");
    let script = std::fs::read_to_string(script).expect("it is there");
    let steps: Vec<Step> = serde_json::from_str(&script).expect("JSON");
    let address = server.url().trim_start_matches("http://").to_owned();
    let backup = copies.path("").trim_end_matches('/').to_owned();
    let known =
        BTreeMap::from([("backup".to_owned(), backup.clone()), ("address".to_owned(), address.clone())]);
    let mut run = Run { server: &server, methods: methods(&server), known };
    let mut recorded = Vec::new();
    for step in &steps {
        // Steps for operations that this version does not offer wait for one that does.
        if !run.methods.contains_key(&step.operation) {
            continue;
        }
        let (status, answer) = run.settled(step);
        assert_eq!(status, step.status.unwrap_or(200), "{} {}: {answer}", step.operation, step.path);
        for (name, pointer) in &step.keep {
            let kept = answer.pointer(pointer).and_then(Value::as_str);
            let kept = kept.unwrap_or_else(|| panic!("{}: no {pointer} in {answer}", step.operation));
            run.known.insert(name.clone(), kept.to_owned());
        }
        if !step.quiet {
            let mut example = json!({"operation": step.operation, "path": as_shown(&json!(run.filled(&step.path)), &address, &backup), "status": status,
                "answer": as_shown(&answer, &address, &backup)});
            if let Some(body) = run.body(step) {
                example["body"] = as_shown(&body, &address, &backup);
            }
            if !step.files.is_empty() {
                example["files"] = json!(step.files);
            }
            recorded.push(example);
        }
    }
    recorded
}

/// From the page itself: it has the operations of operators as well.
fn methods(server: &Server) -> BTreeMap<String, String> {
    let page = ureq::get(format!("{}/docs", server.url())).call().expect("the page is there");
    let page = page.into_body().read_to_string().expect("a text");
    let mut found = BTreeMap::new();
    for article in page.split("<article id=\"").skip(1) {
        let (id, rest) = article.split_once('"').expect("a name");
        let (_, method) = rest.split_once("data-method=\"").expect("a form");
        found.insert(id.to_owned(), method.split('"').next().expect("a method").to_owned());
    }
    found
}

#[test]
fn examples_of_the_reference_are_what_the_server_answers() {
    let ran = run_script();
    if std::env::var_os("TIDEMILL_WRITE_EXAMPLES").is_some() {
        let text = serde_json::to_string_pretty(&ran).expect("JSON") + "\n";
        std::fs::write(recorded_file(), text).expect("it can be written");
        return;
    }
    let recorded = std::fs::read_to_string(recorded_file()).expect("it is there");
    let recorded: Vec<Value> = serde_json::from_str(&recorded).expect("JSON");
    let of =
        |examples: &[Value], id: &Value| examples.iter().find(|example| example["operation"] == *id).cloned();
    // A release shows answers member by member as they are; until then a change of one need not be recorded at once.
    let is_full = std::env::var_os("TIDEMILL_TEST_FULL").is_some();
    for example in &recorded {
        let now =
            of(&ran, &example["operation"]).unwrap_or_else(|| panic!("{} is gone", example["operation"]));
        assert_eq!(now["status"], example["status"], "{now:#}");
        let is_shown = match is_full {
            true => is_alike(&now["answer"], &example["answer"], ""),
            false => std::mem::discriminant(&now["answer"]) == std::mem::discriminant(&example["answer"]),
        };
        assert!(is_shown, "is:\n{now:#}\nbut is shown as:\n{example:#}");
    }
    for example in &ran {
        assert!(of(&recorded, &example["operation"]).is_some(), "not recorded: {}", example["operation"]);
    }
}
