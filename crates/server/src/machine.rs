//! The machine that a node runs on, apart from the store: the time of day, tasks, and the way to other
//! nodes. Servers have one implementation; a simulator brings another.

use crate::cluster::Network;
use futures_util::future::BoxFuture;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tidemill_model::{PartitionId, Timestamp};

/// Stack of a loop: several times what the engine's limits on depth allow.
const LOOP_STACK_BYTES: usize = 8 << 20;

/// Steady time is not among this: everybody takes it from tokio, which can simulate it.
pub trait Machine: Send + Sync + 'static {
    fn time_of_day(&self) -> Timestamp;

    /// Tells two nodes apart that start at the same moment.
    fn chance(&self) -> u32;

    /// Runs a task of the node.
    fn spawn(&self, task: BoxFuture<'static, ()>);

    /// Runs the loop of a partition.
    fn spawn_loop(&self, id: PartitionId, running: BoxFuture<'static, ()>);

    /// Runs the timer loop of a partition.
    fn spawn_timers(&self, id: PartitionId, running: BoxFuture<'static, ()>);

    /// The way to other nodes. Requests to them show the secret.
    fn network(&self, secret: &str) -> Arc<dyn Network>;
}

/// The machine of a server.
pub(crate) struct ServerMachine;

impl Machine for ServerMachine {
    fn time_of_day(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }

    fn chance(&self) -> u32 {
        std::collections::hash_map::RandomState::new().build_hasher().finish() as u32
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        tokio::spawn(task);
    }

    /// A thread of its own, so that an expression that takes long holds up neither requests nor the beats by
    /// which the node stays alive. The runtime of the server drives everything that the loop waits for.
    fn spawn_loop(&self, id: PartitionId, running: BoxFuture<'static, ()>) {
        let runtime = tokio::runtime::Handle::current();
        let thread = std::thread::Builder::new().name(format!("partition-{id}")).stack_size(LOOP_STACK_BYTES);
        thread.spawn(move || runtime.block_on(running)).expect("the system has a thread for each partition");
    }

    /// A thread of its own as well: packing thousands of timers must not hold up requests.
    fn spawn_timers(&self, id: PartitionId, running: BoxFuture<'static, ()>) {
        let runtime = tokio::runtime::Handle::current();
        let thread = std::thread::Builder::new().name(format!("timers-{id}"));
        thread.spawn(move || runtime.block_on(running)).expect("the system has a thread for each partition");
    }

    fn network(&self, secret: &str) -> Arc<dyn Network> {
        Arc::new(crate::cluster::HttpNetwork::new(secret))
    }
}
