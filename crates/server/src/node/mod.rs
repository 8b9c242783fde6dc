//! A node: the partitions that it owns, the way to those that others own, and the one door to all of them.

mod activation;
mod await_end;
mod broker;
mod execute;
mod loops;
mod meter;
mod ownership;
mod peer_notifier;
mod peers;
mod plan;
mod routes;
mod store_health;
mod timers;
mod told;
mod upkeep;
mod welcome;

use crate::clock::Clock;
use crate::cluster::Peers;
use crate::definitions::{DefinitionCache, DefinitionCacheConfig};
use crate::machine::{Machine, ServerMachine};
use crate::metrics::Metrics;
use crate::partition::{CommandLock, PartitionCall, PartitionHandle};
use crate::telemetry::Telemetry;
use crate::timers::deliver::{CallbackOutcomes, CallbackSettings, Callbacks};
use crate::timers::{FiredHook, LoopNumbers};
use futures_util::future::{AbortHandle, abortable};
use loops::Loops;
use meter::Meter;
use peer_notifier::PeerNotifier;
use routes::{Owner, Routes};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store_health::StoreHealth;
use tidemill_model::{PartitionId, Text};
use tidemill_store::{Error, HolderId, Kept, NodeInfo, PoolUse, Result, Retention, Store};
use tokio::sync::Notify;
use tokio::time::Instant;
use welcome::Welcome;

/// The settings of a node.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// The address at which clients and other nodes reach this node.
    pub host: String,
    pub port: u16,
    /// Others may take a partition over after its owner was silent for so long.
    pub lease: Duration,
    /// The time for which ended instances are kept; none keeps them for ever.
    pub history_retention: Option<Duration>,
    /// The time for which the command log is kept as audit.
    pub log_retention: Duration,
    /// None where nobody else can open the store.
    pub cluster: Option<ClusterConfig>,
    /// A command that has no answer by then gets none; it may still be run.
    pub answer_limit: Duration,
    /// Commands that may wait in the inbox of a partition before clients are turned away.
    pub inbox_max: u64,
    pub timers: TimersConfig,
    /// How callbacks of timers are sent. None sends none: they wait for a node that does.
    pub callbacks: Option<CallbackSettings>,
    /// For measurements.
    pub on_fired: Option<FiredHook>,
    pub definitions: DefinitionCacheConfig,
    /// The node counts its work for the page of metrics.
    pub counts: bool,
    /// Where traces go; none traces nothing.
    pub telemetry: Option<Arc<Telemetry>>,
}

/// Service timers of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimersConfig {
    /// For all partitions of the store together, as if this node had them all.
    pub memory_bytes: usize,
    /// Timers that one commit fires at most. After a long stop it decides how fast those are made up for that are overdue.
    pub fired_per_commit: usize,
    /// So long an own id is known after its timer has fired. Zero by default: a delivery that was taken back counts as fired too.
    pub fired_ids_kept: Duration,
}

impl Default for TimersConfig {
    fn default() -> TimersConfig {
        TimersConfig { memory_bytes: 128 << 20, fired_per_commit: 20_000, fired_ids_kept: Duration::ZERO }
    }
}

impl NodeConfig {
    /// The retention that counts where operators have set nothing in the store.
    pub fn retention(&self) -> Retention {
        let history = self.history_retention.map_or(Kept::Forever, Kept::For);
        Retention { history: Some(history), log: Some(Kept::For(self.log_retention)) }
    }
}

/// For nodes that share a store.
#[derive(Clone, Debug, Default)]
pub struct ClusterConfig {
    /// The secret by which nodes know each other. A node without one stays alone.
    pub secret: Option<String>,
}

impl Default for NodeConfig {
    fn default() -> Self {
        NodeConfig {
            host: "127.0.0.1".to_owned(),
            port: 8080,
            lease: Duration::from_secs(5),
            history_retention: None,
            log_retention: Duration::from_secs(24 * 60 * 60),
            cluster: None,
            answer_limit: Duration::from_secs(10),
            inbox_max: tidemill_store::LAG_COUNT_MAX,
            timers: TimersConfig::default(),
            callbacks: None,
            on_fired: None,
            definitions: DefinitionCacheConfig::default(),
            counts: true,
            telemetry: None,
        }
    }
}

