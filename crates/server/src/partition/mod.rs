//! One partition's loop: take, load, run, commit, effects. Single-threaded, so that nothing in it needs a
//! lock; everything that leaves it leaves after the commit.

mod answers;
mod backlog;
mod deadlines;
mod effects;
mod execute;
#[cfg(debug_assertions)]
mod faults;
mod inbox;
mod lanes;
mod late;
mod lease;
mod loader;
mod pollers;
mod request;
mod schedule;
mod settle;
mod suspects;
mod take;
mod turn;

pub(crate) use answers::{ANSWERS_KEPT_MS, REQUEST_ID_MARK};
pub(crate) use inbox::{Envelope, KeptAnswer};
pub(crate) use request::{AwaitReply, AwaitedEnd, Claim, Poller, Request};
pub(crate) use suspects::Trial;

use crate::broker::CommandError;
use crate::clock::Clock;
use backlog::Backlog;
use deadlines::Deadlines;
use late::Late;
use lease::Lease;
use pollers::Pollers;
use request::Waiter;
use schedule::Schedule;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use suspects::{OnTrial, Suspects};
use tidemill_engine::Working;
use tidemill_model::{PartitionCount, PartitionId, ProcessInstanceKey, Timestamp};
use tidemill_store::{BatchId, Error, Fence, HolderId, Owned, Store};
use tokio::sync::{mpsc, oneshot};
use turn::{InFlight, Turn};

/// Requests that may wait for the loop before callers are turned away.
const QUEUE_REQUESTS_MAX: usize = 8_192;
/// Rows that stay in memory between batches.
const ROWS_IN_MEMORY_MAX: usize = 500_000;
/// Commands after which a batch is closed, even if the one before is still being written.
const COMMANDS_PER_BATCH_MAX: usize = 1_024;
/// Bytes, roughly, that a batch writes before it is closed: a larger one would hold up everybody behind it.
const BATCH_BYTES_MAX: usize = 16 << 20;
/// Work, as the engine counts it, after which a batch is closed and those who wait get their turn. Many times what as many
/// small commands take as a batch may have.
const BATCH_WORK_MAX: u64 = 2_000_000;
/// The next block of keys is reserved before fewer are left, so that few commands run twice for want of keys.
const KEYS_LEFT_MIN: u64 = 100_000;

/// What others know of a running loop.
#[derive(Clone)]
pub(crate) struct PartitionHandle {
    pub(crate) id: PartitionId,
    requests: mpsc::Sender<Request>,
    is_healthy: Arc<AtomicBool>,
    pub(crate) lease: Arc<Lease>,
}

impl PartitionHandle {
    pub(crate) fn is_healthy(&self) -> bool {
        self.is_healthy.load(Ordering::Acquire)
    }

    /// Hands a request to the loop, or turns it away when too many wait already.
    pub(crate) fn send(&self, request: Request) -> Result<(), CommandError> {
        self.requests.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => CommandError::overloaded(format!(
                "{QUEUE_REQUESTS_MAX} requests wait for partition {} already",
                self.id
            )),
            mpsc::error::TrySendError::Closed(_) => self.is_closed(),
        })
    }

    /// Hands over a request that must not get lost, however long the queue is.
    pub(crate) async fn send_surely(&self, request: Request) -> Result<(), CommandError> {
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
    id: PartitionId,
    count: PartitionCount,
    store: Arc<dyn Store>,
    clock: Arc<Clock>,
    holder: HolderId,
    lease_ms: u64,
    lease: Arc<Lease>,
    fence: Fence,
    working: Working,
    schedule: Schedule,
    deadlines: Deadlines,
    pollers: Pollers,
    /// The last batch has handed out as much as it may: more workers can be served at once.
    pollers_are_left: bool,
    waiters: HashMap<ProcessInstanceKey, Vec<Waiter>>,
    waiters_before_cleaning: usize,
    /// Commands whose answer comes with another one.
    later: HashMap<u64, Late>,
    later_before_cleaning: usize,
    requests: mpsc::Receiver<Request>,
    /// Requests that a batch had no room for.
    backlog: Backlog,
    /// The batch that commands join.
    open: Turn,
    /// The batch before it, while it is being written.
    in_flight: Option<InFlight>,
    /// So many of the commands that wait get a batch of their own, because the store refused one of them.
    alone: usize,
    clock_changed: Vec<oneshot::Sender<()>>,
    /// The server is about to stop.
    ends_awaits: bool,
    is_stopping: bool,
    next_batch: BatchId,
    /// The partition's time, as of the last look at the clock.
    now: Timestamp,
    /// When the last batch was written, by the system's clock: a pinned one says nothing about how long to keep it.
    written_at: Timestamp,
    /// The changes of the clock that `now` has followed.
    clock_changes: u64,
    /// What this partition knows of definitions is as new as this.
    definitions_version: u64,
    /// The newest version that any partition of the node has seen.
    newest_definitions: Arc<AtomicU64>,
    /// The inbox may hold something that was not read yet.
    inbox_is_dirty: bool,
    /// It does not fit into one turn: it is longer, or the last turn got to nobody else because of it.
    inbox_is_long: bool,
    /// Commands of clients and timers that the turn has taken.
    others_taken: usize,
    /// Counts turns.
    turns_shared: usize,
    /// What a predecessor may have died of.
    suspects: Suspects,
    trial: Trial,
    on_trial: Option<OnTrial>,
    is_healthy: Arc<AtomicBool>,
}

