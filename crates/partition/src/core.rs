//! The door of the core. The driver offers events here and asks which reads it has to make.

use crate::answers::Answers;
use crate::backlog::Backlog;
use crate::box_order::BoxOrder;
use crate::due::{DueQueue, stored_position};
use crate::inbox::InboxReader;
use crate::late::LateAnswers;
use crate::letters::LeftInPlace;
use crate::open::{InFlight, OpenBatch};
use crate::pollers::{Poller, Pollers};
use crate::queued::{CommandSource, QueuedCommand, WaitsFor};
use crate::reads::{Brought, Read, Wanted};
use crate::recovery::Condition;
use crate::request::{CallId, Callers, CommandError, Effect, Request};
use crate::suspects::{Stage, Suspects};
use crate::tally::Tally;
use crate::time::{Moment, PartitionTime};
use crate::waiters::{Waiter, Waiters};
use std::collections::VecDeque;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_engine::{Supply, UnreadableDefinition, Working};
use tidemill_model::{
    Command, DefinitionKey, Entity, PartitionCount, PartitionId, ProcessInstanceKey, Timestamp,
};
use tidemill_store::{BatchId, Committed, Error, Fence, Owned};

/// Requests that may wait for their turn; who comes after that is turned away. These are eight full batches.
/// A request that would wait for longer is better off with an error than with a late answer.
const BACKLOG_MAX: usize = 8_192;
/// Callers who wait until the clock counts, before those are forgotten who have left.
const CLOCK_WATCHERS_BEFORE_CLEANING: usize = 1_000;
/// Rounds of reads that a batch waits for before it is written without the commands that want more.
/// Everybody in the batch waits for its last reader, so a command that asks again and again must not hold up the others for ever.
const LOAD_ROUNDS_MAX: u32 = 4;

/// A partition that was just taken.
#[derive(Debug)]
pub struct Opened {
    pub count: PartitionCount,
    pub owned: Owned,
    /// The leases on jobs that the store knows.
    pub leases: Vec<Entity>,
    /// The last note of the predecessor about the commands that it was about to run, and whether their batch was written.
    pub note: Option<Vec<u8>>,
    pub noted_batch_is_there: bool,
}

/// A partition that was taken again after the store has failed.
#[derive(Debug)]
pub struct Recovered {
    pub owned: Owned,
    pub leases: Vec<Entity>,
    /// The batch that was asked for was written. If not, it never will be.
    pub batch_is_there: bool,
    /// That batch may have been a deployment.
    pub definitions_version: u64,
}

/// Something that has happened and that the core must know.
#[derive(Debug)]
pub enum Event {
    Request {
        call: CallId,
        request: Request,
    },
    /// The inbox may have grown.
    InboxHasGrown,
    /// A worker that another partition had claimed is free again.
    PollerIsFree,
    /// The server is about to stop: workers and callers who wait are sent away.
    EndWaits,
    /// Finish what was begun and take nothing new.
    Stop,
    /// The cache of the node has let go of these compiled processes. Nobody else may hold them for long.
    ProcessesEvicted(Vec<DefinitionKey>),
    /// The node has these processes for all of its partitions now. Without one, the definition cannot be had: the core lets go of it.
    ProcessesShared(Vec<(DefinitionKey, Option<Arc<Process>>)>),
    Read(Brought),
    /// A read has failed.
    Failed(Error),
    /// The fate of the batch in flight.
    Landed(Result<Committed, Error>),
    Recovered(Box<Recovered>),
    /// The partition cannot be recovered: it has another owner, or the store is damaged. `batch_is_there` is given where the fate of
    /// the last batch is known all the same, and `definitions_version` with it, because that batch may have been a deployment.
    Lost {
        error: Error,
        batch_is_there: Option<bool>,
        definitions_version: Option<u64>,
    },
}

