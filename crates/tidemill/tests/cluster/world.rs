//! Several real servers on one real Postgres or Redis.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tidemill_store_conformance::servers::{StoreServer, store_arguments};

/// Long enough for a loaded machine; nothing waits so long unless it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const PARTITIONS: usize = 8;
/// For an activation that gives what there is.
pub(crate) const NO_WAIT: i64 = -1;
pub(crate) const SECRET: &str = "known-to-the-tests-only";

/// A schema, or a prefix of keys, that servers share.
pub(crate) struct World {
    pub(crate) schema: String,
    pub(crate) store_url: String,
}

pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    pub(crate) agent: ureq::Agent,
    /// The lines of its log.
    said: Arc<Mutex<Vec<String>>>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }
}

impl World {
    pub(crate) fn new() -> World {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let schema = format!("cluster_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        World { schema, store_url: StoreServer::shared().url() }
    }

    /// On a store that the test may stop.
    pub(crate) fn on(store: &StoreServer) -> World {
        World::at(store.url())
    }

    /// On a store that belongs to the test, by the way that this address takes.
    pub(crate) fn at(store_url: String) -> World {
        World { schema: "cluster".to_owned(), store_url }
    }

    /// Servers that have shared the partitions out among them.
    pub(crate) fn servers<const N: usize>(&self) -> [Server; N] {
        let servers = [(); N].map(|()| self.start());
        self.settle(&servers.iter().collect::<Vec<_>>());
        servers
    }

    pub(crate) fn start(&self) -> Server {
        self.start_with(&[])
    }

    /// With more arguments than all have.
    pub(crate) fn start_with(&self, arguments: &[&str]) -> Server {
        let mut command = self.command(Some(SECRET));
        command.args(arguments);
        self.try_start(command).unwrap_or_else(|said| panic!("the server has ended early: {said}"))
    }

    /// Gives the lines of its log if it ends before it is ready.
    pub(crate) fn try_start(&self, mut command: Command) -> Result<Server, String> {
        let mut child = command.spawn().expect("the server starts");
        let mut log = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            if log.read_line(&mut line).expect("a text") == 0 {
                child.wait().expect("it has ended");
                return Err(said);
            }
            if let Some((_, rest)) = line.split_once(" ready address=") {
                break rest.split_whitespace().next().expect("an address").to_owned();
            }
            said.push_str(&line);
        };
        // A full pipe would stop the server; what it says helps to understand a failed test.
        let (name, said) = (address.clone(), Arc::new(Mutex::new(Vec::new())));
        let heard = said.clone();
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                eprintln!("{name} {line}");
                heard.lock().expect("no holder panics").push(line);
            }
        });
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        Ok(Server { child, url: format!("http://{address}"), agent: config.build().into(), said })
    }

    pub(crate) fn command(&self, secret: Option<&str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
        command.args(["serve", "--http", "127.0.0.1:0"]);
        command.args(store_arguments(&self.store_url, &self.schema));
        command
            .args(["--partitions", &PARTITIONS.to_string()])
            .env("TIDEMILL_LOG", "info,tidemill_server=debug");
        if let Some(secret) = secret {
            command.env("TIDEMILL_CLUSTER_SECRET", secret);
        }
        command.stderr(Stdio::piped());
        command
    }

    /// Waits until every server sees all partitions evenly shared by exactly these.
    pub(crate) fn settle(&self, servers: &[&Server]) {
        let share = PARTITIONS / servers.len();
        for server in servers {
            eventually("the partitions are shared out", || {
                let owned = server.owned();
                owned.len() == servers.len()
                    && owned.iter().sum::<usize>() == PARTITIONS
                    && owned.iter().all(|count| *count == share || *count == share + 1)
            });
        }
    }
}

impl Server {
    pub(crate) fn get(&self, path: &str) -> Answer {
        let answer = self.agent.get(format!("{}{path}", self.url)).call().expect("the server answers");
        read(answer)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.try_post(path, body, &[]).expect("the server answers")
    }

