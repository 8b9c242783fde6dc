//! The timer loop of a partition: drives the shard of its service timers (`tidemill-timers`) on the store. It waits, reads and
//! commits; everything else is decided by the shard.

mod bell;
mod clock;
pub mod deliver;
mod handle;
pub mod spec;
mod store_calls;

pub use bell::LaneBell;
pub use handle::{FiredBatch, TimerError, TimerHandle};

use clock::LoopClock;
use handle::TimerCall;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store_calls::{Finished, commit, read};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Error, HolderId, Result, Store, TimerBatch};
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

pub type OnFired = Arc<dyn Fn(&FiredBatch) + Send + Sync>;

pub struct TimerLoop {
    shard: Shard,
    store: Arc<dyn Store>,
    partition: PartitionId,
    holder: HolderId,
    clock: LoopClock,
    calls: mpsc::Receiver<TimerCall>,
    /// The shard had no room for it: nothing else is taken before.
    held_back: Option<TimerCall>,
    waiting: HashMap<Ticket, oneshot::Sender<Answer>>,
    tickets: Ticket,
    reads: JoinSet<Finished>,
    commit: Option<JoinHandle<Result<Timestamp>>>,
    /// Of the batch on its way.
    fires: Option<FiredBatch>,
    commit_began: Instant,
    on_fired: OnFired,
    bell: Arc<LaneBell>,
    /// Lanes that the batch on its way has deliveries for.
    lanes: Vec<u32>,
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
        let timers = TimerLoop {
            shard: Shard::new(config),
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
            bell: Arc::default(),
            lanes: Vec::new(),
        };
        (timers, TimerHandle::new(sender))
    }

    /// Rung after each commit that has written deliveries.
    pub fn bell(&self) -> Arc<LaneBell> {
        self.bell.clone()
    }

    /// Runs until nobody can reach it any more and all that was asked is answered, or until it may no longer write.
    pub async fn run(mut self) -> Result<()> {
        let mut is_reachable = true;
        loop {
            is_reachable &= self.take_calls();
            self.begin_reads();
            if self.commit.is_none()
                && let Some(batch) = self.shard.close(self.clock.now_ms())
            {
                self.begin_commit(batch);
                self.begin_reads();
            }
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
        self.tickets += 1;
        if self.shard.offer(self.tickets, call.request.clone()).is_err() {
            self.held_back = Some(call);
            return false;
        }
        self.waiting.insert(self.tickets, call.answer);
        true
    }

    fn begin_reads(&mut self) {
        for (number, need) in self.shard.needs(self.clock.now_ms()) {
            self.reads.spawn(read(self.store.clone(), self.partition, self.holder.clone(), number, need));
        }
    }

    fn begin_commit(&mut self, batch: Batch) {
        self.fires = FiredBatch::of(&batch);
        self.lanes = batch.deliveries.iter().map(|row| row.id.lane).collect();
        self.commit_began = Instant::now();
        let batch = TimerBatch { holder: self.holder.clone(), batch, outgoing: Vec::new() };
        self.commit = Some(tokio::spawn(commit(self.store.clone(), batch)));
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
        let now_ms = self.clock.now_ms();
        let wake_ms = self.shard.wake_at_ms().map(|wake_ms| wake_ms.saturating_sub(now_ms).max(1));
        wake_ms.map_or(LOOK_EVERY, |ms| Duration::from_millis(ms.unsigned_abs()).min(LOOK_EVERY))
    }

    async fn landed(&mut self, landed: Result<Timestamp>) -> Result<()> {
        let commit = match landed {
            Ok(now) => {
                self.clock.told(now, self.commit_began, Instant::now());
                if let Some(mut fired) = self.fires.take() {
                    fired.landed_ms = now.0;
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

    fn finish(&mut self, finished: std::result::Result<Finished, tokio::task::JoinError>) -> Result<()> {
        let failed = |reason: String| Error::Failed { place: "a read of timers".into(), reason };
        let Finished { number, supply } = finished.map_err(|error| failed(error.to_string()))?;
        let answers = self.shard.supply(number, supply?, self.clock.now_ms());
        // Nothing fires from the damaged slot on. Whoever reads the log mends it; the loop must not go on as if it were not there.
        self.answer(answers.map_err(|error| failed(error.to_string()))?);
        Ok(())
    }

    fn answer(&mut self, answers: Vec<(Ticket, Answer)>) {
        for (ticket, answer) in answers {
            if let Some(waiting) = self.waiting.remove(&ticket) {
                // Whoever has gone away does not want the answer.
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