pub struct Core {
    pub(crate) id: PartitionId,
    pub(crate) count: PartitionCount,
    pub(crate) fence: Fence,
    pub(crate) next_batch: BatchId,
    pub(crate) working: Working,
    pub(crate) time: PartitionTime,
    /// Commands that were taken and have not run.
    pub(crate) queue: VecDeque<QueuedCommand>,
    /// The last run has not looked at all of them.
    pub(crate) has_unvisited: bool,
    /// A batch was closed without a commit since the last run. No event follows from that, and workers may wait for their turn.
    pub(crate) has_answered: bool,
    /// Counts how often the kinds of commands took turns.
    pub(crate) turns: usize,
    /// So many of the first commands of the queue are committed one by one, because the store refused a batch that contained them.
    pub(crate) one_by_one: usize,
    pub(crate) open: OpenBatch,
    pub(crate) in_flight: Option<InFlight>,
    pub(crate) backlog: Backlog,
    pub(crate) inbox: InboxReader,
    pub(crate) box_order: BoxOrder,
    pub(crate) due: DueQueue,
    pub(crate) left_in_place: LeftInPlace,
    pub(crate) pollers: Pollers,
    pub(crate) waiters: Waiters,
    pub(crate) answers: Answers,
    pub(crate) late: LateAnswers,
    pub(crate) suspects: Suspects,
    pub(crate) wanted: Wanted,
    /// Numbers of answers of which nobody here knows who waits for them.
    pub(crate) late_notes_wanted: Vec<u64>,
    pub(crate) late_notes_under_way: bool,
    /// Instances whose end a retry waits for; it may have come before.
    pub(crate) ends_wanted: Vec<ProcessInstanceKey>,
    /// Instances that a read of ends is under way for.
    ends_under_way: Vec<ProcessInstanceKey>,
    /// A `Read::Note` that the driver has to write.
    pub(crate) note_wanted: Option<Read>,
    pub(crate) definitions_version: Option<u64>,
    pub(crate) condition: Condition,
    pub(crate) is_stopping: bool,
    pub(crate) clock_watchers: Vec<CallId>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) keeps_tally: bool,
    pub(crate) tally: Tally,
    /// Called before each command, for tests of what must survive it.
    pub(crate) before_command: Option<fn(&Command)>,
}

impl Core {
    pub fn new(opened: Opened, moment: &Moment) -> Core {
        let Opened { count, owned, leases, note, noted_batch_is_there } = opened;
        let id = owned.fence.partition;
        let suspects = Suspects::open(
            note.as_deref(),
            owned.was_released,
            noted_batch_is_there,
            moment.wall,
            moment.elapsed_ms,
        );
        let mut core = Core {
            id,
            count,
            fence: owned.fence.clone(),
            next_batch: BatchId(0),
            working: Working::new(id, count),
            time: PartitionTime::new(owned.last_batch_at, moment),
            queue: VecDeque::new(),
            has_unvisited: false,
            has_answered: false,
            turns: 0,
            one_by_one: 0,
            open: OpenBatch::default(),
            in_flight: None,
            backlog: Backlog::default(),
            inbox: InboxReader::default(),
            box_order: BoxOrder::default(),
            due: DueQueue::default(),
            left_in_place: LeftInPlace::default(),
            pollers: Pollers::default(),
            waiters: Waiters::default(),
            answers: Answers::default(),
            late: LateAnswers::default(),
            suspects,
            wanted: Wanted::default(),
            late_notes_wanted: Vec::new(),
            late_notes_under_way: false,
            ends_wanted: Vec::new(),
            ends_under_way: Vec::new(),
            note_wanted: None,
            definitions_version: None,
            condition: Condition::Working,
            is_stopping: false,
            clock_watchers: Vec::new(),
            effects: Vec::new(),
            keeps_tally: false,
            tally: Tally::default(),
            before_command: None,
        };
        core.begin(owned, leases);
        core
    }

    /// Begins with empty memory, as whoever owns the partition from now on.
    pub(crate) fn begin(&mut self, owned: Owned, leases: Vec<Entity>) {
        // The epoch makes ids of different owners differ, so a successor that looks for a batch never finds one of its own.
        self.next_batch = BatchId((owned.fence.epoch as i64) << 32 | 1);
        self.fence = owned.fence;
        self.working = Working::new(self.id, self.count);
        self.working.reserve_keys(owned.keys.start, owned.keys.end);
        // The next run compares with the node's version and looks up everything anew, because memory is empty.
        self.definitions_version = None;
        self.due.reset(&leases);
        // The open batch may already consume an entry that was put aside because the store refused its effects. That entry must not be
        // read again, or it would run a second time.
        let in_hand =
            self.queue.iter().filter_map(QueuedCommand::position).chain(self.open.consumed.iter().copied());
        self.inbox.reset(in_hand.chain(self.left_in_place.entries()));
        self.box_order.reset(self.queue.iter());
        // Nothing counts that was read before a failure: another owner may have written meanwhile.
        self.answers = Answers::default();
        self.wanted = Wanted::default();
        self.backlog.forget_reads();
        self.late_notes_wanted.clear();
        self.late_notes_under_way = false;
        // Callers still wait for these, and the answer of the read that was under way is dropped.
        self.ends_wanted.append(&mut self.ends_under_way);
        self.note_wanted = None;
        let leases = leases.into_iter().filter_map(|entity| match entity {
            Entity::JobLease(lease) => Some(lease),
            _ => None,
        });
        self.working.load_leases(leases.collect());
    }

