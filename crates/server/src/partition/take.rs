//! What a turn works on: requests, inbox entries, timers and leases that have become due.

use super::Partition;
use super::inbox::{Envelope, StoredIdempotency};
use super::lanes::{First, is_due, is_of_inbox, mix};
use super::request::{AwaitReply, Poller, Request, Waiter};
use super::schedule::PAGE_TIMERS_MAX;
use super::settle::Step;
use crate::broker::{CommandError, CommandOptions};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tidemill_model::command::{ExpireLeases, TriggerTimer};
use tidemill_model::{Answer, Command, Timestamp};
use tidemill_store::{DeadLetter, InboxEntry, Position, TimerPosition};
use tokio::sync::oneshot;

/// Requests that may wait for their turn beside those that the loop has not looked at.
const BACKLOG_MAX: usize = 8_192;
/// Requests that one turn takes at most.
const REQUESTS_PER_TURN_MAX: usize = 512;
/// Inbox entries that one turn takes at most. An inbox that is longer shares the turns with clients and timers.
const ENTRIES_PER_TURN_MAX: usize = 256;
/// Overdue timers and leases get a bounded share of each turn, so that a long outage does not stall clients.
const DUE_PER_TURN_MAX: usize = 256;
/// While a batch is being written, what has arrived is looked at this often.
const GATHER: Duration = Duration::from_millis(1);
/// The inbox is looked at this often even if no wake-up came.
const INBOX_LOOK_EVERY: Duration = Duration::from_secs(5);

/// A command and who sent it.
pub(super) struct Work {
    pub(super) command: Command,
    pub(super) source: Source,
}

pub(super) enum Source {
    Client {
        options: CommandOptions,
        reply: oneshot::Sender<std::result::Result<Answer, CommandError>>,
    },
    Awaiting {
        options: CommandOptions,
        reply: AwaitReply,
    },
    Inbox {
        position: Position,
        keeps_result: bool,
        idempotency: Option<StoredIdempotency>,
    },
    Poller(Poller),
    Timer(TimerPosition),
    Leases,
    /// From another command of the same batch.
    FollowUp,
}

impl Work {
    /// Whoever sent it may send it elsewhere: it was not run here and will not be.
    pub(super) fn turn_away(self) {
        match self.source {
            Source::Client { reply, .. } => drop(reply.send(Err(CommandError::Moved))),
            Source::Awaiting { reply, .. } => drop(reply.ended.send(Err(CommandError::Moved))),
            // Nobody waits for an answer, or it is asked for again.
            _ => {}
        }
    }
}

impl Partition {
    /// Waits until there is something to do, and puts it into the open batch.
    pub(super) async fn take(&mut self) -> Step<()> {
        let has_requests = !self.open.queue.is_empty() || !self.backlog.is_empty();
        let can_serve = self.pollers_are_left && self.in_flight.is_none();
        let has_work = self.inbox_is_dirty || has_requests || can_serve || self.is_something_due();
        if !has_work && !self.is_stopping {
            self.wait().await?;
        }
        while self.backlog.len() < BACKLOG_MAX {
            match self.requests.try_recv() {
                Ok(request) => self.sort_in(request),
                Err(_) => break,
            }
        }
        // What is still there of timers takes no place from clients.
        let mut room = REQUESTS_PER_TURN_MAX.saturating_sub(self.open.queue.len() - self.due_in_queue());
        while room > 0
            && let Some(work) = self.backlog.pop()
        {
            self.open.queue.push_back(work);
            room -= 1;
        }
        self.look_at_clock();
        for done in self.clock_changed.drain(..) {
            let _ = done.send(());
        }
        // Whoever stops leaves the inbox and the timers to the next owner, who finds them in the store.
        if self.inbox_is_dirty && !self.is_stopping {
            self.take_inbox().await?;
        }
        if !self.is_stopping {
            self.take_due().await?;
        }
        self.share_turn();
        Ok(())
    }

