//! A whole node over an embedded store in a directory of its own, spoken to without sockets. Every answer that
//! says yes is held against its description.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tidemill_model::PartitionCount;
use tidemill_server::gateway::schema::answer_misfit;
use tidemill_server::gateway::{Gateway, GatewayConfig, OperationsConfig};
use tidemill_server::timers::service::TimerService;
use tidemill_server::{ClusterConfig, Node, NodeConfig};
use tidemill_store_sqlite::{Options, SqliteStore};
use tower::ServiceExt;

/// Long enough for a loaded machine; nothing waits so long unless it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Operators show it.
pub(crate) const SECRET: &str = "known to operators";

pub(crate) struct World {
    dir: TempDir,
    partitions: u16,
    pub(crate) node: Arc<Node>,
    router: Router,
    description: Value,
}

pub(crate) struct Answered {
    path: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answered {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// The JSON of a 200.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{} {}", self.path, self.text);
        self.json()
    }

    #[track_caller]
    pub(crate) fn done(&self) {
        assert_eq!((self.status.as_u16(), self.text.as_str()), (204, ""), "{}", self.path);
    }

    /// A problem with exactly this status, title and detail.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, title: &str, detail: &str) {
        let problem = self.problem(status);
        let text = |name: &str| problem[name].as_str().expect("every problem has it").to_owned();
        assert_eq!((text("title").as_str(), text("detail").as_str()), (title, detail), "{}", self.path);
    }

    /// A refusal by the engine.
    #[track_caller]
    pub(crate) fn rejected(&self, status: u16, intent: &str, code: &str, reason: &str) {
        self.refused(status, code, &format!("Command '{intent}' rejected with code '{code}': {reason}"));
    }

    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{} {}", self.path, self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["type"], "about:blank");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["instance"], self.path);
        problem
    }
}

impl World {
    pub(crate) async fn new() -> World {
        World::with_partitions(1).await
    }

    pub(crate) async fn with_partitions(partitions: u16) -> World {
        World::open(TempDir::new().expect("a directory"), partitions, GatewayConfig::default()).await
    }

    pub(crate) async fn with_gateway(config: GatewayConfig) -> World {
        World::open(TempDir::new().expect("a directory"), 1, config).await
    }

    pub(crate) async fn with_node(config: NodeConfig) -> World {
        World::with_node_of(1, config).await
    }

    pub(crate) async fn with_node_of(partitions: u16, config: NodeConfig) -> World {
        World::open_as(TempDir::new().expect("a directory"), partitions, config, GatewayConfig::default())
            .await
    }

    /// A node that counts on others, and the store that it would share with them.
    pub(crate) async fn in_cluster() -> (World, Arc<SqliteStore>) {
        let dir = TempDir::new().expect("a directory");
        let store = make_store(&dir, 1).await;
        let cluster = Some(ClusterConfig { secret: Some("known to this test".to_owned()) });
        let config = NodeConfig { cluster, ..NodeConfig::default() };
        let world = World::begin(dir, 1, store.clone(), config, GatewayConfig::default()).await;
        (world, store)
    }

    async fn open(dir: TempDir, partitions: u16, config: GatewayConfig) -> World {
        World::open_as(dir, partitions, NodeConfig::default(), config).await
    }

    async fn open_as(dir: TempDir, partitions: u16, node: NodeConfig, config: GatewayConfig) -> World {
        let store = make_store(&dir, partitions).await;
        World::begin(dir, partitions, store, node, config).await
    }

    async fn begin(
        dir: TempDir,
        partitions: u16,
        store: Arc<SqliteStore>,
        node: NodeConfig,
        config: GatewayConfig,
    ) -> World {
        let node = Node::start(store.clone(), node).await.expect("a node");
        let config = GatewayConfig { pins_clock: true, ..config };
        let operations = OperationsConfig { secret: Some(SECRET.to_owned()), ..OperationsConfig::default() };
        let gateway = Gateway::new(node.clone(), store.clone(), store.clone(), config)
            .with_operations(store, operations)
            .with_timers(TimerService::new(node.clone()));
        let mut world = World { dir, partitions, node, router: gateway.router(), description: Value::Null };
        world.description = world.get("/openapi.json").await.ok();
        world
    }

    /// The same store under a new node.
    pub(crate) async fn restart(self) -> World {
        self.restart_with(NodeConfig::default()).await
    }