    /// Has a function called before each command.
    pub fn before_each_command(&mut self, called: fn(&Command)) {
        self.before_command = Some(called);
    }

    pub fn partition(&self) -> PartitionId {
        self.id
    }

    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Takes note of something that has happened. Nothing runs before `run` is called.
    pub fn offer(&mut self, event: Event, moment: &Moment, callers: &mut dyn Callers) {
        match event {
            // Requests are taken in every condition: while the store is away they wait, and the backlog has a limit.
            Event::Request { call, request } => self.take_request(call, request, callers),
            Event::InboxHasGrown => self.inbox.has_grown(),
            // The next run looks at all workers.
            Event::PollerIsFree => self.suspects.pollers_are_next = true,
            Event::EndWaits => {
                self.pollers.end_all(&mut self.effects);
                self.waiters.close(&mut self.effects);
            }
            Event::Stop => self.is_stopping = true,
            Event::ProcessesEvicted(keys) => self.working.let_go_of_processes(keys),
            Event::ProcessesShared(processes) => {
                for (key, process) in processes {
                    match process {
                        Some(process) => self.working.share_process(key, process),
                        None => self.working.let_go_of_processes([key]),
                    }
                }
            }
            // After a failure everything is read again. A read that arrives before that would be taken twice.
            Event::Read(_) if !self.condition.is_working() => {}
            Event::Read(brought) => self.take_in(brought),
            Event::Failed(error) => self.failed(error, callers),
            Event::Landed(result) => self.landed(result, moment, callers),
            Event::Recovered(recovered) => self.recovered(*recovered, moment, callers),
            Event::Lost { error, batch_is_there, definitions_version } => {
                // As after a recovery: whoever has deployed is told only after this node knows of it.
                self.effects.extend(definitions_version.map(Effect::DefinitionsAt));
                self.lost(error, batch_is_there, moment, callers);
            }
        }
    }

    fn take_request(&mut self, call: CallId, request: Request, callers: &mut dyn Callers) {
        match request {
            // The command is refused before it runs: afterwards it would have taken effect, and its caller would hear nothing.
            Request::Execute { command: Command::CorrelateMessage(_), .. } if self.late.is_full(callers) => {
                self.effects.push(Effect::Answer { call, result: Err(LateAnswers::too_many()) });
            }
            Request::Execute { command, options } => {
                self.take_command(call, QueuedCommand::new(command, CommandSource::Client { call, options }));
            }
            Request::CreateAndAwait { command, options } => {
                let command = Command::CreateInstance(command);
                self.take_command(
                    call,
                    QueuedCommand::new(command, CommandSource::Awaiting { call, options }),
                );
            }
            Request::AwaitEnd { created } => {
                self.waiters.add(Waiter { call, created }, callers, &mut self.effects);
                self.effects.push(Effect::Noted { call });
            }
            Request::ActivateJobs { command, until_ms } => {
                let poller = Poller { call, command, until_ms };
                self.suspects.pollers_are_next = true;
                self.pollers.add_new(poller, self.due.leases(), &mut self.effects);
            }
            Request::WatchJobs { job_type } => {
                self.pollers.watch(job_type, call, callers, &mut self.effects);
            }
            Request::ClockHasChanged => {
                if self.clock_watchers.len() >= CLOCK_WATCHERS_BEFORE_CLEANING {
                    self.clock_watchers.retain(|call| callers.is_waiting(*call));
                }
                self.clock_watchers.push(call);
            }
        }
    }

    fn take_command(&mut self, call: CallId, queued: QueuedCommand) {
        if self.backlog.len() < BACKLOG_MAX {
            return self.backlog.push(queued);
        }
        let reason = format!("{BACKLOG_MAX} requests wait for partition {} already", self.id);
        let error = CommandError::overloaded(reason);
        self.effects.push(match queued.source {
            CommandSource::Awaiting { .. } => Effect::Ended { call, result: Err(error) },
            _ => Effect::Answer { call, result: Err(error) },
        });
    }