    pub(crate) fn try_post(
        &self,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> Result<Answer, ureq::Error> {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        for (name, value) in [("content-type", "application/json")].iter().chain(headers) {
            request = request.header(*name, *value);
        }
        request.send(body.to_string()).map(read)
    }

    /// Hands over a change without waiting for it.
    pub(crate) fn put_async(&self, path: &str, body: &Value) -> u16 {
        let request = self.agent.put(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json").header("prefer", "respond-async");
        read(request.send(body.to_string()).expect("the server answers")).status
    }

    pub(crate) fn deploy(&self, name: &str, xml: &str) -> Value {
        let body = format!(
            "--part\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"{name}\"\r\n\r\n{xml}\r\n--part--\r\n"
        );
        let request = self.agent.post(format!("{}/v2/deployments", self.url));
        let request = request.header("content-type", "multipart/form-data; boundary=part");
        read(request.send(body).expect("the server answers")).ok()
    }

    pub(crate) fn create(&self, process: &str, variables: Value) -> String {
        let body = json!({"processDefinitionId": process, "variables": variables});
        key(&self.post("/v2/process-instances", &body).ok(), "processInstanceKey")
    }

    /// The keys of jobs that this server hands out.
    pub(crate) fn activate(&self, job_type: &str, jobs_max: usize, wait_ms: i64) -> Vec<Value> {
        self.activate_for(60_000, job_type, jobs_max, wait_ms)
    }

    /// Jobs that come back when they are not completed in this time.
    pub(crate) fn activate_for(
        &self,
        timeout_ms: i64,
        job_type: &str,
        jobs_max: usize,
        wait_ms: i64,
    ) -> Vec<Value> {
        let body = json!({
            "type": job_type, "worker": "test", "timeout": timeout_ms, "maxJobsToActivate": jobs_max,
            "requestTimeout": wait_ms,
        });
        self.post("/v2/jobs/activation", &body).ok()["jobs"].as_array().expect("a list").clone()
    }

    pub(crate) fn complete(&self, job: &Value) {
        let path = format!("/v2/jobs/{}/completion", key(job, "jobKey"));
        self.post(&path, &json!({})).ok();
    }

    pub(crate) fn state(&self, instance: &str) -> String {
        let answer = self.get(&format!("/v2/process-instances/{instance}")).ok();
        answer["state"].as_str().expect("a state").to_owned()
    }

    /// How many partitions each node has, as this server tells.
    pub(crate) fn owned(&self) -> Vec<usize> {
        let topology = self.get("/v2/topology").ok();
        let brokers = topology["brokers"].as_array().expect("a list");
        brokers.iter().map(|broker| broker["partitions"].as_array().expect("a list").len()).collect()
    }

    /// The lines of its log after so many.
    pub(crate) fn said_after(&self, lines: usize) -> Vec<String> {
        self.said.lock().expect("no holder panics")[lines..].to_vec()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// True once the process is gone.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < limit {
            if self.child.try_wait().expect("it can be asked").is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Hands over a command without waiting for it, and gives the place where its outcome will be.
    pub(crate) fn post_async(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> String {
        let headers = [headers, &[("prefer", "respond-async")]].concat();
        let accepted = self.try_post(path, body, &headers).expect("the server answers");
        assert_eq!(accepted.status, 202, "{}", accepted.body);
        format!("/v1/commands/{}", key(&accepted.body, "commandPosition"))
    }

    /// The outcome of such a command, once it no longer waits.
    pub(crate) fn outcome(&self, location: &str) -> Value {
        let mut outcome = Value::Null;
        eventually("the command no longer waits", || {
            outcome = self.get(location).ok();
            outcome["state"] != "WAITING"
        });
        outcome
    }

    /// As a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    pub(crate) fn wait(&mut self) {
        assert!(self.child.wait().expect("it ends").success(), "a clean stop");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(answer: ureq::http::Response<ureq::Body>) -> Answer {
    let status = answer.status().as_u16();
    let text = answer.into_body().read_to_string().expect("a text");
    Answer { status, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
}

#[track_caller]
pub(crate) fn key(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}")).to_owned()
}

#[track_caller]
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
    began.elapsed()
}

/// A process with these elements between start and end.
pub(crate) fn process(id: &str, elements: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
<message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="=order"/></extensionElements></message>
<process id="{id}" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="a"/>
{elements}<sequenceFlow id="f2" sourceRef="a" targetRef="e"/><endEvent id="e"/></process></definitions>"#
    )
}

pub(crate) fn one_task(id: &str, job_type: &str) -> String {
    process(
        id,
        &format!(
            r#"<serviceTask id="a"><extensionElements><zeebe:taskDefinition type="{job_type}"/></extensionElements></serviceTask>"#
        ),
    )
}
