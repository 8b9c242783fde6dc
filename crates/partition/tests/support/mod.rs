//! A partition without threads: the test says when each read, commit and recovery is answered, and how.

#![allow(unreachable_pub, reason = "the same words as in a library")]

mod callers;
mod commands;
mod faults;
mod store;

pub use commands::*;
pub use faults::{Fate, failed_read};
pub use store::now;
pub use tidemill_model::dice::Dice;

use callers::Table;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tidemill_model::{Command, PartitionCount, PartitionId, Timestamp};
use tidemill_partition::{CallId, Closed, Core, Effect, Event, Moment, Read, Request, StoreTime};
use tidemill_store::HolderId;
use tidemill_store_memory::{Memory, MemoryStore};

/// Where the clocks of a test begin: 2026-01-01T00:00:00Z.
pub const BEGIN: i64 = 1_767_225_600_000;
pub const HERE: PartitionId = PartitionId::FIRST;
/// The store's clock is known up to a few milliseconds: what is due is taken to be due that much later.
pub const SLACK_MS: u64 = 10;
/// After so long the timer of the process `sleep` is due.
pub const SLEEP_MS: u64 = 10_000 + SLACK_MS;
/// A driver does not sleep longer than this.
const LOOK_EVERY_MS: u64 = 5_000;
/// Rounds after which a partition that still finds something to do is taken to run in circles.
const ROUNDS_MAX: usize = 100_000;

pub struct Bench {
    pub store: MemoryStore,
    pub core: Core,
    pub moment: Moment,
    pub callers: Table,
    /// Reads that were asked for and not answered.
    pub reads: VecDeque<Read>,
    /// The batch that is on its way to the store, and when it left.
    pub closed: Option<(Closed, u64)>,
    /// Everything that came out so far.
    pub effects: Vec<Effect>,
    /// Every commit tells the store's time, at once and exactly.
    pub commits_tell_time: bool,
    holder: HolderId,
    store_clock: Arc<AtomicI64>,
    keeps_back: fn(&Read) -> bool,
    calls: u64,
    /// Batches that were not the partition's own.
    batches_beside: i64,
}

impl Bench {
    /// A partition with an empty store, which nobody had before.
    pub fn new() -> Bench {
        Bench::with_partitions(PartitionCount::ONE)
    }

    pub fn with_partitions(partitions: PartitionCount) -> Bench {
        let store_clock = Arc::new(AtomicI64::new(BEGIN));
        let clock = store_clock.clone();
        let memory =
            Memory::with_clock(partitions, Arc::new(move || Timestamp(clock.load(Ordering::SeqCst))));
        let store = memory.open();
        let holder = HolderId::from("here");
        let moment = Moment {
            wall: Timestamp(BEGIN),
            elapsed_ms: 0,
            store_time: Some(StoreTime { now: Timestamp(BEGIN), asked_ms: 0, told_ms: 0 }),
            pinned_at: None,
            clock_changes: 0,
            holds_lease: true,
            definitions_version: 0,
        };
        let opened = store::open(&store, &holder).expect("nobody else holds it");
        let core = watched(Core::new(opened, &moment));
        Bench {
            store,
            core,
            moment,
            callers: Table::default(),
            reads: VecDeque::new(),
            closed: None,
            effects: Vec::new(),
            commits_tell_time: true,
            holder,
            store_clock,
            keeps_back: |_| false,
            calls: 0,
            batches_beside: 0,
        }
    }

    /// All clocks go on by this much.
    pub fn pass(&mut self, ms: u64) {
        self.moment.elapsed_ms += ms;
        self.moment.wall = self.moment.wall + ms as i64;
        self.store_clock.fetch_add(ms as i64, Ordering::SeqCst);
    }

    /// The store's clock is set back or ahead, and the store tells its time at once.
    pub fn set_store_clock_by(&mut self, ms: i64) {
        let now = self.store_clock.fetch_add(ms, Ordering::SeqCst) + ms;
        let elapsed_ms = self.moment.elapsed_ms;
        self.store_tells(now, elapsed_ms);
    }

