//! A node: the partitions that it owns, and the one door to them.

mod broker;
mod definitions;
mod upkeep;

use crate::broker::CommandError;
use crate::clock::Clock;
use crate::partition::{Partition, PartitionHandle, Request};
use definitions::DefinitionCache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tidemill_model::{PartitionId, Text};
use tidemill_store::{Error, HolderId, NodeInfo, Result, Store};
use tokio::task::JoinHandle;

/// How a node presents itself and how long it may be silent.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Where clients reach this node.
    pub host: String,
    pub port: u16,
    /// Others may take a partition over after its owner was silent for so long.
    pub lease: Duration,
    /// How long ended instances are kept; none keeps them for ever.
    pub history_retention: Option<Duration>,
    /// How long the command log is kept as audit.
    pub log_retention: Duration,
}

impl Default for NodeConfig {
    fn default() -> Self {
        NodeConfig {
            host: "127.0.0.1".to_owned(),
            port: 8080,
            lease: Duration::from_secs(5),
            history_retention: None,
            log_retention: Duration::from_secs(24 * 60 * 60),
        }
    }
}

pub struct Node {
    config: NodeConfig,
    store: Arc<dyn Store>,
    clock: Arc<Clock>,
    holder: HolderId,
    partitions: Vec<PartitionHandle>,
    definitions: DefinitionCache,
    next_partition: AtomicUsize,
    tasks: std::sync::Mutex<Vec<JoinHandle<()>>>,
    upkeep: JoinHandle<()>,
}

impl Node {
    /// Takes the store's partitions and begins to work.
    pub async fn start(store: Arc<dyn Store>, config: NodeConfig) -> Result<Arc<Node>> {
        let clock = Arc::new(Clock::new());
        let holder = holder_id(&clock);
        let lease_ms = config.lease.as_millis() as u64;
        store.announce(&node_info(&holder, &config), lease_ms).await?;
        let mut partitions = Vec::new();
        let mut tasks = Vec::new();
        let newest_definitions = Arc::new(AtomicU64::new(store.definitions_version().await?));
        for id in store.partition_count().ids() {
            let opened = open(&store, &clock, &newest_definitions, id, &holder, lease_ms).await?;
            tasks.push(tokio::spawn(opened.0.run()));
            partitions.push(opened.1);
        }
        let upkeep = tokio::spawn(upkeep::run(store.clone(), clock.clone(), holder.clone(), config.clone()));
        Ok(Arc::new(Node {
            config,
            definitions: DefinitionCache::new(store.clone()),
            store,
            clock,
            holder,
            partitions,
            next_partition: AtomicUsize::new(0),
            tasks: std::sync::Mutex::new(tasks),
            upkeep,
        }))
    }

    /// Sends away the workers that wait for jobs and those who wait for the end of an instance, so that no request
    /// keeps the server from stopping.
    pub async fn end_waits(&self) {
        for partition in &self.partitions {
            let _ = partition.send_surely(Request::EndWaits).await;
        }
    }

    /// Finishes what runs, hands the partitions over and ends.
    pub async fn stop(&self) {
        self.upkeep.abort();
        for partition in &self.partitions {
            let _ = partition.send_surely(Request::Stop).await;
        }
        let tasks = std::mem::take(&mut *self.tasks.lock().expect("nobody panics while holding it"));
        for task in tasks {
            let _ = task.await;
        }
    }

    /// Waits until a partition has stopped by itself, which it does only when it may no longer write.
    pub async fn broken(&self) {
        while self.partitions.iter().all(PartitionHandle::is_healthy) {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn partition(&self, id: PartitionId) -> std::result::Result<&PartitionHandle, CommandError> {
        let found = self.partitions.iter().find(|partition| partition.id == id);
        found.ok_or_else(|| CommandError::Unavailable(format!("nobody owns partition {id}")))
    }

    /// New instances go round.
    fn any_partition(&self) -> &PartitionHandle {
        let next = self.next_partition.fetch_add(1, Ordering::Relaxed);
        &self.partitions[next % self.partitions.len()]
    }
}

async fn open(
    store: &Arc<dyn Store>,
    clock: &Arc<Clock>,
    newest_definitions: &Arc<AtomicU64>,
    id: PartitionId,
    holder: &HolderId,
    lease_ms: u64,
) -> Result<(Partition, PartitionHandle)> {
    // A predecessor that died without a word keeps its partitions until its lease has run out.
    let patience = Duration::from_millis(lease_ms * 2);
    let began = std::time::Instant::now();
    loop {
        let (clock, definitions) = (clock.clone(), newest_definitions.clone());
        let opened = Partition::open(store.clone(), clock, definitions, id, holder.clone(), lease_ms);
        match opened.await? {
            Some(opened) => return Ok(opened),
            None if began.elapsed() > patience => {
                return Err(Error::Failed {
                    place: format!("partition {id}"),
                    reason: "another running server owns it".to_owned(),
                });
            }
            None => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

fn node_info(holder: &HolderId, config: &NodeConfig) -> NodeInfo {
    NodeInfo {
        holder: holder.clone(),
        address: Some(format!("{}:{}", config.host, config.port)),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Unique per process start.
fn holder_id(clock: &Clock) -> HolderId {
    Text::from(format!("node-{}-{:x}", std::process::id(), clock.now().0))
}
