//! The timer shard: the state machine of one partition's service timers. Requests, time, what was read and what became of
//! commits go in; needs, batches and answers come out. It does no I/O, and nothing it says is true before its commit.
//!
//! The driver calls `offer` for each request, asks for `needs` and answers them by `supply`, and whenever no batch is in
//! flight calls `close`, commits what comes out and tells by `landed` what became of it.

mod create;
mod fire;
mod fired;
mod frontier;
mod job;
mod lookup;
mod memory;
mod open;
mod places;
mod recover;
mod request;
mod rows;
mod run;
mod waiting;

use crate::block::{Entry, PlaceId, Scope};
use crate::{Position, Wheel};
use fired::Fired;
use frontier::Frontier;
use job::Job;
use lookup::Lookup;
use open::Open;
use places::Places;
pub use recover::DamagedBlock;
use request::Work;
pub use request::{Address, Answer, Busy, Create, Mode, Request, Retry, Settle, Target, Ticket};
pub use rows::{
    Batch, BlockId, BlockRow, Commit, DeliveryId, DeliveryRow, FIRST_KEPT_LANE, FailureId, FailureRow, Fence,
    LANE_OF_COMMANDS, LANE_OF_NOBODY, Need, Pause, Place, PlaceChange, PlaceState, Recovered, Supply,
    TargetRow,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use waiting::Waiting;

#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub memory_bytes_max: usize,
    /// The time ahead for which timers are loaded while memory allows.
    pub look_ahead_ms_max: i64,
    pub block_entries_max: usize,
    /// Timers that one commit fires at most: after a long stop, requests get their share too.
    pub fired_per_batch_max: usize,
    /// A slot with so many small blocks is merged.
    pub merge_blocks_min: usize,
    /// So long an own id is known after its timer has fired: whoever cancels it hears that. 0 forgets it at once.
    pub fired_kept_ms: i64,
    /// Tells what becomes of a timer that repeats, at this time.
    pub on_fire: fn(&Entry, i64) -> Firing,
}

/// The fate of an occurrence that is due, and the occurrence that follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Firing {
    /// The scheduled time of the occurrence that is told, which may be a later one; none if it is left out.
    pub told_ms: Option<i64>,
    pub next: Option<Next>,
}

/// The next occurrence of a timer: written by the commit that fires the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Next {
    pub due_ms: i64,
    pub scheduled_ms: i64,
    pub payload: Box<[u8]>,
}

/// Every timer fires once.
fn once(entry: &Entry, _: i64) -> Firing {
    Firing { told_ms: Some(entry.scheduled_ms), next: None }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            memory_bytes_max: 128 << 20,
            look_ahead_ms_max: 60_000,
            block_entries_max: 4_096,
            fired_per_batch_max: 20_000,
            merge_blocks_min: 64,
            fired_kept_ms: 0,
            on_fire: once,
        }
    }
}

enum Phase {
    /// Reads the mark.
    Recovering,
    /// Reads the places of generated ids.
    ReadingPlaces,
    Ready,
    /// Another owner has taken over.
    Stopped,
}

/// A batch on its way to the store.
struct InFlight {
    id: i64,
    answers: Vec<(Ticket, Answer)>,
    works: Vec<Work>,
    bytes: usize,
    is_unknown: bool,
}

/// The purpose of a need.
enum Asked {
    Recover,
    Settle,
    Places,
    First {
        level: u8,
    },
    /// Of a job.
    Page,
    Lookup {
        id: u64,
    },
}

pub struct Shard {
    config: Config,
    phase: Phase,
    /// As the driver has told it last.
    now_ms: i64,
    fence: Fence,
    wheel: Wheel<Waiting>,
    frontier: Frontier,
    /// Of the last batch that was closed, so that nothing is created behind the mark of the commit in flight (rule 1).
    mark: Position,
    /// The end of a slot larger than memory while it is fired block by block (rule 5).
    drain_floor: Option<Position>,
    oversize: Option<i64>,
    look_ahead_ms: i64,
    last_key: i64,
    last_batch: i64,
    landed_batch: i64,
    /// The last batch when the frontiers moved: later ones have written nothing to slots that are to be split.
    split_barrier: i64,
    open: Open,
    in_flight: Option<InFlight>,
    places: Places,
    namespaces: BTreeMap<Scope, Pause>,
    targets: BTreeMap<u128, (u32, u32)>,
    lanes: BTreeMap<u32, u32>,
    /// The target of the last timer that was created: most have the same as the one before.
    last_target: Option<(Target, u32)>,
    /// Works that came before the shard was ready.
    queue: VecDeque<Work>,
    queue_bytes: usize,
    arrivals: u64,
    lookups: BTreeMap<u64, Lookup>,
    /// The timers that lookups are about: one lookup at a time for each.
    sought: BTreeSet<PlaceId>,
    /// Works about a timer that another work is about, in order.
    behind: BTreeMap<PlaceId, VecDeque<Work>>,
    job: Option<Job>,
    unpark: Option<Job>,
    /// A slot whose merged blocks are in the open batch.
    merged: Option<crate::Slot>,
    asked: BTreeMap<u64, Asked>,
    needs: u64,
}