    pub(crate) async fn restart_with(self, config: NodeConfig) -> World {
        let World { dir, partitions, node, router, .. } = self;
        node.stop().await;
        drop((node, router));
        World::open_as(dir, partitions, config, GatewayConfig::default()).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answered {
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.expect("routers do not fail");
        let (head, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.expect("a whole body");
        let text = String::from_utf8(body.to_vec()).expect("answers are UTF-8");
        let answered = Answered { path, status: head.status, headers: head.headers, text };
        self.check_shape(&method, &answered);
        answered
    }

    fn check_shape(&self, method: &str, answered: &Answered) {
        let is_json = answered.headers.get("content-type").is_some_and(|kind| kind == "application/json");
        if answered.status == 200 && is_json && answered.path.starts_with("/v2/") {
            let operation = self.operation(method, &answered.path);
            let misfit = answer_misfit(&operation, 200, &answered.json());
            assert_eq!(misfit, None, "{operation} answered {}", answered.text);
        }
    }

    fn operation(&self, method: &str, path: &str) -> String {
        let fits = |template: &str| {
            let (known, given) = (template.split('/'), path.split('/'));
            known.clone().count() == given.clone().count()
                && known.zip(given).all(|(known, given)| known == given || known.starts_with('{'))
        };
        let paths = self.description["paths"].as_object().expect("an OpenAPI document");
        let ids = paths.iter().filter(|(template, _)| fits(template)).filter_map(|(template, methods)| {
            Some((template.matches('{').count(), methods[method.to_lowercase()]["operationId"].as_str()?))
        });
        ids.min().map(|(_, id)| id.to_owned()).unwrap_or_else(|| panic!("nobody describes {method} {path}"))
    }

    /// A request with a JSON text, or without a body where it is empty.
    pub(crate) async fn text(&self, method: &str, path: &str, body: &str) -> Answered {
        self.with_headers(method, path, body, &[]).await
    }

    pub(crate) async fn with_headers(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answered {
        let mut request = Request::builder().method(method).uri(path);
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Body::from(body.to_owned())).expect("a request")).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.text("GET", path, "").await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        self.text("POST", path, &body.to_string()).await
    }

    /// A POST without a body.
    pub(crate) async fn post_nothing(&self, path: &str) -> Answered {
        self.text("POST", path, "").await
    }

    pub(crate) async fn upload(&self, parts: &[(&str, Option<&str>, &str)]) -> Answered {
        self.upload_with(parts, &[]).await
    }

    pub(crate) async fn upload_with(
        &self,
        parts: &[(&str, Option<&str>, &str)],
        headers: &[(&str, &str)],
    ) -> Answered {
        let mut body = String::new();
        for (name, file, content) in parts {
            let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
            body += &format!(
                "--cut\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
            );
        }
        body += "--cut--\r\n";
        let mut request =
            Request::post("/v2/deployments").header("content-type", "multipart/form-data; boundary=cut");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Body::from(body)).expect("a request")).await
    }

    /// Deploys a process and gives its definition key.
    pub(crate) async fn deploy(&self, xml: &str) -> String {
        let deployed = self.upload(&[("resources", Some("process.bpmn"), xml)]).await.ok();
        text(&deployed["deployments"][0]["processDefinition"]["processDefinitionKey"])
    }

    /// Starts an instance of the latest version and gives its key.
    pub(crate) async fn create(&self, id: &str, variables: Value) -> String {
        let body = json!({"processDefinitionId": id, "variables": variables});
        text(&self.post("/v2/process-instances", body).await.ok()["processInstanceKey"])
    }

    /// Takes all jobs of a type that are there now.
    pub(crate) async fn activate(&self, job_type: &str) -> Vec<Value> {
        let body = json!({
            "type": job_type, "timeout": 60_000, "maxJobsToActivate": 100, "requestTimeout": -1,
        });
        let answered = self.post("/v2/jobs/activation", body).await.ok();
        answered["jobs"].as_array().expect("a list").clone()
    }

    pub(crate) async fn found(&self, what: &str, filter: Value) -> Vec<Value> {
        let found = self.post(&format!("/v2/{what}/search"), json!({"filter": filter})).await.ok();
        found["items"].as_array().expect("a list").clone()
    }

    /// The one thing that is found.
    pub(crate) async fn one(&self, what: &str, filter: Value) -> Value {
        let mut found = self.found(what, filter).await;
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        found.remove(0)
    }

    /// The same, for what other partitions have a part in.
    pub(crate) async fn soon(&self, what: &str, filter: Value, count: usize) -> Vec<Value> {
        let began = std::time::Instant::now();
        loop {
            let found = self.found(what, filter.clone()).await;
            if found.len() == count {
                return found;
            }
            assert!(began.elapsed() < PATIENCE, "{what} {filter}: {} instead of {count}", found.len());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) async fn state(&self, instance: &str) -> String {
        text(&self.get(&format!("/v2/process-instances/{instance}")).await.ok()["state"])
    }

    pub(crate) async fn wait_for_state(&self, instance: &str, state: &str) {
        self.soon("process-instances", json!({"processInstanceKey": instance, "state": state}), 1).await;
    }

    pub(crate) async fn pin_clock(&self, at: i64) {
        self.text("PUT", "/v2/clock", &json!({"timestamp": at}).to_string()).await.done();
    }
}

async fn make_store(dir: &TempDir, partitions: u16) -> Arc<SqliteStore> {
    let options =
        Options { partitions: PartitionCount(partitions), ..Options::new(dir.path().join("tidemill.db")) };
    Arc::new(open_store(&options).await)
}

/// The file stays locked until the last user of the old store is gone.
async fn open_store(options: &Options) -> SqliteStore {
    let began = std::time::Instant::now();
    loop {
        match SqliteStore::open(options) {
            Ok(store) => return store,
            Err(error) => assert!(began.elapsed() < PATIENCE, "cannot open the store: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}
