//! Drives the core of a partition: tells it what happens, and does what comes out of it. Everything that waits is here.

use super::call::{AwaitReply, PartitionCall, Poller};
use super::callers::{CallTable, Caller};
use super::reads::{CommandGuard, Finished, Reader};
use super::traces::Traces;
use crate::clock::Clock;
use crate::metrics::{BatchFacts, LoopMeter};
use futures_util::future::{BoxFuture, FutureExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_partition::{Brought, CallId, Closed, Core, Effect, Event, Moment, Read, Request};
use tidemill_store::{Batch, Committed, Error, Result, Store};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio::time::Instant;

/// While a batch is being written, requests are gathered this long: one by one they would cost more, and nothing can leave
/// before the commit anyway.
const GATHER: Duration = Duration::from_millis(1);
/// The inbox is looked at this often even if no wake-up came.
const INBOX_LOOK_EVERY: Duration = Duration::from_secs(5);
/// A commit that takes longer is told to the log.
const SLOW_COMMIT: Duration = Duration::from_secs(1);

pub(super) struct Driver {
    pub(super) core: Core,
    pub(super) reader: Reader,
    pub(super) clock: Arc<Clock>,
    /// The newest version that any partition of the node has seen.
    pub(super) newest_definitions: Arc<AtomicU64>,
    pub(super) callers: CallTable,
    pub(super) requests: mpsc::Receiver<PartitionCall>,
    pub(super) began: Instant,
    /// Kept over the turns of the loop, because it counts the time since the last wake-up.
    pub(super) woken: BoxFuture<'static, ()>,
    pub(super) next_look: Instant,
    pub(super) commit: Option<JoinHandle<Result<Committed>>>,
    pub(super) commit_began: Instant,
    /// Tasks of their own: a read must go on, and give its connection back, while this partition waits for something else.
    pub(super) reads: JoinSet<Finished>,
    /// Held while commands that were noted run and are written.
    pub(super) guard: Option<CommandGuard>,
    /// A note is on its way to the store.
    pub(super) is_noting: bool,
    /// The evictions of the cache of definitions that the core has heard of; none where it must be told anew.
    pub(super) evictions_seen: Option<u64>,
    pub(super) meter: LoopMeter,
    /// The changes of the batch that is being written.
    pub(super) facts: Option<BatchFacts>,
    /// None where nobody traces.
    pub(super) traces: Option<Traces>,
    /// When the loop last stopped waiting.
    pub(super) worked_since: Instant,
}

impl Driver {
    /// Runs until the core has finished or cannot go on.
    pub(super) async fn run(&mut self) -> Result<()> {
        loop {
            self.look_at_inbox();
            self.take_calls();
            self.let_go_of_evicted();
            self.core.keep_tally(self.meter.is_on());
            self.run_core().await;
            self.begin_reads();
            if let Some(closed) = self.core.close(&self.moment(), &mut self.callers) {
                self.commit_began = Instant::now();
                self.commit = Some(self.begin_commit(closed));
            }
            self.begin_reads();
            self.perform_effects();
            self.count();
            if self.core.is_finished() {
                break;
            }
            self.wait().await;
            self.worked_since = Instant::now();
        }
        self.core.take_failure().map_or(Ok(()), Err)
    }

    /// Processes that the cache of the node has let go of must not live on here.
    fn let_go_of_evicted(&mut self) {
        let evictions = Some(self.reader.definitions.evictions());
        if self.evictions_seen != evictions {
            self.evictions_seen = evictions;
            let evicted = self.reader.definitions.absent(self.core.compiled_definitions());
            if !evicted.is_empty() {
                self.offer(Event::ProcessesEvicted(evicted));
            }
        }
    }

    /// Passes on what the core has counted in this turn.
    fn count(&mut self) {
        let uses = self.core.take_definition_uses();
        if !uses.is_empty() {
            self.reader.definitions.note_uses(&uses);
        }
        if self.meter.is_on() {
            self.meter.add(self.core.take_tally());
            self.meter.holds(&self.core.fill());
            self.meter.busy(self.worked_since.elapsed());
        }
    }

    /// The clocks and the facts of this node as they are now. The core looks at no clock itself.
    fn moment(&self) -> Moment {
        let (pinned_at, clock_changes) = self.clock.pinned();
        Moment {
            wall: self.clock.system(),
            elapsed_ms: self.began.elapsed().as_millis() as u64,
            store_time: self.reader.lease.store_time(self.began),
            pinned_at,
            clock_changes,
            holds_lease: self.reader.lease.holds(),
            definitions_version: self.newest_definitions.load(Ordering::Acquire),
        }
    }

    fn offer(&mut self, event: Event) {
        let moment = self.moment();
        self.core.offer(event, &moment, &mut self.callers);
    }

    /// Waits until there is something to do. Where there is, only takes what has come meanwhile.
    async fn wait(&mut self) {
        let moment = self.moment();
        if self.core.has_work(&moment) {
            return self.take_what_has_come().await;
        }
        let longest = match self.commit.is_some() {
            true => GATHER,
            false => {
                let look = self.next_look.saturating_duration_since(Instant::now());
                let idle_ms = self.core.idle_ms(&moment).map(|ms| Duration::from_millis(ms.max(1)));
                idle_ms.map_or(look, |idle| idle.min(look))
            }
        };
        let event = tokio::select! {
            biased;
            () = &mut self.woken => self.woken_up(),
            Some(landed) = landed(&mut self.commit) => {
                self.note_commit(&landed);
                Event::Landed(landed)
            }
            Some(finished) = self.reads.join_next() => self.finish(finished),
            request = self.requests.recv(), if self.commit.is_none() => match request {
                Some(request) => return self.take_call(request),
                // Nobody can reach this partition any more.
                None => Event::Stop,
            },
            () = tokio::time::sleep(longest) => return,
        };
        self.offer(event);
    }

    /// Wake-ups may get lost: the inbox is looked at from time to time, however much else happens.
    fn look_at_inbox(&mut self) {
        if Instant::now() >= self.next_look {
            self.next_look = Instant::now() + INBOX_LOOK_EVERY;
            self.offer(Event::InboxHasGrown);
        }
    }

    fn woken_up(&mut self) -> Event {
        self.woken = wait_for_wakeup(self.reader.store.clone(), self.core.partition());
        Event::InboxHasGrown
    }

    /// A partition that is busy hears of wake-ups, commits and reads as well.
    async fn take_what_has_come(&mut self) {
        if tokio::task::unconstrained(&mut self.woken).now_or_never().is_some() {
            let event = self.woken_up();
            self.offer(event);
        }
        if self.commit.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(landed) = landed(&mut self.commit).await
        {
            self.note_commit(&landed);
            self.offer(Event::Landed(landed));
        }
        while let Some(finished) = self.reads.try_join_next() {
            let event = self.finish(finished);
            self.offer(event);
        }
    }

    fn finish(&mut self, finished: std::result::Result<Finished, JoinError>) -> Event {
        let finished = match finished {
            Ok(finished) => finished,
            Err(error) => {
                let place = format!("a read of partition {}", self.core.partition());
                return Event::Failed(Error::Failed { place, reason: error.to_string() });
            }
        };
        match &finished.event {
            Event::Read(Brought::Noted) => {
                self.is_noting = false;
                self.guard = finished.guard;
            }
            // The cache may have let go of one of them while they were on their way here.
            Event::Read(Brought::Rows { processes, .. }) if !processes.is_empty() => {
                self.evictions_seen = None;
            }
            Event::Read(Brought::Inbox { entries, .. }) => {
                let oldest = entries.first().map(|entry| entry.received_at);
                self.meter.inbox_came(oldest, self.clock.now());
            }
            _ => {}
        }
        finished.event
    }

    /// Every commit tells the store's time, and whether something was deployed.
    fn note_commit(&mut self, landed: &Result<Committed>) {
        let took = self.commit_began.elapsed();
        if let Ok(committed) = landed {
            self.reader.lease.told(committed.now, self.commit_began);
            self.reader.definitions.note_version(committed.definitions_version);
        }
        if let Some(traces) = &mut self.traces {
            traces.committed(took);
        }
        if took >= SLOW_COMMIT {
            let partition = self.core.partition();
            tracing::warn!(%partition, took_ms = took.as_millis() as u64, "a commit took long: the store is slow");
        }
        let facts = self.facts.take();
        if let Some(facts) = facts.as_ref().filter(|_| landed.is_ok()) {
            facts.tell();
        }
        let (core, definitions) = (&self.core, &self.reader.definitions);
        self.meter.committed(took, landed.as_ref().map(|_| ()), facts, |key| {
            core.process_id(key).or_else(|| definitions.process_id(key))
        });
    }

    fn take_calls(&mut self) {
        while let Ok(request) = self.requests.try_recv() {
            self.take_call(request);
        }
    }

    fn take_call(&mut self, request: PartitionCall) {
        let (call, request) = match request {
            PartitionCall::Execute { command, options, reply, sent_at, trace } => {
                self.meter.waited(sent_at.elapsed());
                let call = self.callers.add(Caller::Command(reply));
                if let Some((traces, parent)) = self.traces.as_mut().zip(trace) {
                    traces.take(call, parent, &command);
                }
                (call, Request::Execute { command, options })
            }
            PartitionCall::CreateAndAwait { command, options, reply, trace } => {
                let call = self.add_awaiting(reply, None);
                if let Some((traces, parent)) = self.traces.as_mut().zip(trace) {
                    traces.take_creation(call, parent);
                }
                (call, Request::CreateAndAwait { command, options })
            }
            PartitionCall::AwaitEnd { created, noted, reply } => {
                (self.add_awaiting(reply, Some(noted)), Request::AwaitEnd { created })
            }
            PartitionCall::Poll(Poller { command, until, claim, reply }) => {
                let until_ms =
                    until.map(|until| until.saturating_duration_since(self.began).as_millis() as u64);
                let caller = Caller::Worker { reply, claim, is_claimed: false };
                (self.callers.add(caller), Request::ActivateJobs { command, until_ms })
            }
            PartitionCall::AwaitJobs { job_type, reply } => {
                (self.callers.add(Caller::Watcher(reply)), Request::WatchJobs { job_type })
            }
            PartitionCall::ClockHasChanged(done) => {
                (self.callers.add(Caller::Listener(done)), Request::ClockHasChanged)
            }
            PartitionCall::InboxHasGrown => return self.offer(Event::InboxHasGrown),
            PartitionCall::PollerIsFree => return self.offer(Event::PollerIsFree),
            // The caller may be gone.
            PartitionCall::MemoryUse(reply) => {
                let _ = reply.send(self.core.memory_use(&self.callers));
                return;
            }
            PartitionCall::EndWaits => return self.offer(Event::EndWaits),
            PartitionCall::Stop => return self.offer(Event::Stop),
        };
        self.offer(Event::Request { call, request });
    }

    fn add_awaiting(&mut self, reply: AwaitReply, noted: Option<tokio::sync::oneshot::Sender<()>>) -> CallId {
        self.callers.add(Caller::Awaiting { noted, reply })
    }

    /// Nothing runs beside a suspect of another partition.
    async fn run_core(&mut self) {
        // While a note is on its way nothing runs, and the read that writes it may hold the lock already.
        let _shared = match self.guard.is_some() || self.is_noting {
            true => None,
            false => Some(self.reader.command_lock.clone().read_owned().await),
        };
        // Read after whatever was waited for: a duration that begins with a command must not begin before the command was sent.
        let (moment, began) = (self.moment(), Instant::now());
        self.core.run(&moment, &mut self.callers);
        self.meter.ran(began.elapsed());
    }

    fn begin_reads(&mut self) {
        for read in self.core.reads() {
            if matches!(read, Read::Recovery { .. }) {
                // Memory is built anew: what was asked before is of no use any more.
                self.reads = JoinSet::new();
                self.guard = None;
                self.is_noting = false;
            }
            self.is_noting |= matches!(read, Read::Note { .. });
            self.reads.spawn(self.reader.clone().read(self.core.fence().clone(), read));
        }
    }

    fn begin_commit(&mut self, closed: Closed) -> JoinHandle<Result<Committed>> {
        let store = self.reader.store.clone();
        match closed {
            Closed::Commit(batch) => {
                self.facts = Some(self.meter.look_at(&batch));
                self.spawn_commit(*batch)
            }
            Closed::Confirm => {
                let (lease, lease_ms) = (self.reader.lease.clone(), self.reader.lease_ms);
                let (fence, clock) = (self.core.fence().clone(), self.clock.clone());
                let definitions_version = self.newest_definitions.load(Ordering::Acquire);
                tokio::spawn(async move {
                    let asked_at = Instant::now();
                    let now = store.renew(std::slice::from_ref(&fence), lease_ms).await?;
                    lease.renewed(asked_at);
                    let now = now.unwrap_or_else(|| clock.system());
                    Ok(Committed { definitions_version, now })
                })
            }
        }
    }

    fn spawn_commit(&self, batch: Batch) -> JoinHandle<Result<Committed>> {
        let store = self.reader.store.clone();
        #[cfg(debug_assertions)]
        if let Some(strike) = super::faults::strike_batch(&batch) {
            return tokio::spawn(super::faults::commit(store, batch, strike));
        }
        tokio::spawn(async move { store.commit(batch).await })
    }

    pub(super) fn perform_effects(&mut self) {
        let mut effects = self.core.take_effects();
        if effects.is_empty() {
            return;
        }
        let began = Instant::now();
        if let Some(traces) = &mut self.traces {
            effects.iter().for_each(|effect| traces.look_at(effect));
            for effect in &mut effects {
                if let Effect::Jobs { result: Ok(jobs), .. } = effect {
                    traces.hand_out(jobs);
                }
            }
        }
        for effect in effects {
            match effect {
                Effect::Wake(partition) => {
                    let store = self.reader.store.clone();
                    tokio::spawn(async move { store.wake(partition).await });
                }
                Effect::DefinitionsAt(version) => {
                    self.newest_definitions.fetch_max(version, Ordering::AcqRel);
                }
                Effect::Deployed(keys) => drop(self.reads.spawn(self.reader.clone().share_deployed(keys))),
                Effect::SuspectsAreDone => self.guard = None,
                effect => {
                    if let Effect::Jobs { result: Ok(jobs), .. } = &effect
                        && self.meter.is_on()
                    {
                        self.meter.activated(jobs, self.core.now());
                    }
                    self.callers.tell(effect);
                }
            }
        }
        self.meter.performed(began.elapsed());
    }
}

pub(super) fn wait_for_wakeup(store: Arc<dyn Store>, partition: PartitionId) -> BoxFuture<'static, ()> {
    async move { store.woken(partition).await }.boxed()
}

/// The fate of the commit; nothing where there is none.
async fn landed(commit: &mut Option<JoinHandle<Result<Committed>>>) -> Option<Result<Committed>> {
    let result = commit.as_mut()?.await;
    *commit = None;
    Some(result.unwrap_or_else(|error| Err(Error::OutcomeUnknown { reason: error.to_string() })))
}