pub struct Node {
    config: NodeConfig,
    machine: Arc<dyn Machine>,
    store: Arc<dyn Store>,
    clock: Arc<Clock>,
    holder: HolderId,
    loops: Loops,
    routes: Routes,
    /// None where nobody else can open the store.
    peers: Option<Peers>,
    notifier: PeerNotifier,
    definitions: Arc<DefinitionCache>,
    metrics: Arc<Metrics>,
    /// Counts the commands that wait in the inboxes.
    meter: Meter,
    /// The newest version of definitions that this node has heard of.
    newest_definitions: Arc<AtomicU64>,
    /// Counts what goes round.
    turns: AtomicUsize,
    /// Counts requests that other nodes run for this one.
    requests: AtomicU64,
    /// Tells that ownership has changed: it is looked at before the next beat.
    ownership_changed: Notify,
    is_leaving: AtomicBool,
    /// Tells that it is.
    leaving: Notify,
    /// A loop has stopped for a reason that does not pass.
    broken: Notify,
    store_health: StoreHealth,
    welcome: Welcome,
    /// None where none are sent.
    callbacks: Option<Arc<Callbacks>>,
    /// Held alone by a partition that runs what a predecessor may have died of.
    command_lock: CommandLock,
    tasks: Mutex<Vec<AbortHandle>>,
}

/// The place where a partition runs.
enum Location {
    Here(PartitionHandle),
    There(Owner),
    /// Nobody owns it that is known. A node is about to take it.
    Unowned,
}

impl Node {
    /// Announces the node, takes its share of the partitions and begins to work.
    pub async fn start(store: Arc<dyn Store>, config: NodeConfig) -> Result<Arc<Node>> {
        Node::start_on(Arc::new(ServerMachine), store, config).await
    }

    pub(crate) async fn start_on(
        machine: Arc<dyn Machine>,
        store: Arc<dyn Store>,
        config: NodeConfig,
    ) -> Result<Arc<Node>> {
        let clock = Arc::new(Clock::new(machine.clone()));
        // Unique per process start, also among machines that start at the same moment.
        let holder = Text::from(format!("node-{:x}-{:08x}", clock.now().0, machine.chance()));
        let alone = config.cluster.is_none().then(|| holder.clone());
        let peers = config
            .cluster
            .as_ref()
            .map(|cluster| Peers::over(machine.network(cluster.secret.as_deref().unwrap_or(""))));
        let callbacks = config.callbacks.as_ref().map(Callbacks::new).transpose();
        let callbacks = callbacks.map_err(|error| Error::Failed {
            place: "the settings of callbacks".to_owned(),
            reason: error.to_string(),
        })?;
        let metrics = Arc::new(Metrics::new(config.counts));
        if let Some(telemetry) = &config.telemetry {
            metrics.trace_with(telemetry.clone());
        }
        let newest_definitions = Arc::new(AtomicU64::new(store.definitions_version().await?));
        let definitions = DefinitionCache::new(
            config.definitions,
            store.clone(),
            newest_definitions.clone(),
            metrics.clone(),
        );
        let node = Arc::new(Node {
            callbacks,
            definitions: Arc::new(definitions),
            metrics,
            newest_definitions,
            machine,
            store,
            clock,
            loops: Loops::default(),
            routes: Routes::new(alone),
            holder,
            peers,
            notifier: PeerNotifier::default(),
            meter: Meter::default(),
            config,
            turns: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
            ownership_changed: Notify::new(),
            is_leaving: AtomicBool::new(false),
            leaving: Notify::new(),
            broken: Notify::new(),
            store_health: StoreHealth::default(),
            welcome: Welcome::default(),
            command_lock: Arc::default(),
            tasks: Mutex::new(Vec::new()),
        });
        node.check_secret().await?;
        node.check_welcome().await?;
        node.beat().await?;
        node.tell_others_to_look().await;
        node.follow_plan();
        node.begin_task(node.clone().own());
        node.begin_task(upkeep::run(node.clone()));
        node.begin_task(crate::definitions::warm_up(node.definitions.clone()));
        node.taken_share().await?;
        Ok(node)
    }

    /// Runs until the node stops.
    fn begin_task(&self, running: impl Future<Output = ()> + Send + 'static) {
        let (task, end) = abortable(running);
        self.tasks.lock().expect("nobody panics while holding it").push(end);
        self.spawn(async move {
            let _ = task.await;
        });
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.machine.spawn(Box::pin(task));
    }

    /// The routes for other nodes, on the listener that clients use. There are none for a node that is alone.
    pub fn internal_routes(self: &Arc<Self>) -> axum::Router {
        match self.config.cluster.as_ref().and_then(|cluster| cluster.secret.as_deref()) {
            Some(secret) => crate::cluster::routes(self.clone(), secret),
            None => axum::Router::new(),
        }
    }

