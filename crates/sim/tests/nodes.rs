//! Whole nodes in simulated time, in situations that are set up on purpose: each once went wrong.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_model::command::{ActivateJobs, CreateInstance, DefinitionRef, Deploy, ResourceFile};
use tidemill_model::{Command, PartitionCount, PartitionId, TenantId, Text, Timestamp, Variables};
use tidemill_server::broker::{Broker, CommandOptions};
use tidemill_server::simulation::{self, Failure, Machine, Network};
use tidemill_server::{ClusterConfig, Node, NodeConfig};
use tidemill_store::{Error, Result};
use tidemill_store_memory::{Memory, Pace};
use tokio::time::Instant;

const LEASE: Duration = Duration::from_secs(3);

/// The nodes by their addresses.
#[derive(Clone, Default)]
struct Nodes(Arc<Mutex<BTreeMap<String, Arc<Node>>>>);

impl Nodes {
    fn at(&self, address: &str) -> Option<Arc<Node>> {
        self.0.lock().unwrap().get(address).cloned()
    }
}

#[async_trait]
impl Network for Nodes {
    async fn ask(&self, address: &str, question: Bytes) -> std::result::Result<Bytes, Failure> {
        let Some(node) = self.at(address) else { return Err(Failure::NotSent("nobody is there".to_owned())) };
        let reply = simulation::reply(&node, &question).await;
        reply.map(Bytes::from).map_err(|error| Failure::Lost(error.to_string()))
    }
}

struct TestMachine {
    nodes: Nodes,
    began: Instant,
    chances: AtomicU32,
}

impl Machine for TestMachine {
    fn time_of_day(&self) -> Timestamp {
        Timestamp(1_800_000_000_000 + self.began.elapsed().as_millis() as i64)
    }

    fn chance(&self) -> u32 {
        self.chances.fetch_add(1, Ordering::Relaxed)
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        tokio::spawn(task);
    }

    fn spawn_loop(&self, _id: PartitionId, running: BoxFuture<'static, ()>) {
        tokio::spawn(running);
    }

    fn spawn_timers(&self, _id: PartitionId, running: BoxFuture<'static, ()>) {
        tokio::spawn(running);
    }

    fn network(&self, _secret: &str) -> Arc<dyn Network> {
        Arc::new(self.nodes.clone())
    }
}

/// Calls of one name are held up or fail while that is wanted.
struct Disturbed {
    call: &'static str,
    is_on: AtomicBool,
    /// None: it fails.
    delay: Option<Duration>,
}

impl Disturbed {
    fn new(call: &'static str, delay: Option<Duration>) -> Arc<Disturbed> {
        Arc::new(Disturbed { call, is_on: AtomicBool::new(false), delay })
    }

    fn turn(&self, is_on: bool) {
        self.is_on.store(is_on, Ordering::Relaxed);
    }
}

#[async_trait]
impl Pace for Disturbed {
    async fn arrive(&self, call: &'static str) -> Result<()> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        if call != self.call || !self.is_on.load(Ordering::Relaxed) {
            return Ok(());
        }
        match self.delay {
            Some(delay) => {
                tokio::time::sleep(delay).await;
                Ok(())
            }
            None => {
                Err(Error::Unavailable { place: "the memory".to_owned(), reason: "as asked for".to_owned() })
            }
        }
    }

    async fn depart(&self, _call: &'static str) -> Result<()> {
        Ok(())
    }
}

struct Cluster {
    memory: Memory,
    nodes: Nodes,
    began: Instant,
}

impl Cluster {
    fn new(partitions: u16) -> Cluster {
        let began = Instant::now();
        let clock = move || Timestamp(1_800_000_000_000 + began.elapsed().as_millis() as i64);
        let memory = Memory::with_clock(PartitionCount(partitions), Arc::new(clock));
        Cluster { memory, nodes: Nodes::default(), began }
    }

    async fn start(&self, number: u32, pace: Arc<Disturbed>) -> Arc<Node> {
        let (nodes, began) = (self.nodes.clone(), self.began);
        let machine = Arc::new(TestMachine { nodes, began, chances: AtomicU32::new(number * 1_000) });
        let config = NodeConfig {
            host: format!("node-{number}"),
            port: 1,
            lease: LEASE,
            cluster: Some(ClusterConfig { secret: Some("a test".to_owned()) }),
            ..NodeConfig::default()
        };
        let store = Arc::new(self.memory.open_at(pace));
        let node = simulation::start(machine, store, config).await.unwrap();
        self.nodes.0.lock().unwrap().insert(format!("node-{number}:1"), node.clone());
        node
    }
}

