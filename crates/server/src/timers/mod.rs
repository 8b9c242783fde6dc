//! The timer loop of a partition: drives the shard of its service timers (`tidemill-timers`) on the store. It waits, reads and
//! commits; everything else is decided by the shard.

mod bell;
mod clock;
mod commands;
pub mod deliver;
mod handle;
mod health;
pub mod id;
pub mod service;
pub mod spec;
mod store_calls;
pub(crate) mod wire;

pub use bell::LaneBell;
pub use clock::SimulatedTime;
pub use handle::{FiredBatch, FiredHook, TimerError, TimerHandle};
pub use health::{LoopHealth, LoopNumbers};

use clock::LoopClock;
use commands::CommandMaker;
use futures_util::FutureExt;
use handle::TimerCall;
use std::collections::{BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use store_calls::{Finished, commit, read};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Error, HolderId, Result, Store, TimerNeed};
use tidemill_timers::shard::{Answer, Batch, Commit, Config, Shard, Ticket};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

/// Requests that may wait before the loop has looked at them.
const QUEUE_MAX: usize = 1_024;
/// Requests that are taken before the loop goes on to write: a batch must not wait for a queue that is always full.
const TAKEN_PER_TURN: usize = 256;
/// Before a batch that the store did not take is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// The loop looks around this often, even if nothing has happened.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Before a damaged block is read again, because somebody may have mended it.
const DAMAGED_AGAIN: Duration = Duration::from_secs(30);
/// Before a loop that has failed begins anew.
const BEGIN_AGAIN: Duration = Duration::from_secs(1);

pub type OnFired = Arc<dyn Fn(&FiredBatch) + Send + Sync>;

pub struct TimerLoop {
    shard: Shard,
    config: Config,
    store: Arc<dyn Store>,
    partition: PartitionId,
    holder: HolderId,
    clock: LoopClock,
    calls: mpsc::Receiver<TimerCall>,
    /// The shard had no room for it: nothing else is taken before.
    held_back: Option<TimerCall>,
    waiting: HashMap<Ticket, oneshot::Sender<Answer>>,
    tickets: Ticket,
    reads: JoinSet<Result<Finished>>,
    commit: Option<JoinHandle<Result<Timestamp>>>,
    /// Of the batch on its way.
    fires: Option<FiredBatch>,
    commit_began: Instant,
    on_fired: OnFired,
    bell: Arc<LaneBell>,
    /// Lanes that the batch on its way has deliveries for.
    lanes: Vec<u32>,
    commands: Arc<CommandMaker>,
    /// Needs that met a damaged block.
    damaged: BTreeSet<u64>,
    health: Arc<LoopHealth>,
}

impl TimerLoop {
    /// The loop of a partition that this holder has acquired; `now` is the time that the store told then.
    pub fn new(
        store: Arc<dyn Store>,
        partition: PartitionId,
        holder: HolderId,
        now: Timestamp,
        config: Config,
        on_fired: OnFired,
    ) -> (TimerLoop, TimerHandle) {
        let (sender, calls) = mpsc::channel(QUEUE_MAX);
        let (health, bell) = (Arc::<LoopHealth>::default(), Arc::<LaneBell>::default());
        let timers = TimerLoop {
            shard: Shard::new(config),
            config,
            store,
            partition,
            holder,
            clock: LoopClock::new(now, Instant::now()),
            calls,
            held_back: None,
            waiting: HashMap::new(),
            tickets: 0,
            reads: JoinSet::new(),
            commit: None,
            fires: None,
            commit_began: Instant::now(),
            on_fired,
            bell: bell.clone(),
            lanes: Vec::new(),
            commands: Arc::default(),
            damaged: BTreeSet::new(),
            health: health.clone(),
        };
        (timers, TimerHandle::new(sender, health, bell))
    }

    /// Runs beside a partition, whatever happens: a loop that fails says so and begins anew from the store. The partition never
    /// hears of it.
    pub(crate) async fn keep_running(mut self) {
        loop {
            let reason = match AssertUnwindSafe(self.run_on()).catch_unwind().await {
                Ok(Ok(())) => return,
                // The node that owns the partition now owns its timers too.
                Ok(Err(error @ Error::Fenced { .. })) => {
                    tracing::debug!(partition = %self.partition, "another owner has the timers of the partition");
                    error.to_string()
                }
                Ok(Err(error)) => {
                    tracing::error!(partition = %self.partition, %error, "the timer loop has failed; it begins anew");
                    error.to_string()
                }
                Err(_) => {
                    tracing::error!(partition = %self.partition, "the timer loop has panicked; it begins anew");
                    "it panicked".to_owned()
                }
            };
            self.health.is_in_trouble(reason);
            self.forget_all();
            if !self.wait_turning_away().await {
                return;
            }
        }
    }