impl Shard {
    pub fn new(config: Config) -> Shard {
        let wheel_bytes_max = config.memory_bytes_max / 2;
        Shard {
            config,
            phase: Phase::Recovering,
            now_ms: 0,
            fence: Fence { partition: 0, epoch: 0 },
            wheel: Wheel::new(wheel_bytes_max, Waiting::heap_bytes),
            frontier: Frontier::new(0),
            mark: Position::MIN,
            drain_floor: None,
            oversize: None,
            look_ahead_ms: config.look_ahead_ms_max,
            last_key: 0,
            last_batch: 0,
            landed_batch: 0,
            split_barrier: 0,
            open: Open::default(),
            in_flight: None,
            places: Places::default(),
            namespaces: BTreeMap::new(),
            targets: BTreeMap::new(),
            lanes: BTreeMap::new(),
            last_target: None,
            queue: VecDeque::new(),
            queue_bytes: 0,
            arrivals: 0,
            lookups: BTreeMap::new(),
            sought: BTreeSet::new(),
            behind: BTreeMap::new(),
            job: None,
            unpark: None,
            merged: None,
            asked: BTreeMap::new(),
            needs: 0,
        }
    }

    /// Takes a request. Its answer comes with the commit that carries it.
    pub fn offer(&mut self, ticket: Ticket, request: Request) -> Result<(), Busy> {
        let is_stopped = matches!(self.phase, Phase::Stopped);
        let waiting = self.waiting_bytes();
        // A bulk counts before it is taken: it may be as large as all that is allowed to wait.
        let has_room = waiting <= self.config.memory_bytes_max / 4
            && (waiting == 0
                || !request.is_bulk()
                || waiting + request.bytes() <= self.config.memory_bytes_max / 4);
        if is_stopped || !has_room {
            return Err(Busy);
        }
        self.arrivals += 1;
        let work = Work { arrival: self.arrivals, ticket, request };
        match self.phase {
            Phase::Ready => self.start(work),
            _ => self.enqueue(work),
        }
        Ok(())
    }

    fn enqueue(&mut self, work: Work) {
        self.queue_bytes += work.request.bytes();
        self.queue.push_back(work);
    }

    /// Closes the open batch, if there is something to write and no other batch is in flight.
    pub fn close(&mut self, now_ms: i64) -> Option<Batch> {
        self.now_ms = now_ms;
        if self.in_flight.is_some() || !matches!(self.phase, Phase::Ready) {
            return None;
        }
        self.fire(now_ms);
        let batch = (!self.open.is_empty()).then(|| self.seal(now_ms));
        // The open batch is empty now: what moves here concerns only what comes later (rule 4).
        self.advance(now_ms);
        batch
    }

    fn seal(&mut self, now_ms: i64) -> Batch {
        let id = self.last_batch + 1;
        let limits = self.block_limits();
        let mut open = std::mem::take(&mut self.open);
        let Fired { count: fired, first_due_ms, .. } = open.fired;
        let (deliveries, commands) = std::mem::take(&mut open.fired).pack(id, limits);
        let batch = Batch {
            fence: self.fence,
            id,
            at_ms: now_ms,
            highest_key: self.last_key,
            mark: self.mark,
            block_inserts: open.pack_blocks(id, limits, &mut self.frontier),
            block_deletes: open.deletes,
            deliveries,
            delivery_deletes: open.delivery_deletes,
            commands,
            failure_deletes: open.failure_deletes,
            failures: open.failures.into_iter().map(|failed| open::pack_failure(failed, now_ms)).collect(),
            fired,
            first_due_ms,
            places: open.places,
            targets: open.targets,
            namespaces: open.namespaces.into_iter().collect(),
        };
        // Merged blocks do not count as new ones, or they would be merged again and again.
        if let Some(merged) = self.merged.take() {
            self.frontier.count_anew(merged);
        }
        self.last_batch = id;
        self.places.closed(id);
        self.page_was_closed();
        let (answers, works, bytes) = (open.answers, open.works, open.bytes);
        self.in_flight = Some(InFlight { id, answers, works, bytes, is_unknown: false });
        batch
    }

    /// Hears what became of the batch in flight. Gives the answers that may go out now; deliveries of a written batch
    /// may begin.
    pub fn landed(&mut self, commit: Commit) -> Vec<(Ticket, Answer)> {
        match commit {
            Commit::Written => self.written(),
            Commit::NotWritten => {
                self.restart();
                Vec::new()
            }
            Commit::Unknown => {
                if let Some(in_flight) = &mut self.in_flight {
                    in_flight.is_unknown = true;
                }
                Vec::new()
            }
            Commit::Fenced => self.stop(),
        }
    }

    fn written(&mut self) -> Vec<(Ticket, Answer)> {
        let Some(in_flight) = self.in_flight.take() else { return Vec::new() };
        self.landed_batch = in_flight.id;
        self.places.forget_through(self.oldest_place_read());
        in_flight.answers
    }

    /// When `close` should be called again, if nothing else happens.
    pub fn wake_at_ms(&mut self) -> Option<i64> {
        let first = self.wheel.first().map(|first| first.due_ms);
        // While a job runs, or memory is short, the next slot waits for what has been begun.
        let may_begin = self.job.is_none() && self.has_room();
        let next = self.frontier.next_begin_ms().filter(|_| may_begin).map(|begin_ms| match self.oversize {
            Some(number) if crate::Slot { level: 0, number }.begin_ms() == begin_ms => {
                crate::Slot { level: 0, number }.end_ms()
            }
            _ => begin_ms.saturating_sub(self.look_ahead_ms),
        });
        first.into_iter().chain(next).chain(self.frontier.first_end_ms()).min()
    }

    /// Every timer up to here has fired, was cancelled or is parked, once the batch in flight has landed.
    pub fn mark(&self) -> Position {
        self.mark
    }
}