fn simulated(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(test);
}

async fn partitions_of(node: &Node) -> BTreeSet<PartitionId> {
    simulation::memory_use(node).await.into_iter().map(|(id, _)| id).collect()
}

/// Its holder is alive, so nobody else takes it; and the plan names another, who waits for it.
#[test]
fn a_partition_that_was_claimed_and_could_not_be_opened_gets_an_owner() {
    simulated(async {
        let cluster = Cluster::new(4);
        let cannot_open = Disturbed::new("in_hand", None);
        cannot_open.turn(true);
        let first = cluster.start(1, cannot_open.clone()).await;
        assert!(partitions_of(&first).await.is_empty(), "it has claimed all and could open none");
        let second = cluster.start(2, Disturbed::new("in_hand", None)).await;
        cannot_open.turn(false);
        let all: BTreeSet<_> = PartitionCount(4).ids().collect();
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let (here, there) = (partitions_of(&first).await, partitions_of(&second).await);
            if here.union(&there).copied().collect::<BTreeSet<_>>() == all && !there.is_empty() {
                break;
            }
            assert!(Instant::now() < until, "owned by the first: {here:?}, by the second: {there:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
}

async fn execute(node: &Node, command: Command) {
    node.execute(command, CommandOptions::default()).await.unwrap();
}

/// Each partition is asked in turn. Their limits must not add up: the worker, and whoever it asks through, gives up before.
#[test]
fn a_worker_is_answered_in_time_although_no_partition_can_write() {
    simulated(async {
        let cluster = Cluster::new(4);
        let slow = Disturbed::new("commit", Some(Duration::from_secs(60)));
        let node = cluster.start(1, slow.clone()).await;
        execute(&node, work()).await;
        for _ in 0..8 {
            execute(&node, create()).await;
        }
        slow.turn(true);
        let command = activate("worker", 100);
        let asked_at = Instant::now();
        let jobs = node.activate_jobs(command, CommandOptions::default(), Duration::ZERO).await;
        assert!(asked_at.elapsed() <= Duration::from_secs(5), "it took {:?}", asked_at.elapsed());
        assert_eq!(jobs.map(|jobs| jobs.len()).ok(), Some(0));
    });
}

fn work() -> Command {
    let model = ModelBuilder::process("p").start("start");
    let xml = model.service_task("job", |task| task.job_type("work")).end("end").xml();
    let file = ResourceFile { name: Text::from("p.bpmn"), content: xml.into_bytes().into() };
    Command::Deploy(Deploy { tenant: TenantId::default(), files: vec![file] })
}

fn create() -> Command {
    Command::CreateInstance(Box::new(CreateInstance {
        definition: DefinitionRef::Latest(Text::from("p")),
        tenant: TenantId::default(),
        variables: Variables::default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }))
}

fn activate(worker: &str, jobs_max: u32) -> ActivateJobs {
    ActivateJobs {
        job_type: Text::from("work"),
        worker: Text::from(worker),
        timeout_ms: 60_000,
        jobs_max,
        fetch_variables: Vec::new(),
        tenants: vec![TenantId::default()],
        with_lease: false,
    }
}

/// The workers wait at a node that has all partitions. Then another node takes one of them.
#[test]
fn workers_that_wait_get_the_jobs_of_a_partition_that_has_moved_meanwhile() {
    simulated(async {
        let cluster = Cluster::new(2);
        let first = cluster.start(1, Disturbed::new("", None)).await;
        execute(&first, work()).await;
        let workers: Vec<_> = ["one", "other"]
            .into_iter()
            .map(|worker| {
                let node = first.clone();
                tokio::spawn(async move {
                    let (command, wait) = (activate(worker, 1), Duration::from_secs(60));
                    node.activate_jobs(command, CommandOptions::default(), wait).await
                })
            })
            .collect();
        let second = cluster.start(2, Disturbed::new("", None)).await;
        let until = Instant::now() + Duration::from_secs(20);
        while partitions_of(&second).await.is_empty() {
            assert!(Instant::now() < until, "the second node has taken nothing");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // One for each partition.
        execute(&first, create()).await;
        execute(&first, create()).await;
        let created_at = Instant::now();
        for worker in workers {
            assert_eq!(worker.await.unwrap().unwrap().len(), 1);
        }
        assert!(created_at.elapsed() < LEASE, "it took {:?}", created_at.elapsed());
    });
}
