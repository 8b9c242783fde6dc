//! Running commands: each takes effect as a whole, waits for a read, or is put aside.

use crate::backlog::line_of_client;
use crate::core::Core;
use crate::held_up::HeldUp;
use crate::lanes::mix;
use crate::queued::{CommandSource, QueuedCommand, WaitsFor};
use crate::request::{Callers, Effect};
use crate::time::Moment;
use crate::{answers::Lookup, due::position_of};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tidemill_engine::{Missing, Now, Outcome, process, recover};
use tidemill_model::Command;
use tidemill_model::command::{ExpireLeases, TriggerTimer};

/// Requests of clients, entries of the inbox, and due timers and leases that are in the queue at the same time. Each kind has a
/// share of its own, so that none can keep the others waiting.
/// Together they fill one batch of 1,024 commands.
const CLIENTS_MAX: usize = 512;
const ENTRIES_MAX: usize = 256;
const DUE_MAX: usize = 256;
/// Rounds of reads that one command may need before it is given up.
/// No honest command needs as many, so one that does asks for something that the store never gives.
const READS_PER_COMMAND_MAX: u32 = 10_000;
/// The next block of keys is reserved before fewer are left, so that few commands run twice for want of keys.
const KEYS_LEFT_MIN: u64 = 100_000;

/// Commands that take much work give way after so much of it, so that what has come meanwhile is looked at.
const HEAVY_RUN_WORK_MAX: u64 = 200_000;
/// Commands that take less on average are not worth a look in between.
const HEAVY_COMMAND_WORK: u64 = 5_000;

fn is_long(work: u64, commands: usize) -> bool {
    work >= HEAVY_RUN_WORK_MAX && work >= HEAVY_COMMAND_WORK * commands as u64
}

/// The room that is left in the queue for commands of each kind.
struct Room {
    clients: usize,
    entries: usize,
    due: usize,
}

/// The result of running a command.
pub(crate) enum Run {
    Done(Box<Outcome>),
    /// It has changed nothing and waits for what it has missed.
    Missed(Missing),
    /// It cannot be run; nothing of it counts.
    Failed(String),
}

impl Core {
    /// Runs what can be run.
    pub fn run(&mut self, moment: &Moment, callers: &mut dyn Callers) {
        if !self.condition.is_working() {
            return;
        }
        self.observe(moment);
        self.has_answered = false;
        if self.suspects.is_cautious() {
            self.run_cautiously(moment, callers);
        } else if self.one_by_one > 0 {
            self.run_one();
        } else {
            self.admit();
            self.execute_queue(usize::MAX, false);
            // Workers come last, so that they get the jobs which this batch has made, and only when the batch
            // is about to be written: their leases begin now.
            if self.is_ready_to_close() {
                self.serve_pollers(moment, callers);
            }
        }
        self.let_go_when_idle();
        self.tell_clock_watchers();
    }

    pub(crate) fn observe(&mut self, moment: &Moment) {
        if self.time.observe(moment) {
            self.clock_has_jumped();
        }
        // A deployment counts here from the moment that its sender is told of it, wherever it was run.
        if self.definitions_version != Some(moment.definitions_version) {
            self.definitions_version = Some(moment.definitions_version);
            self.wanted.definitions_have_moved = true;
            self.working.definitions_changed();
        }
        if self.working.keys_left() < KEYS_LEFT_MIN {
            self.wanted.keys(KEYS_LEFT_MIN);
        }
    }

    /// Fills the queue up to the share of each kind.
    pub(crate) fn admit(&mut self) {
        if self.is_stopping {
            return;
        }
        // The last batch was full before it had looked at all of the queue.
        let was_cut = self.has_unvisited;
        let mut room = self.room();
        while room.entries > 0
            && let Some(queued) = self.inbox.pop()
        {
            self.queue.push_back(queued);
            room.entries -= 1;
        }
        // Entries were admitted first, so those in the queue run before requests that are admitted now.
        let all_may_come = !self.inbox.holds_up_requests();
        while room.clients > 0
            && let Some(queued) = self.backlog.pop(all_may_come)
        {
            self.queue.push_back(queued);
            room.clients -= 1;
        }
        self.admit_due(room.due);
        if was_cut || self.inbox.is_long() {
            // The queue is longer than a batch: the kinds take turns, or those behind would wait for as long as it lasts.
            self.turns = self.turns.wrapping_add(1);
            self.queue = mix(std::mem::take(&mut self.queue), self.turns);
        }
    }

    /// Timers that are due are looked up again by the new time, those in the queue too: they may not be due any more.
    fn clock_has_jumped(&mut self) {
        let mut taken = Vec::new();
        if self.one_by_one == 0 {
            self.queue.retain(|queued| match (&queued.source, &queued.command) {
                (CommandSource::Timer(_), Command::TriggerTimer(trigger)) => {
                    taken.push(Arc::new(trigger.timer.clone()));
                    false
                }
                _ => true,
            });
        }
        self.due.forget(taken.into_iter());
    }