    /// An inbox that fits into a turn goes first, so that commands run in the order in which their senders were answered.
    /// A longer one would hold up clients and timers for as long as it lasts: then all take turns.
    fn share_turn(&mut self) {
        self.turns_shared = self.turns_shared.wrapping_add(1);
        let is_long = std::mem::take(&mut self.inbox_is_long);
        let first = if is_long { First::Nobody(self.turns_shared) } else { First::Inbox };
        self.open.queue = mix(std::mem::take(&mut self.open.queue), first);
        self.others_taken = self.open.queue.iter().filter(|work| !is_of_inbox(work)).count();
    }

    fn due_in_queue(&self) -> usize {
        self.open.queue.iter().filter(|work| is_due(work)).count()
    }

    /// Done before each command runs, so after whatever had to be waited for: a duration that begins with a command must
    /// not begin before the command was sent. Time never falls, unless somebody has set the clock.
    pub(super) fn look_at_clock(&mut self) {
        let changes = self.clock.changes();
        if self.clock_changes != changes {
            self.clock_changes = changes;
            self.now = self.clock.now();
            // The clock has jumped: what is due is looked up again.
            self.schedule = Default::default();
            if self.alone == 0 {
                self.open.queue.retain(|work| !matches!(work.source, Source::Timer(_)));
            }
        }
        self.now = self.now.max(self.clock.now());
    }

    fn is_something_due(&self) -> bool {
        let now = self.clock.now();
        let next = [self.schedule.next_due(), self.deadlines.next()].into_iter().flatten().min();
        self.schedule.wants(now).is_some() || next.is_some_and(|next| next <= now)
    }

    async fn wait(&mut self) -> Step<()> {
        if let Some(in_flight) = &mut self.in_flight {
            // Nothing can leave before this commit, so requests are gathered: one by one they would cost more.
            tokio::select! {
                biased;
                () = self.store.woken(self.id) => self.inbox_is_dirty = true,
                landed = &mut in_flight.commit => self.landed(landed)?,
                () = tokio::time::sleep(GATHER) => {}
            }
            return Ok(());
        }
        let next = [self.schedule.next_due(), self.deadlines.next()].into_iter().flatten().min();
        let due = next.and_then(|next| self.clock.until(next));
        let poll_end = self.pollers.next_end().map(|end| end.saturating_duration_since(Instant::now()));
        let longest =
            due.into_iter().chain(poll_end).chain([INBOX_LOOK_EVERY]).min().unwrap_or(INBOX_LOOK_EVERY);
        tokio::select! {
            biased;
            // First, so that no stream of requests can drown a wake-up.
            () = self.store.woken(self.id) => self.inbox_is_dirty = true,
            request = self.requests.recv() => match request {
                Some(request) => self.sort_in(request),
                // Nobody can reach this loop any more.
                None => self.is_stopping = true,
            },
            () = tokio::time::sleep(longest) => self.inbox_is_dirty |= longest == INBOX_LOOK_EVERY,
        }
        Ok(())
    }

    fn sort_in(&mut self, request: Request) {
        match request {
            Request::Execute { command: Command::CorrelateMessage(_), reply, .. }
                if self.is_full_of_late() =>
            {
                let _ = reply.send(Err(Partition::too_many_late()));
            }
            Request::Execute { command, options, reply } => {
                self.queue_up(Work { command, source: Source::Client { options, reply } });
            }
            Request::CreateAndAwait { command, options, reply } => {
                let command = Command::CreateInstance(command);
                self.queue_up(Work { command, source: Source::Awaiting { options, reply } });
            }
            Request::AwaitEnd { created, noted, reply } => {
                self.await_end(Waiter { created, reply });
                let _ = noted.send(());
            }
            Request::Poll(poller) => self.pollers.add_new(poller, self.deadlines.len()),
            Request::AwaitJobs { job_type, reply } => self.pollers.watch(job_type, reply),
            Request::InboxHasGrown => self.inbox_is_dirty = true,
            Request::ClockHasChanged(done) => self.clock_changed.push(done),
            Request::EndWaits => {
                self.pollers.end_all();
                self.end_awaits();
            }
            Request::Stop => self.is_stopping = true,
        }
    }