    /// Memory is built anew from the store. Callers that wait do not hear what became of their requests.
    fn forget_all(&mut self) {
        self.shard = Shard::new(self.config);
        self.waiting.clear();
        self.held_back = None;
        self.reads = JoinSet::new();
        self.damaged.clear();
        (self.commit, self.fires) = (None, None);
        self.health.looked_at(false, 0, 0);
    }

    /// False when the loop is told to stop meanwhile.
    async fn wait_turning_away(&mut self) -> bool {
        let until = Instant::now() + BEGIN_AGAIN;
        loop {
            tokio::select! {
                biased;
                call = self.calls.recv() => match call {
                    Some(TimerCall::Request { answer, .. }) => {
                        // A caller that has gone away does not want the answer.
                        let _ = answer.send(Answer::Moved);
                    }
                    Some(TimerCall::Stop) | None => return false,
                },
                () = tokio::time::sleep_until(until) => return true,
            }
        }
    }

    /// Runs by a time of its own instead of the store's.
    pub fn simulate(&mut self, time: Arc<SimulatedTime>) {
        self.clock.simulate(time);
    }

    /// Runs until nobody can reach it any more and all that was asked is answered, or until it may no longer write.
    pub async fn run(mut self) -> Result<()> {
        self.run_on().await
    }

    async fn run_on(&mut self) -> Result<()> {
        let mut is_reachable = true;
        loop {
            is_reachable &= self.take_calls();
            self.begin_reads();
            if self.commit.is_none() {
                if let Some(batch) = self.shard.close(self.clock.now_ms()) {
                    self.begin_commit(batch);
                }
                // Even where there is nothing to write, the next slots may have come nearer.
                self.begin_reads();
            }
            self.health.looked_at(self.shard.is_ready(), self.shard.bytes(), self.shard.mark().due_ms);
            if !is_reachable && self.waiting.is_empty() && self.commit.is_none() {
                return Ok(());
            }
            self.wait(is_reachable).await?;
        }
    }

    /// False when nobody can send requests any more.
    fn take_calls(&mut self) -> bool {
        for _ in 0..TAKEN_PER_TURN {
            let call = match self.held_back.take() {
                Some(call) => call,
                None => match self.calls.try_recv() {
                    Ok(call) => call,
                    Err(mpsc::error::TryRecvError::Empty) => return true,
                    Err(mpsc::error::TryRecvError::Disconnected) => return false,
                },
            };
            if !self.take(call) {
                break;
            }
        }
        true
    }

    /// False when the shard has no room.
    fn take(&mut self, call: TimerCall) -> bool {
        let (request, answer) = match call {
            TimerCall::Request { request, answer } => (request, answer),
            TimerCall::Stop => {
                // Calls that were sent before are still taken; nobody can send any more.
                self.calls.close();
                return true;
            }
        };
        self.tickets += 1;
        if self.shard.offer(self.tickets, request.clone()).is_err() {
            self.held_back = Some(TimerCall::Request { request, answer });
            return false;
        }
        self.waiting.insert(self.tickets, answer);
        true
    }

