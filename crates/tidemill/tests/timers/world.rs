//! Servers on a store of their own, which can be killed, frozen and started again.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tidemill_store_conformance::servers::{StoreServer, store_arguments};

/// Long enough for a loaded machine; nothing waits so long unless it fails.
const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) enum Store {
    Embedded(TempDir),
    Shared { url: String, name: String },
}

impl Store {
    pub(crate) fn embedded() -> Store {
        Store::Embedded(tempfile::tempdir().expect("a directory"))
    }

    /// On Postgres, or on Redis where `TIDEMILL_TEST_STORE` says so.
    pub(crate) fn shared() -> Store {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("timers_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Store::Shared { url: StoreServer::shared().url(), name }
    }

    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    pub(crate) fn serve_with(&self, options: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
        command.args([
            "serve",
            "--http",
            "127.0.0.1:0",
            "--partitions",
            "2",
            "--callbacks-allow",
            "127.0.0.1",
        ]);
        command.args(options);
        match self {
            Store::Embedded(directory) => command.arg("--data").arg(directory.path()),
            Store::Shared { url, name } => command
                .args(store_arguments(url, name))
                .args(["--lease", "2s"])
                .env("TIDEMILL_CLUSTER_SECRET", "known-to-the-tests-only"),
        };
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut log = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(log.read_line(&mut line).expect("a text") > 0, "the server has ended early: {said}");
            if let Some((_, rest)) = line.split_once(" ready address=") {
                break rest.split_whitespace().next().expect("an address").to_owned();
            }
            said.push_str(&line);
        };
        // A full pipe would stop the server; what it says helps to understand a failed test.
        let name = address.clone();
        std::thread::spawn(move || {
            log.lines().map_while(Result::ok).for_each(|line| eprintln!("{name} {line}"));
        });
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        Server { child, url: format!("http://{address}"), agent: config.build().into() }
    }
}

pub(crate) struct Server {
    child: Child,
    url: String,
    agent: ureq::Agent,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// As `kill -9` does.
    pub(crate) fn kill(self) {
        drop(self);
    }

    pub(crate) fn freeze(&self) {
        self.signal(rustix::process::Signal::STOP);
    }

    pub(crate) fn thaw(&self) {
        self.signal(rustix::process::Signal::CONT);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("it runs");
    }

    pub(crate) fn send(&self, path: &str, media_type: &str, body: &str) -> (u16, String) {
        let request = self.agent.post(format!("{}{path}", self.url)).header("content-type", media_type);
        let mut response = request.send(body).expect("the server answers");
        (response.status().as_u16(), response.body_mut().read_to_string().expect("a text"))
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let (status, text) = self.send(path, "application/json", &body.to_string());
        assert!((200..300).contains(&status), "{path} {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let mut response = self.agent.get(format!("{}{path}", self.url)).call().expect("the server answers");
        serde_json::from_str(&response.body_mut().read_to_string().expect("a text")).unwrap_or_default()
    }

    /// Makes timers by one request, and gives the ids of those that were answered.
    pub(crate) fn create_all(&self, timers: &[Value]) -> Vec<String> {
        let lines: String = timers.iter().map(|timer| format!("{timer}\n")).collect();
        let (status, text) = self.send("/v1/timers/bulk", "application/x-ndjson", &lines);
        assert_eq!(status, 200, "{text}");
        let id = |line: &str| {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            answer["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
        };
        text.lines().map(id).collect()
    }

    pub(crate) fn deploy(&self) {
        let model = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
             <process id="started" isExecutable="true">
               <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>
             </process>
           </definitions>"#;
        let body = format!(
            "--part\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"started.bpmn\"\r\n\r\n{model}\r\n--part--\r\n"
        );
        let (status, text) = self.send("/v2/deployments", "multipart/form-data; boundary=part", &body);
        assert_eq!(status, 200, "{text}");
    }

    /// Instances of the process that timers start, whether they have ended or not.
    pub(crate) fn started(&self) -> u64 {
        let filter = json!({"filter": {"processDefinitionId": "started"}, "page": {"limit": 1}});
        self.post("/v2/process-instances/search", &filter)["page"]["totalItems"].as_u64().expect("a number")
    }
}

#[track_caller]
pub(crate) fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    let mut is_so = is_so;
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}: not so after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn callback(url: &str, delay_ms: u64) -> Value {
    json!({"delay": delay_ms, "target": {"type": "http", "url": url}, "payload": {"a": 1}})
}

pub(crate) fn batched(url: &str, delay_ms: u64) -> Value {
    json!({"delay": delay_ms, "target": {"type": "http", "url": format!("{url}/many"), "batch": 100}})
}

pub(crate) fn start_of_process(delay_ms: u64) -> Value {
    json!({"delay": delay_ms, "target": {"type": "process", "processDefinitionId": "started"}})
}

/// Few rounds usually, those of a release in `./test full`.
pub(crate) fn rounds(few: usize, full: usize) -> usize {
    if is_full() { full } else { few }
}

/// With the numbers of a release.
pub(crate) fn is_full() -> bool {
    std::env::var_os("TIDEMILL_TEST_FULL").is_some()
}