    fn take_in(&mut self, brought: Brought) {
        match brought {
            Brought::Rows { rows, processes } => {
                for (need, loaded) in rows {
                    let is_complete = !loaded.is_large && !loaded.has_more;
                    self.working.supply(Supply { need, entities: loaded.entities, is_complete });
                }
                for (key, process) in processes {
                    self.working.supply_process(key, process);
                }
                // The read may have begun before the change: what it brought of definitions is dropped and read again.
                if self.wanted.definitions_have_moved {
                    self.working.definitions_changed();
                }
                self.tell_unreadable();
                self.rows_have_come();
            }
            Brought::Remains(remains) => {
                for (instance, remains) in remains {
                    self.working.supply_remains(instance, remains);
                }
                self.rows_have_come();
            }
            Brought::Keys(block) => {
                self.wanted.keys_under_way = false;
                self.working.reserve_keys(block.start, block.end);
                self.go_on(WaitsFor::Rows);
            }
            Brought::Answers(keys, answers) => {
                let later = self.answers.arrived(keys, answers);
                let late = &self.late;
                self.late_notes_wanted.extend(later.into_iter().filter(|number| !late.contains(*number)));
                self.go_on(WaitsFor::Answer);
            }
            Brought::LateNotes(notes) => {
                self.late_notes_under_way = false;
                self.late.arrived(notes.into_iter());
            }
            Brought::Ends(ends) => {
                self.ends_under_way.clear();
                for end in &ends {
                    self.waiters.tell(end, &mut self.effects);
                }
            }
            Brought::Inbox { entries, limit } => {
                self.backlog.inbox_was_read();
                let letters = self.inbox.arrived(entries, limit, &mut self.box_order);
                self.open.add_letters_of_entries(letters);
            }
            Brought::Timers { id, page } => self.due.arrived(id, page),
            Brought::Noted => self.noted(),
        }
    }

    /// Lets go of evicted processes where no batch does so by its end. Commands and workers that wait may just have got what they need:
    /// nothing leaves before they have had their turn, or they would ask for it again and again.
    pub(crate) fn let_go_when_idle(&mut self) {
        let is_reading = self.wanted.has_rows() || self.wanted.rows_under_way > 0;
        if self.open.is_empty() && self.queue.is_empty() && self.in_flight.is_none() && !is_reading {
            self.working.drop_leaving_processes();
        }
    }

    /// The compiled processes that the core holds.
    pub fn compiled_definitions(&self) -> Vec<DefinitionKey> {
        self.working.compiled()
    }

    /// How often commands have looked up compiled processes since the last call.
    pub fn take_definition_uses(&mut self) -> Vec<(DefinitionKey, u32)> {
        self.working.take_definition_uses()
    }

    /// An operator must hear of a definition that this version cannot read: its instances stand still until a version is started that can.
    fn tell_unreadable(&mut self) {
        for UnreadableDefinition { key, process_id, version, reason } in self.working.take_unreadable() {
            tracing::error!(
                partition = %self.id,
                definition = %key,
                %process_id,
                version,
                %reason,
                "a stored definition cannot be read by this version: commands that need it are rejected, timers and \
                 messages are put aside, and its jobs are not handed out"
            );
        }
    }

    fn rows_have_come(&mut self) {
        self.wanted.rows_under_way = self.wanted.rows_under_way.saturating_sub(1);
        // The open batch counts the rounds, because it cannot be closed while its commands wait for reads.
        self.open.load_rounds += 1;
        self.go_on(WaitsFor::Rows);
    }

    fn go_on(&mut self, waited_for: WaitsFor) {
        let waiting = self.queue.iter_mut().chain(&mut self.open.follow_ups);
        for queued in waiting.filter(|queued| queued.waits_for == Some(waited_for)) {
            queued.waits_for = None;
        }
    }