impl Partition {
    /// Takes the partition over and prepares its loop; `run` must be spawned by the caller.
    pub(crate) async fn open(
        store: Arc<dyn Store>,
        clock: Arc<Clock>,
        newest_definitions: Arc<AtomicU64>,
        id: PartitionId,
        holder: HolderId,
        lease_ms: u64,
        trial: Trial,
    ) -> tidemill_store::Result<Option<(Partition, PartitionHandle)>> {
        let asked_at = Instant::now();
        let Some(owned) = store.acquire(id, &holder, lease_ms).await? else { return Ok(None) };
        let lease = Arc::new(Lease::given(asked_at, Duration::from_millis(lease_ms)));
        let count = store.partition_count();
        let (sender, requests) = mpsc::channel(QUEUE_REQUESTS_MAX);
        let is_healthy = Arc::new(AtomicBool::new(true));
        let handle =
            PartitionHandle { id, requests: sender, is_healthy: is_healthy.clone(), lease: lease.clone() };
        let mut partition = Partition {
            id,
            count,
            store,
            clock: clock.clone(),
            holder,
            lease_ms,
            lease,
            fence: owned.fence.clone(),
            working: Working::new(id, count),
            schedule: Schedule::default(),
            deadlines: Deadlines::default(),
            pollers: Pollers::default(),
            pollers_are_left: false,
            waiters: HashMap::new(),
            waiters_before_cleaning: effects::WAITERS_BEFORE_CLEANING,
            later: HashMap::new(),
            later_before_cleaning: late::LATE_BEFORE_CLEANING,
            requests,
            backlog: Backlog::default(),
            open: Turn::default(),
            in_flight: None,
            alone: 0,
            clock_changed: Vec::new(),
            ends_awaits: false,
            is_stopping: false,
            next_batch: BatchId(1),
            written_at: clock.system(),
            clock_changes: clock.changes(),
            now: clock.now(),
            definitions_version: 0,
            newest_definitions,
            inbox_is_dirty: true,
            inbox_is_long: false,
            others_taken: 0,
            turns_shared: 0,
            suspects: Suspects::default(),
            trial,
            on_trial: None,
            is_healthy,
        };
        let was_released = owned.was_released;
        partition.begin(owned).await?;
        partition.meet_suspects(was_released).await?;
        Ok(Some((partition, handle)))
    }

    /// Builds memory anew from the store, as whoever owns the partition from now on.
    async fn begin(&mut self, owned: Owned) -> tidemill_store::Result<()> {
        self.next_batch = BatchId((owned.fence.epoch as i64) << 32 | 1);
        self.fence = owned.fence;
        self.working = Working::new(self.id, self.count);
        self.working.reserve_keys(owned.keys.start, owned.keys.end);
        self.schedule = Schedule::default();
        self.deadlines = Deadlines::default();
        self.inbox_is_dirty = true;
        self.definitions_version = 0;
        self.load_leases().await
    }

    /// Runs until it is told to stop or may no longer write. `Fenced` when another node owns the partition now.
    pub(crate) async fn run(mut self) -> tidemill_store::Result<()> {
        let stopped = loop {
            match self.turn().await {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.is_healthy.store(false, Ordering::Release);
        match &stopped {
            Ok(()) => {
                if let Err(error) = self.store.release(&self.fence).await {
                    tracing::warn!(partition = %self.id, %error, "could not hand the partition over");
                }
            }
            Err(Error::Fenced { .. }) => {
                tracing::warn!(partition = %self.id, "another node owns the partition now");
            }
            Err(error) => tracing::error!(partition = %self.id, %error, "the partition has stopped"),
        }
        self.say_goodbye();
        stopped
    }

    /// Whoever still waits here learns that it is in vain, and that nothing was done where that is certain.
    fn say_goodbye(&mut self) {
        self.requests.close();
        let open = std::mem::take(&mut self.open);
        let executed = open.executed.into_iter().map(|executed| executed.work);
        executed.chain(open.queue).for_each(take::Work::turn_away);
        while let Some(work) = self.backlog.pop() {
            work.turn_away();
        }
        while let Ok(request) = self.requests.try_recv() {
            request.turn_away();
        }
        for waiter in std::mem::take(&mut self.waiters).into_values().flatten() {
            let _ = waiter.reply.ended.send(Ok(AwaitedEnd::GoesOn(waiter.created)));
        }
    }
}
