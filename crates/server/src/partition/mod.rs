//! A partition that this node owns: its core (`tidemill-partition`) and the driver around it, on a thread of their own.

mod call;
mod callers;
mod driver;
#[cfg(debug_assertions)]
mod faults;
mod lease;
mod reads;
mod traces;

pub(crate) use call::{AwaitReply, PartitionCall, Poller};
pub(crate) use callers::Claim;
pub(crate) use reads::CommandLock;

use self::traces::Traces;
use crate::broker::CommandError;
use crate::clock::Clock;
use crate::definitions::DefinitionCache;
use crate::metrics::{LoopMeter, Metrics};
use callers::CallTable;
use driver::Driver;
use futures_util::FutureExt;
use lease::Lease;
use reads::Reader;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_partition::{Core, Moment};
use tidemill_store::{Error, HolderId, Result, Store};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Requests that may wait before the driver has looked at them; then callers are turned away.
const QUEUE_REQUESTS_MAX: usize = 8_192;

/// The way to a running partition.
#[derive(Clone)]
pub(crate) struct PartitionHandle {
    pub(crate) id: PartitionId,
    requests: mpsc::Sender<PartitionCall>,
    is_healthy: Arc<AtomicBool>,
    pub(crate) lease: Arc<Lease>,
}

impl PartitionHandle {
    pub(crate) fn is_healthy(&self) -> bool {
        self.is_healthy.load(Ordering::Acquire)
    }

    /// Hands over a request, or turns it away when too many wait already.
    pub(crate) fn send(&self, request: PartitionCall) -> std::result::Result<(), CommandError> {
        self.requests.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => CommandError::overloaded(format!(
                "{QUEUE_REQUESTS_MAX} requests wait for partition {} already",
                self.id
            )),
            mpsc::error::TrySendError::Closed(_) => self.is_closed(),
        })
    }

    /// Hands over a request that must not get lost, however long the queue is.
    pub(crate) async fn send_surely(&self, request: PartitionCall) -> std::result::Result<(), CommandError> {
        self.requests.send(request).await.map_err(|_| self.is_closed())
    }

    /// It takes no requests any more.
    fn is_closed(&self) -> CommandError {
        CommandError::NotBegun(format!("partition {} has stopped", self.id))
    }

    /// It has taken the request and has not answered.
    pub(crate) fn is_gone(&self) -> CommandError {
        CommandError::Unavailable(format!("partition {} has stopped", self.id))
    }
}

pub(crate) struct Partition {
    driver: Driver,
    is_healthy: Arc<AtomicBool>,
}

/// The parts of a node that all its partitions share.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) newest_definitions: Arc<AtomicU64>,
    pub(crate) definitions: Arc<DefinitionCache>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) holder: HolderId,
    pub(crate) lease_ms: u64,
    pub(crate) command_lock: CommandLock,
}

impl Partition {
    /// Takes the partition over; none when another node holds it. The caller must spawn `run`.
    pub(crate) async fn open(
        surroundings: Surroundings,
        id: PartitionId,
    ) -> Result<Option<(Partition, PartitionHandle)>> {
        let Surroundings {
            store,
            clock,
            newest_definitions,
            definitions,
            metrics,
            holder,
            lease_ms,
            command_lock,
        } = surroundings;
        let began = Instant::now();
        let lease = Arc::new(Lease::over(Duration::from_millis(lease_ms)));
        let reader = Reader {
            store,
            definitions,
            metrics: metrics.clone(),
            id,
            holder,
            lease: lease.clone(),
            lease_ms,
            command_lock,
        };
        let Some(opened) = reader.open().await? else { return Ok(None) };
        let (sender, requests) = mpsc::channel(QUEUE_REQUESTS_MAX);
        let is_healthy = Arc::new(AtomicBool::new(true));
        let callers = CallTable::new(sender.downgrade());
        let handle = PartitionHandle { id, requests: sender, is_healthy: is_healthy.clone(), lease };
        let (pinned_at, clock_changes) = clock.pinned();
        let moment = Moment {
            wall: clock.system(),
            elapsed_ms: began.elapsed().as_millis() as u64,
            store_time: handle.lease.store_time(began),
            pinned_at,
            clock_changes,
            holds_lease: true,
            definitions_version: 0,
        };
        let telemetry = metrics.telemetry().filter(|telemetry| telemetry.traces());
        let traces = telemetry.map(|telemetry| Traces::new(telemetry.clone(), id));
        let meter = LoopMeter::new(metrics, id, opened.owned.keys.start);
        #[cfg_attr(not(debug_assertions), expect(unused_mut, reason = "only tests change it"))]
        let mut core = Core::new(opened, &moment);
        #[cfg(debug_assertions)]
        core.before_each_command(faults::strike);
        let woken = driver::wait_for_wakeup(reader.store.clone(), id);
        let driver = Driver {
            core,
            reader,
            clock,
            newest_definitions,
            callers,
            requests,
            began,
            woken,
            next_look: Instant::now(),
            commit: None,
            commit_began: Instant::now(),
            reads: JoinSet::new(),
            guard: None,
            is_noting: false,
            evictions_seen: None,
            meter,
            facts: None,
            traces,
            worked_since: Instant::now(),
        };
        Ok(Some((Partition { driver, is_healthy }, handle)))
    }

    /// Runs until it is told to stop or may no longer write. `Fenced` when another node owns the partition now.
    pub(crate) async fn run(mut self) -> Result<()> {
        let ran = AssertUnwindSafe(self.driver.run()).catch_unwind().await;
        self.is_healthy.store(false, Ordering::Release);
        let id = self.driver.core.partition();
        let Ok(stopped) = ran else {
            // The lease is left to run out: the next owner knows by that to be careful with what was in hand here.
            tracing::error!(partition = %id, "the partition has panicked; it is opened again");
            return Err(Error::Failed { place: format!("partition {id}"), reason: PANICKED.to_owned() });
        };
        match &stopped {
            Ok(()) => {
                if let Err(error) = self.driver.reader.store.release(self.driver.core.fence()).await {
                    tracing::warn!(partition = %id, %error, "could not hand the partition over");
                }
            }
            Err(Error::Fenced { .. }) => {
                tracing::warn!(partition = %id, "another node owns the partition now");
            }
            Err(error) => tracing::error!(partition = %id, %error, "the partition has stopped"),
        }
        self.reject_pending();
        stopped
    }

    /// Rejects everything that still waits. Commands that never ran are marked safe to retry.
    fn reject_pending(&mut self) {
        self.driver.requests.close();
        self.driver.core.reject_pending();
        self.driver.perform_effects();
        while let Ok(request) = self.driver.requests.try_recv() {
            request.reject();
        }
    }
}

/// The reason that is given for a partition that panicked outside of a command.
pub(crate) const PANICKED: &str = "it panicked";