    /// The store's answer to a question of this time arrives.
    pub fn store_tells(&mut self, now: i64, asked_ms: u64) {
        let told_ms = self.moment.elapsed_ms;
        self.moment.store_time = Some(StoreTime { now: Timestamp(now), asked_ms, told_ms });
    }

    pub fn store_now(&self) -> i64 {
        self.store_clock.load(Ordering::SeqCst)
    }

    /// Pins the test clock so far from the beginning of the test, or releases it.
    pub fn pin_clock(&mut self, ms: Option<i64>) {
        self.moment.pinned_at = ms.map(|ms| Timestamp(BEGIN + ms));
        self.moment.clock_changes += 1;
    }

    pub fn offer(&mut self, event: Event) {
        self.core.offer(event, &self.moment, &mut self.callers);
        self.collect();
    }

    pub fn request(&mut self, request: Request) -> CallId {
        self.calls += 1;
        let call = CallId(self.calls);
        let is_worker = matches!(request, Request::ActivateJobs { .. });
        self.callers.add(call, is_worker);
        self.offer(Event::Request { call, request });
        call
    }

    pub fn send(&mut self, command: Command) -> CallId {
        self.request(Request::Execute { command, options: Default::default() })
    }

    /// Sends a command, lets everything happen and gives its answer.
    #[track_caller]
    pub fn done(&mut self, command: Command) -> tidemill_model::Answer {
        let call = self.send(command);
        self.settle();
        self.answered(call)
    }

    /// One turn of a driver: runs, begins reads and a commit. Answers neither.
    pub fn turn(&mut self) {
        self.core.run(&self.moment, &mut self.callers);
        self.begin_reads();
        if let Some(closed) = self.core.close(&self.moment, &mut self.callers) {
            assert!(self.closed.is_none(), "one batch at a time is on its way");
            self.closed = Some((closed, self.moment.elapsed_ms));
        }
        self.begin_reads();
        self.collect();
    }

    fn begin_reads(&mut self) {
        for read in self.core.reads() {
            if matches!(read, Read::Recovery { .. }) {
                // As the driver does: memory is built anew, and what was asked before is not answered any more.
                self.reads.clear();
            }
            self.reads.push_back(read);
        }
    }

    fn collect(&mut self) {
        for effect in self.core.take_effects() {
            if let Effect::DefinitionsAt(version) = effect {
                self.moment.definitions_version = self.moment.definitions_version.max(version);
            }
            self.callers.note(&effect);
            self.effects.push(effect);
        }
    }

    /// From now on `settle` does not answer such reads.
    pub fn keep_back(&mut self, keeps_back: fn(&Read) -> bool) {
        self.keeps_back = keeps_back;
    }

    /// Answers the first read for which this holds. False when there is none.
    pub fn answer_read(&mut self, which: impl Fn(&Read) -> bool) -> bool {
        let Some(at) = self.reads.iter().position(which) else { return false };
        self.answer_read_at(at);
        true
    }

    pub fn answer_read_at(&mut self, at: usize) {
        let read = self.reads.remove(at).expect("it is there");
        let event = self.answer_to(read);
        self.offer(event);
    }

    /// The answer of the store as it is now; it may be offered later.
    pub fn take_answer(&mut self, which: impl Fn(&Read) -> bool) -> Event {
        let at = self.reads.iter().position(which).expect("such a read is under way");
        let read = self.reads.remove(at).expect("it is there");
        self.answer_to(read)
    }

    fn answer_to(&mut self, read: Read) -> Event {
        store::answer(&self.store, &self.holder, self.core.fence(), read)
    }

    pub fn is_reading(&self, which: impl Fn(&Read) -> bool) -> bool {
        self.reads.iter().any(which)
    }

    /// Goes on until only what is kept back is under way: reads are answered at once and commits land.
    #[track_caller]
    pub fn settle(&mut self) {
        self.go_on(true);
    }