    /// Tells callers who have set the clock that timers due by the new time are in the queue. These timers run before requests that
    /// are sent from now on, unless there are more than a batch takes.
    fn tell_clock_watchers(&mut self) {
        if !self.clock_watchers.is_empty() && self.due.is_read() {
            let calls = std::mem::take(&mut self.clock_watchers);
            self.effects.extend(calls.into_iter().map(|call| Effect::Noted { call }));
        }
    }

    /// `admit` would find something.
    pub(crate) fn can_admit(&mut self) -> bool {
        if self.is_stopping {
            return false;
        }
        let room = self.room();
        let is_due = self
            .due
            .next(self.time.due_now(), self.time.clock())
            .is_some_and(|due| self.time.until_ms(due) == Some(0));
        room.entries > 0 && !self.inbox.is_empty()
            || room.clients > 0 && self.backlog.has_next(!self.inbox.holds_up_requests())
            || room.due > 0 && is_due
    }

    /// The number of further commands of each kind that the queue may hold.
    fn room(&self) -> Room {
        let mut room = Room { clients: CLIENTS_MAX, entries: ENTRIES_MAX, due: DUE_MAX };
        for queued in &self.queue {
            let kind = match queued.source {
                CommandSource::Client { .. } | CommandSource::Awaiting { .. } => &mut room.clients,
                CommandSource::Inbox { .. } => &mut room.entries,
                _ => &mut room.due,
            };
            *kind = kind.saturating_sub(1);
        }
        room
    }

    fn admit_due(&mut self, due_max: usize) {
        let now = self.time.due_now();
        for timer in self.due.take_timers(now, self.time.clock(), due_max) {
            let position = position_of(&timer);
            if self.left_in_place.has_timer(position) {
                // It stays in hand, so the window neither brings it again nor lets the batch delete it.
                continue;
            }
            let source = CommandSource::Timer(position);
            let trigger = TriggerTimer { timer: (*timer).clone(), was_put_aside: false };
            self.queue.push_back(QueuedCommand::new(Command::TriggerTimer(trigger), source));
        }
        // Leases of a worker that died run out together, so one command ends all of them.
        let jobs = self.due.take_leases(now, due_max);
        if !jobs.is_empty() {
            let command = Command::ExpireLeases(ExpireLeases { jobs, at: now });
            self.queue.push_back(QueuedCommand::new(command, CommandSource::Leases));
        }
    }

    /// The store refused a batch: each of its commands gets a batch of its own.
    fn run_one(&mut self) {
        if self.in_flight.is_some() || !self.open.is_empty() {
            return;
        }
        let queued = self.queue.len();
        self.execute_queue(1, true);
        // It has run or was put aside. If it waits for rows instead, it stays the first.
        if self.queue.len() < queued {
            self.one_by_one -= 1;
        }
    }

    /// Runs up to so many commands of the queue with what follows from them. While a command waits for a read, those of other
    /// aggregates go on, unless all are to run in order.
    pub(crate) fn execute_queue(&mut self, commands_max: usize, in_order: bool) -> usize {
        let (mut done, mut held_up, mut waiting) = (0, HeldUp::default(), VecDeque::new());
        let work_before = self.open.work;
        self.run_follow_ups(&mut held_up);
        while done + waiting.len() < commands_max && !self.open.is_full() {
            // The driver takes in what has arrived meanwhile, and calls `run` again.
            if !in_order && is_long(self.open.work - work_before, done) {
                break;
            }
            let Some(queued) = self.queue.pop_front() else { break };
            let line = line_of_client(&queued);
            self.open.work_before = self.open.work;
            let is_held_up = !held_up.is_empty() && in_order || self.is_held_up(&held_up, &queued);
            match self.attempt_unless_held_up(queued, is_held_up) {
                Some(queued) => {
                    held_up.add(self.working.aggregate(&queued.command));
                    waiting.push_back(queued);
                }
                None => {
                    done += 1;
                    self.run_follow_ups(&mut held_up);
                    if let Some(line) = line {
                        // Follow-ups are charged to the sender too: they are work that its command has caused.
                        self.backlog.charge(line, self.open.work - self.open.work_before);
                    }
                }
            }
        }
        self.has_unvisited = !self.queue.is_empty();
        if self.has_unvisited && !in_order {
            self.put_back_unvisited();
        }
        // Commands that wait keep their place before those that came later.
        waiting.append(&mut self.queue);
        self.queue = waiting;
        done
    }

    /// The batch is full. Commands that it did not get to are taken anew for the next one, by then in the
    /// order of the work that each line has used.
    fn put_back_unvisited(&mut self) {
        for mut queued in std::mem::take(&mut self.queue).into_iter().rev() {
            // The rows that it has missed may arrive before it is taken again. If not, it asks for them once more.
            queued.waits_for = None;
            match queued.source {
                CommandSource::Client { .. } | CommandSource::Awaiting { .. } => {
                    self.backlog.put_back(queued)
                }
                CommandSource::Inbox { .. } => self.inbox.put_back(queued),
                _ => self.queue.push_front(queued),
            }
        }
    }