    /// Gives the reads that the driver has to begin now. Each read is given once.
    pub fn reads(&mut self) -> Vec<Read> {
        // Nothing else is read during a recovery: all that is known is about to be forgotten.
        if let Some(recovery) = self.condition.take_recovery() {
            return vec![recovery];
        }
        if !self.condition.is_working() {
            return Vec::new();
        }
        let mut reads = Vec::new();
        // Memory counts as written what is in flight, so rows are read when nothing is.
        if self.in_flight.is_none() && !self.must_close() {
            reads.extend(self.wanted.take_rows());
        }
        reads.extend(self.wanted.take_keys().map(Read::Keys));
        let keys = self.answers.take_wanted();
        if !keys.is_empty() {
            reads.push(Read::Answers(keys));
        }
        if !self.late_notes_wanted.is_empty() && !self.late_notes_under_way {
            self.late_notes_under_way = true;
            let numbers = std::mem::take(&mut self.late_notes_wanted);
            self.late.ask(&numbers);
            reads.push(Read::LateNotes(numbers));
        }
        if !self.ends_wanted.is_empty() && self.ends_under_way.is_empty() {
            self.ends_under_way = std::mem::take(&mut self.ends_wanted);
            reads.push(Read::Ends(self.ends_under_way.clone()));
        }
        reads.extend(self.note_wanted.take());
        // While commands run one by one, nothing may join their batches: a letter that the store refuses would be blamed on a command.
        if !self.is_stopping
            && self.one_by_one == 0
            && let Some(limit) = self.inbox.begin_read()
        {
            self.backlog.begin_read_of_inbox();
            reads.push(Read::Inbox { limit });
        }
        // Timers that run one by one, and the one of them that was put aside, are still stored: the window has forgotten that
        // they are in hand and must not read them a second time.
        if !self.is_stopping && self.one_by_one == 0 && self.open.fired.is_empty() {
            reads.extend(self.due.begin_read(self.time.due_now()).map(|read| Read::Timers {
                id: read.id,
                after: read.after.map(stored_position),
                until: Timestamp(read.until_ms),
                limit: read.timers_max,
            }));
        }
        reads
    }

    /// The open batch has waited for enough reads: it is written before the next one.
    pub(crate) fn must_close(&self) -> bool {
        self.open.load_rounds >= LOAD_ROUNDS_MAX && !self.open.executed.is_empty()
    }

    /// Gives the effects that have come up since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// `run` would find something to do without anything else happening first.
    pub fn has_work(&mut self, moment: &Moment) -> bool {
        if !self.condition.is_working() || self.open.is_full() {
            return false;
        }
        self.time.observe_quietly(moment);
        // A cautious owner, and one that writes commands one by one, begins nothing while something is
        // unwritten: a failure must be the fault of one known command.
        let is_free = self.in_flight.is_none() && self.open.is_empty();
        if self.suspects.is_cautious() {
            let is_idle = is_free && matches!(self.suspects.stage, Stage::Idle);
            return is_idle && (self.has_answered || !self.queue.is_empty() || self.can_admit());
        }
        if self.one_by_one > 0 {
            return is_free && self.queue.front().is_some_and(|queued| queued.waits_for.is_none());
        }
        self.has_answered || self.has_unvisited || self.can_admit()
    }

    /// The time in milliseconds for which the core has nothing to do unless an event comes. None while nothing can run because the store
    /// is away.
    pub fn idle_ms(&mut self, moment: &Moment) -> Option<u64> {
        if !self.condition.is_working() {
            return None;
        }
        self.time.observe_quietly(moment);
        let due =
            self.due.next(self.time.due_now(), self.time.clock()).and_then(|due| self.time.until_ms(due));
        let poll = self.pollers.next_end_ms().map(|end| end.saturating_sub(moment.elapsed_ms));
        due.into_iter().chain(poll).min()
    }

    /// Everything that was begun before the stop is written and answered.
    pub fn is_finished(&self) -> bool {
        let has_ended = match &self.condition {
            Condition::Working => self.is_stopping,
            Condition::Stopped(_) => return true,
            _ => false,
        };
        has_ended && self.in_flight.is_none() && self.open.is_empty() && self.queue.is_empty()
    }

    /// Takes the error that keeps the partition from going on here, if there is one.
    pub fn take_failure(&mut self) -> Option<Error> {
        match &mut self.condition {
            Condition::Stopped(error) => error.take(),
            _ => None,
        }
    }

    /// Rejects everything that still waits, when the partition is given up. Commands that never ran are marked safe to
    /// retry elsewhere.
    pub fn reject_pending(&mut self) {
        let open = std::mem::take(&mut self.open);
        let executed = open.executed.into_iter().map(|executed| executed.queued);
        let mut pending: Vec<QueuedCommand> =
            executed.chain(open.follow_ups).chain(self.queue.drain(..)).collect();
        pending.extend(self.backlog.drain());
        for queued in pending {
            let error = CommandError::Moved;
            match queued.source {
                CommandSource::Client { call, .. } => {
                    self.effects.push(Effect::Answer { call, result: Err(error) });
                }
                CommandSource::Awaiting { call, .. } => {
                    self.effects.push(Effect::Ended { call, result: Err(error) })
                }
                // Nobody waits for an answer, or it is asked for again.
                _ => {}
            }
        }
        self.waiters.send_on(&mut self.effects);
    }
}