    /// Whoever finds room in the batch needs no turn.
    fn queue_up(&mut self, work: Work) {
        if self.backlog.is_empty() && self.open.queue.len() < REQUESTS_PER_TURN_MAX {
            self.open.queue.push_back(work);
        } else {
            self.backlog.push(work);
        }
    }

    /// The batch is full: requests that it did not get to wait for their next turn, and entries of the inbox are read again.
    pub(super) fn leave_rest(&mut self) {
        let others_left = self.open.queue.iter().filter(|work| !is_of_inbox(work)).count();
        let is_inbox_left = others_left < self.open.queue.len();
        let are_others_passed_over = others_left > 0 && others_left == self.others_taken;
        self.inbox_is_long = is_inbox_left || are_others_passed_over;
        for work in std::mem::take(&mut self.open.queue).into_iter().rev() {
            match work.source {
                Source::Client { .. } | Source::Awaiting { .. } => self.backlog.put_back(work),
                Source::Inbox { .. } => self.inbox_is_dirty = true,
                _ => self.open.queue.push_front(work),
            }
        }
    }

    async fn take_inbox(&mut self) -> Step<()> {
        // Entries leave the inbox with the commit of their batch.
        self.written().await?;
        let entries = self.store.waiting(self.id, ENTRIES_PER_TURN_MAX).await?;
        self.inbox_is_dirty = entries.len() >= ENTRIES_PER_TURN_MAX;
        self.inbox_is_long |= self.inbox_is_dirty;
        for entry in entries {
            match Envelope::unpack(&entry.payload) {
                Ok(Envelope { command, keeps_result, idempotency }) => {
                    let source = Source::Inbox { position: entry.position, keeps_result, idempotency };
                    self.open.queue.push_back(Work { command, source });
                }
                Err(error) => self.refuse_entry(entry, error.to_string()),
            }
        }
        Ok(())
    }

    /// An entry that cannot be run at all is kept where somebody can look at it.
    fn refuse_entry(&mut self, entry: InboxEntry, reason: String) {
        let InboxEntry { position, payload, .. } = entry;
        self.open.dead_letters.push(DeadLetter { position: Some(position), payload, reason });
        self.open.consumed.push(position);
    }

    async fn take_due(&mut self) -> Step<()> {
        self.look_at_clock();
        if let Some(until) = self.schedule.wants(self.now) {
            // The window shows what is stored: nothing may be on its way.
            self.written().await?;
            let after = self.schedule.horizon();
            let mut page = self.store.timers(self.id, after, until, PAGE_TIMERS_MAX).await?;
            if !self.open.fired.is_empty() {
                // The open batch has fired them, which is not stored yet.
                let fired: HashSet<_> = self.open.fired.iter().map(|position| position.key).collect();
                page.timers.retain(|timer| !fired.contains(&timer.key));
            }
            self.schedule.extend(page);
        }
        // Those that the last turn did not get to still wait in the queue.
        let room = DUE_PER_TURN_MAX.saturating_sub(self.due_in_queue());
        for timer in self.schedule.take_due(self.now, room) {
            let source = Source::Timer(TimerPosition::of(&timer));
            let command =
                Command::TriggerTimer(TriggerTimer { timer: (*timer).clone(), was_put_aside: false });
            self.open.queue.push_back(Work { command, source });
        }
        let jobs = if room > 0 { self.deadlines.take_over(self.now, DUE_PER_TURN_MAX) } else { Vec::new() };
        if !jobs.is_empty() {
            let at: Timestamp = self.now;
            let command = Command::ExpireLeases(ExpireLeases { jobs, at });
            self.open.queue.push_back(Work { command, source: Source::Leases });
        }
        Ok(())
    }
}