    /// As `settle`, but commits stay in flight.
    #[track_caller]
    pub fn settle_unwritten(&mut self) {
        self.go_on(false);
    }

    #[track_caller]
    fn go_on(&mut self, lands: bool) {
        for _ in 0..ROUNDS_MAX {
            self.turn();
            let keeps_back = self.keeps_back;
            if self.answer_read(|read| !keeps_back(read)) {
                continue;
            }
            if lands && self.closed.is_some() {
                self.land(Fate::Written);
            } else if !self.core.has_work(&self.moment) || self.core.is_finished() {
                return;
            }
        }
        panic!("the partition runs in circles; it reads {:?}", self.reads);
    }

    /// Lives for so long as a driver does, which runs the partition only after something has happened, while it has work, and when
    /// it has slept as long as it may. Gives the number of turns.
    pub fn live(&mut self, ms: u64) -> usize {
        let end_ms = self.moment.elapsed_ms + ms;
        let mut turns = 0;
        loop {
            self.turn();
            turns += 1;
            assert!(turns < ROUNDS_MAX, "the partition runs in circles");
            if self.answer_read(|_| true) || self.core.has_work(&self.moment) {
                continue;
            }
            if self.closed.is_some() {
                self.land(Fate::Written);
                continue;
            }
            let left_ms = end_ms - self.moment.elapsed_ms;
            if left_ms == 0 {
                return turns;
            }
            let idle_ms = self.core.idle_ms(&self.moment).map_or(LOOK_EVERY_MS, |ms| ms.max(1));
            self.pass(idle_ms.min(LOOK_EVERY_MS).min(left_ms));
        }
    }

    /// The owner stops without having been asked: nobody gets an answer any more. The next one takes over.
    pub fn die(&mut self) {
        self.next_owner();
    }

    /// The owner gives the partition up in good order, and the next one takes over.
    pub fn hand_over(&mut self) {
        store::release(&self.store, self.core.fence());
        self.core.reject_pending();
        self.collect();
        self.next_owner();
    }

    fn next_owner(&mut self) {
        self.reads.clear();
        self.closed = None;
        self.callers.leave_all();
        let opened = store::open(&self.store, &self.holder).expect("nobody else holds it");
        self.core = watched(Core::new(opened, &self.moment));
    }

    /// Another node takes the partition, behind the back of this one.
    pub fn taken_by_another(&mut self) {
        store::release(&self.store, self.core.fence());
        store::open(&self.store, &HolderId::from("another")).expect("it was just released");
    }

    /// Another node owns the partition while this happens, and gives it back. This one does not hear of it.
    pub fn while_another_owns(&mut self, happens: impl FnOnce(&mut Bench)) {
        store::release(&self.store, self.core.fence());
        let another = HolderId::from("another");
        let opened = store::open(&self.store, &another).expect("it was just released");
        let core = std::mem::replace(&mut self.core, watched(Core::new(opened, &self.moment)));
        let holder = std::mem::replace(&mut self.holder, another);
        let (reads, closed) = (std::mem::take(&mut self.reads), self.closed.take());
        self.keep_back(|_| false);
        happens(self);
        store::release(&self.store, self.core.fence());
        (self.core, self.holder, self.reads, self.closed) = (core, holder, reads, closed);
    }
}

impl Bench {
    /// Lets the partition look at the clocks and run, and answers what it reads; commits stay as they are.
    pub fn turn_quietly(&mut self) {
        self.core.run(&self.moment, &mut self.callers);
        self.collect();
    }
}

thread_local! {
    static RAN: RefCell<Vec<Command>> = const { RefCell::new(Vec::new()) };
}

/// Every command that the engine was given on this thread, in order; one that missed rows is there once more.
pub fn take_ran() -> Vec<Command> {
    RAN.take()
}

fn watched(mut core: Core) -> Core {
    core.before_each_command(|command| RAN.with_borrow_mut(|ran| ran.push(command.clone())));
    core
}