    fn begin_reads(&mut self) {
        let needs = self.shard.needs(self.clock.now_ms());
        let (places, others): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|(_, need)| matches!(need, TimerNeed::Place(_)));
        if !places.is_empty() {
            self.begin_read(places);
        }
        others.into_iter().for_each(|need| self.begin_read(vec![need]));
    }

    fn begin_read(&mut self, needs: Vec<(u64, TimerNeed)>) {
        self.reads.spawn(read(self.store.clone(), self.partition, self.holder.clone(), needs));
    }

    fn begin_commit(&mut self, batch: Batch) {
        self.fires = FiredBatch::of(&batch);
        self.lanes = batch.deliveries.iter().map(|row| row.id.lane).collect();
        self.commit_began = Instant::now();
        let (store, holder, commands) = (self.store.clone(), self.holder.clone(), self.commands.clone());
        self.commit = Some(tokio::spawn(commit(store, holder, batch, commands)));
    }

    async fn wait(&mut self, is_reachable: bool) -> Result<()> {
        let takes_calls = is_reachable && self.held_back.is_none();
        let idle = self.idle();
        tokio::select! {
            biased;
            Some(landed) = landed(&mut self.commit) => self.landed(landed).await?,
            Some(finished) = self.reads.join_next() => self.finish(finished)?,
            Some(call) = self.calls.recv(), if takes_calls => {
                self.take(call);
            }
            () = tokio::time::sleep(idle) => {}
        }
        Ok(())
    }

    /// How long nothing falls due. While a batch is being written, what comes waits for that.
    fn idle(&mut self) -> Duration {
        if self.commit.is_some() {
            return LOOK_EVERY;
        }
        let is_reading = !self.reads.is_empty();
        self.clock.until(self.shard.wake_at_ms(), is_reading).map_or(LOOK_EVERY, |idle| idle.min(LOOK_EVERY))
    }

    async fn landed(&mut self, landed: Result<Timestamp>) -> Result<()> {
        let commit = match landed {
            Ok(now) => {
                if let Some(step_ms) = self.clock.told(now, self.commit_began, Instant::now()) {
                    tracing::warn!(partition = %self.partition, step_ms, "the store's clock was set; timers follow it");
                    self.health.clock_stepped(step_ms);
                }
                let fired = self
                    .fires
                    .take()
                    .map(|fired| FiredBatch { landed_ms: self.clock.landed_ms(now), ..fired });
                self.health.committed(fired.as_ref());
                if let Some(fired) = fired {
                    (self.on_fired)(&fired);
                }
                self.bell.ring(std::mem::take(&mut self.lanes));
                Commit::Written
            }
            Err(Error::Fenced { .. }) => Commit::Fenced,
            Err(Error::OutcomeUnknown { .. }) => Commit::Unknown,
            Err(error) if error.is_fatal() => return Err(error),
            Err(error) => {
                tracing::warn!(partition = %self.partition, %error, "timers could not be written; they are tried again");
                tokio::time::sleep(TRY_AGAIN).await;
                Commit::NotWritten
            }
        };
        let answers = self.shard.landed(commit);
        self.answer(answers);
        match commit {
            Commit::Fenced => Err(Error::Fenced { partition: self.partition, epoch: 0 }),
            _ => Ok(()),
        }
    }

    fn finish(
        &mut self,
        finished: std::result::Result<Result<Finished>, tokio::task::JoinError>,
    ) -> Result<()> {
        let failed = |reason: String| Error::Failed { place: "a read of timers".into(), reason };
        let Finished { supplies } = finished.map_err(|error| failed(error.to_string()))??;
        for (number, need, supply) in supplies {
            match self.shard.supply(number, supply, self.clock.now_ms()) {
                Ok(answers) => {
                    let is_mended = self.damaged.remove(&number) || matches!(need, TimerNeed::Recover);
                    if is_mended && self.damaged.is_empty() {
                        self.health.is_well();
                    }
                    self.answer(answers);
                }
                Err(damaged) => {
                    self.damaged.insert(number);
                    self.read_again(number, need, damaged.to_string());
                }
            }
        }
        Ok(())
    }

    /// Nothing fires from the damaged slot on, because to pass it would lose its timers. Everything else goes on; somebody may
    /// mend it.
    fn read_again(&mut self, number: u64, need: TimerNeed, reason: String) {
        tracing::error!(
            partition = %self.partition, reason,
            "a block of timers is damaged: none behind it fires until it is mended"
        );
        self.health.is_in_trouble(reason);
        let (store, partition, holder) = (self.store.clone(), self.partition, self.holder.clone());
        self.reads.spawn(async move {
            tokio::time::sleep(DAMAGED_AGAIN).await;
            read(store, partition, holder, vec![(number, need)]).await
        });
    }

    fn answer(&mut self, answers: Vec<(Ticket, Answer)>) {
        for (ticket, answer) in answers {
            if let Some(waiting) = self.waiting.remove(&ticket) {
                // A caller that has gone away does not want the answer.
                let _ = waiting.send(answer);
            }
        }
    }
}

async fn landed(commit: &mut Option<JoinHandle<Result<Timestamp>>>) -> Option<Result<Timestamp>> {
    let landed = match commit.as_mut()?.await {
        Ok(landed) => landed,
        Err(error) => Err(Error::OutcomeUnknown { reason: error.to_string() }),
    };
    *commit = None;
    Some(landed)
}
