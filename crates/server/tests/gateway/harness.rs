//! A gateway under test: a broker that notes what it is asked and answers as it was told, and requests as short
//! as they can be.

use crate::no_store::NoStore;
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tidemill_bpmn::Process;
use tidemill_model::command::{ActivateJobs, CreateInstance};
use tidemill_model::*;
use tidemill_server::broker::*;
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tokio::sync::Notify;
use tower::ServiceExt;

/// A request that the broker got.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Asked {
    Execute(Command, CommandOptions),
    Enqueue(Command),
    Await(CreateInstance, Duration),
    Activate(ActivateJobs, Duration),
    Clock(Option<Timestamp>),
}

#[derive(Default)]
pub(crate) struct ToldBroker {
    pub(crate) asked: Mutex<Vec<Asked>>,
    pub(crate) answers: Mutex<VecDeque<Result<Answer, CommandError>>>,
    pub(crate) outcome: Mutex<Option<CommandOutcome>>,
    pub(crate) jobs: Mutex<Vec<ActivatedJob>>,
    pub(crate) is_down: Mutex<bool>,
    pub(crate) processes: Mutex<HashMap<DefinitionKey, Arc<Process>>>,
    /// Makes activations wait for ever; told when somebody gives one up.
    pub(crate) given_up: Mutex<Option<Arc<Notify>>>,
    /// How long commands take.
    pub(crate) pause: Mutex<Duration>,
}

struct TellWhenDropped(Arc<Notify>);

impl Drop for TellWhenDropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl ToldBroker {
    fn note(&self, asked: Asked) {
        self.asked.lock().expect("no test panics with it").push(asked);
    }

    fn answer(&self) -> Result<Answer, CommandError> {
        self.answers.lock().expect("no test panics with it").pop_front().unwrap_or(Ok(Answer::Done))
    }
}

#[async_trait]
impl Broker for ToldBroker {
    async fn execute(&self, command: Command, options: CommandOptions) -> Result<Answer, CommandError> {
        self.note(Asked::Execute(command, options));
        let pause = *self.pause.lock().expect("no test panics with it");
        tokio::time::sleep(pause).await;
        self.answer()
    }

    async fn enqueue(&self, command: Command, _: CommandOptions) -> Result<Receipt, CommandError> {
        self.note(Asked::Enqueue(command));
        self.answer().map(|_| Receipt { position: 77, received_at: Timestamp(0) })
    }

    async fn outcome(&self, position: i64) -> Result<Option<CommandOutcome>, CommandError> {
        Ok(self.outcome.lock().expect("no test panics with it").clone().filter(|_| position == 77))
    }

    async fn create_and_await(
        &self,
        command: CreateInstance,
        _: CommandOptions,
        timeout: Duration,
    ) -> Result<EndedInstance, CommandError> {
        self.note(Asked::Await(command, timeout));
        match self.answer()? {
            Answer::Created(created) => Ok(EndedInstance { created, is_completed: true }),
            other => panic!("told the wrong answer: {other:?}"),
        }
    }

    async fn activate_jobs(
        &self,
        command: ActivateJobs,
        _: CommandOptions,
        wait: Duration,
    ) -> Result<Vec<ActivatedJob>, CommandError> {
        self.note(Asked::Activate(command, wait));
        let given_up = self.given_up.lock().expect("no test panics with it").clone();
        if let Some(given_up) = given_up {
            let _guard = TellWhenDropped(given_up);
            std::future::pending::<()>().await;
        }
        self.answer().map(|_| self.jobs.lock().expect("no test panics with it").clone())
    }

    async fn process(&self, key: DefinitionKey) -> Result<Option<Arc<Process>>, CommandError> {
        Ok(self.processes.lock().expect("no test panics with it").get(&key).cloned())
    }

    async fn set_clock(&self, pinned_at: Option<Timestamp>) -> Result<(), CommandError> {
        self.note(Asked::Clock(pinned_at));
        Ok(())
    }

    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn topology(&self) -> Topology {
        let is_healthy = !*self.is_down.lock().expect("no test panics with it");
        let partitions = vec![OwnedPartition { id: PartitionId(1), is_healthy }];
        Topology {
            cluster_id: None,
            partitions: PartitionCount::ONE,
            nodes: vec![NodeView {
                id: 0,
                name: "node-0".into(),
                host: "127.0.0.1".into(),
                port: 8080,
                version: "0.1.0".into(),
                partitions,
            }],
        }
    }
}

pub(crate) fn gateway(broker: &Arc<ToldBroker>, config: GatewayConfig) -> Gateway {
    Gateway::new(broker.clone(), Arc::new(NoStore), Arc::new(NoStore), config)
}

pub(crate) struct Fixture {
    pub(crate) broker: Arc<ToldBroker>,
    pub(crate) router: Router,
}

pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// Title and detail of a problem, after checking that it is one.
    pub(crate) fn problem(&self, status: u16) -> (String, String) {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["type"], "about:blank");
        assert_eq!(problem["status"], status);
        assert!(problem["instance"].as_str().is_some_and(|path| path.starts_with('/')), "{problem}");
        let text = |name: &str| problem[name].as_str().expect("every problem has it").to_owned();
        (text("title"), text("detail"))
    }
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        Fixture::with(GatewayConfig::default())
    }

    pub(crate) fn with(config: GatewayConfig) -> Fixture {
        let broker = Arc::new(ToldBroker::default());
        let router = gateway(&broker, config).router();
        Fixture { broker, router }
    }

    pub(crate) fn tell(&self, answer: Result<Answer, CommandError>) {
        self.broker.answers.lock().expect("no test panics with it").push_back(answer);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.broker.asked.lock().expect("no test panics with it").clone()
    }

    /// The one command that was executed.
    pub(crate) fn executed(&self) -> Command {
        match self.asked().as_slice() {
            [Asked::Execute(command, _)] => command.clone(),
            other => panic!("not one command: {other:?}"),
        }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answered {
        let response = self.router.clone().oneshot(request).await.expect("routers do not fail");
        let (head, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.expect("a whole body");
        let text = String::from_utf8(body.to_vec()).expect("answers are UTF-8");
        Answered { status: head.status, headers: head.headers, text }
    }

    /// A request with a JSON text, or without a body where it is empty.
    pub(crate) async fn text(&self, method: &str, path: &str, body: &str) -> Answered {
        let mut request = Request::builder().method(method).uri(path);
        if !body.is_empty() || method != "GET" {
            request = request.header("content-type", "application/json");
        }
        self.send(request.body(Body::from(body.to_owned())).expect("a request")).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        self.text("POST", path, &body.to_string()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.text("GET", path, "").await
    }
}

pub(crate) fn created() -> CreatedInstance {
    CreatedInstance {
        instance: ProcessInstanceKey(11),
        definition: DefinitionKey(5),
        process_id: "order".into(),
        version: 3,
        tenant: TenantId::default(),
        tags: vec!["a:b".into()],
        business_id: None,
    }
}