    /// The name of this start of the server among the nodes of the store.
    pub fn name(&self) -> &str {
        &self.holder
    }

    /// The counts of this node's work.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    pub(crate) fn definitions(&self) -> &DefinitionCache {
        &self.definitions
    }

    pub fn partitions_owned(&self) -> usize {
        self.loops.all().len()
    }

    pub(crate) fn store_pools(&self) -> Vec<PoolUse> {
        self.store.pools()
    }

    pub(crate) fn timer_numbers(&self) -> Vec<(PartitionId, LoopNumbers)> {
        let handles = self
            .loops
            .all()
            .into_iter()
            .filter_map(|handle| self.loops.timers(handle.id).map(|t| (handle.id, t)));
        handles.map(|(id, timers)| (id, timers.health().numbers())).collect()
    }

    pub(crate) fn callback_outcomes(&self) -> Option<&CallbackOutcomes> {
        self.callbacks.as_ref().map(|callbacks| &callbacks.outcomes)
    }

    pub(crate) fn nodes_alive(&self) -> usize {
        self.routes.view().nodes.len()
    }

    /// Somebody else is there to take over what this node gives up.
    pub fn has_company(&self) -> bool {
        self.routes.view().nodes.iter().any(|node| node.holder != self.holder)
    }

    /// Sends away the workers that wait for jobs and those who wait for the end of an instance, so that no request
    /// keeps the server from stopping.
    pub async fn end_waits(&self) {
        self.begin_to_leave();
        for partition in self.loops.all() {
            let _ = partition.send_surely(PartitionCall::EndWaits).await;
        }
    }

    /// Finishes what runs, hands the partitions over and ends. Requests that are still open go to the new owners.
    pub async fn stop(&self) {
        self.begin_to_leave();
        for task in std::mem::take(&mut *self.tasks.lock().expect("nobody panics while holding it")) {
            task.abort();
        }
        if let Err(error) = self.store.announce(&self.info(), 0).await {
            tracing::warn!(%error, "could not say goodbye; others take over when the lease has run out");
        }
        self.tell_others_to_look().await;
        self.stop_loops().await;
        self.tell_others_to_look().await;
    }

    /// Waits until a partition has stopped for a reason that does not pass by itself.
    pub async fn broken(&self) {
        self.broken.notified().await;
    }

    fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Acquire)
    }

    fn begin_to_leave(&self) {
        self.is_leaving.store(true, Ordering::Release);
        self.leaving.notify_waiters();
    }

    /// Waits until the node begins to stop.
    async fn leaves(&self) {
        let mut leaving = std::pin::pin!(self.leaving.notified());
        leaving.as_mut().enable();
        if !self.is_leaving() {
            leaving.await;
        }
    }

    fn locate(&self, id: PartitionId) -> Location {
        if let Some(handle) = self.loops.get(id).filter(PartitionHandle::is_healthy) {
            return Location::Here(handle);
        }
        match self.routes.view().owner(id) {
            Some(owner) if owner.holder != self.holder => Location::There(owner),
            _ => Location::Unowned,
        }
    }

    /// Reads the owners again, because a partition was not found at its owner: it may have moved.
    async fn look_again(&self) {
        if let Err(error) = self.routes.refresh(&*self.store).await {
            tracing::debug!(%error, "could not read who owns what");
        }
    }

    fn info(&self) -> NodeInfo {
        NodeInfo {
            holder: self.holder.clone(),
            address: Some(format!("{}:{}", self.config.host, self.config.port)),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            is_draining: false,
        }
    }

    /// A node that has no secret can neither ask others nor tell them from strangers.
    async fn check_secret(&self) -> Result<()> {
        if self.config.cluster.as_ref().is_none_or(|cluster| cluster.secret.is_some()) {
            return Ok(());
        }
        let began = Instant::now();
        // A predecessor that died without a word counts as alive until its lease has run out.
        let patience = self.config.lease + self.config.lease / 2;
        loop {
            let others = self.store.nodes().await?;
            let Some(other) = others.first() else { return Ok(()) };
            if began.elapsed() > patience {
                return Err(Error::Failed {
                    place: "this node cannot join".to_owned(),
                    reason: format!(
                        "another node ({}) works on the same store. Nodes that share a store need a secret to know \
                         each other by: give all of them the same --cluster-secret (TIDEMILL_CLUSTER_SECRET)",
                        other.address.as_deref().unwrap_or(&other.holder)
                    ),
                });
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