    /// As `attempt`. A command that another one holds up asks for its rows all the same: what many commands need is read
    /// together, not one after the other.
    fn attempt_unless_held_up(
        &mut self,
        mut queued: QueuedCommand,
        is_held_up: bool,
    ) -> Option<QueuedCommand> {
        if queued.waits_for.is_some() {
            return Some(queued);
        }
        if !is_held_up {
            return self.attempt(queued);
        }
        if self.ask_ahead(&queued) {
            queued.waits_for = Some(WaitsFor::Rows);
        }
        Some(queued)
    }

    fn is_held_up(&self, held_up: &HeldUp, queued: &QueuedCommand) -> bool {
        !held_up.is_empty() && held_up.includes(&self.working.aggregate(&queued.command))
    }

    /// Runs the follow-ups of a command before the next command.
    fn run_follow_ups(&mut self, held_up: &mut HeldUp) {
        let mut waiting = VecDeque::new();
        while let Some(queued) = self.open.follow_ups.pop_front() {
            let is_held_up = self.is_held_up(held_up, &queued);
            if let Some(queued) = self.attempt_unless_held_up(queued, is_held_up) {
                held_up.add(self.working.aggregate(&queued.command));
                waiting.push_back(queued);
            }
        }
        self.open.follow_ups = waiting;
    }

    /// Asks for what a command will surely miss. True if rows are among that.
    fn ask_ahead(&mut self, queued: &QueuedCommand) -> bool {
        if let Some(key) = queued.key() {
            let in_flight = self.in_flight.iter().map(|in_flight| &in_flight.batch.known);
            self.answers.look_up(&key, std::iter::once(&self.open.known).chain(in_flight));
        }
        let mut needs = Vec::new();
        self.working.add_first_needs(&queued.command, &mut needs);
        let asks_for_rows = !needs.is_empty();
        self.wanted.rows(needs);
        asks_for_rows
    }

    /// Runs a command, or gives it back because it waits for a read.
    fn attempt(&mut self, mut queued: QueuedCommand) -> Option<QueuedCommand> {
        let key = queued.key();
        if let Some(key) = &key {
            let in_flight = self.in_flight.iter().map(|in_flight| &in_flight.batch.known);
            let unwritten = std::iter::once(&self.open.known).chain(in_flight);
            match self.answers.look_up(key, unwritten) {
                Lookup::First => {}
                Lookup::Retry(remembered) => {
                    self.open.repeat(queued, remembered);
                    return None;
                }
                // The rows are asked for at the same time, so that one round trip brings both.
                Lookup::Unknown => {
                    self.ask_ahead(&queued);
                    queued.waits_for = Some(WaitsFor::Answer);
                    return Some(queued);
                }
            }
        }
        let mut needs = Vec::new();
        self.working.add_first_needs(&queued.command, &mut needs);
        if !needs.is_empty() {
            return self.wait_for_rows(queued, Missing { rows: needs, ..Missing::default() });
        }
        // New rows have new keys, so the difference afterwards is about the number of rows that the command has made.
        let first_key = self.working.next_key();
        match self.run_command(&queued.command) {
            Run::Missed(missing) => return self.wait_for_rows(queued, missing),
            Run::Failed(reason) => {
                self.box_order.ran(&queued);
                self.open.put_aside(queued, reason);
            }
            Run::Done(outcome) => {
                self.box_order.ran(&queued);
                let rows = self.working.next_key().saturating_sub(first_key) as usize;
                let written = (rows, self.working.take_value_bytes());
                // Answers are kept by the real time: a pinned test clock must not make them expire.
                let now = self.time.unpinned();
                self.open.add(queued, *outcome, written, self.id, now, &mut self.box_order);
            }
        }
        if let Some(key) = &key {
            self.answers.ran(key);
        }
        None
    }

    fn wait_for_rows(&mut self, mut queued: QueuedCommand, missing: Missing) -> Option<QueuedCommand> {
        queued.reads += 1;
        if queued.reads > READS_PER_COMMAND_MAX {
            let reason = format!("the command asks for the same thing again and again: {missing:?}");
            self.open.put_aside(queued, reason);
            return None;
        }
        queued.waits_for = Some(WaitsFor::Rows);
        self.wanted.want(missing);
        Some(queued)
    }

    /// A panic is contained: the command has changed nothing.
    pub(crate) fn run_command(&mut self, command: &Command) -> Run {
        let now = Now { time: self.time.now(), clock: self.time.clock() };
        let (working, before) = (&mut self.working, self.before_command);
        // Unwinding is safe here, because `recover` restores from the journal what the command has changed.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            if let Some(before) = before {
                before(command);
            }
            process(working, command, now)
        }));
        match ran {
            Ok(Ok(outcome)) => Run::Done(Box::new(outcome)),
            Ok(Err(missing)) => Run::Missed(missing),
            Err(panic) => {
                recover(&mut self.working);
                Run::Failed(format!("the command panicked: {}", panic_text(&*panic)))
            }
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
