//! What a turn works on: requests, inbox entries, timers and leases that have become due.

use super::inbox::{Envelope, StoredIdempotency};
use super::request::{Poller, Request};
use super::schedule::PAGE_TIMERS_MAX;
use super::{Awaited, Partition};
use crate::broker::{CommandError, CommandOptions};
use std::time::{Duration, Instant};
use tidemill_model::command::{ExpireLeases, TriggerTimer};
use tidemill_model::{Answer, Command, Timestamp};
use tidemill_store::{DeadLetter, Position, Result, TimerPosition};
use tokio::sync::oneshot;

/// Requests that one turn takes at most.
const REQUESTS_PER_TURN_MAX: usize = 512;
/// Inbox entries that one turn takes at most.
const ENTRIES_PER_TURN_MAX: usize = 512;
/// Overdue timers and leases get a bounded share of each turn, so that a long outage does not stall clients.
const DUE_PER_TURN_MAX: usize = 256;
/// Times that an entry may bring down its node before it is put aside.
const ATTEMPTS_MAX: u32 = 2;
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
        reply: oneshot::Sender<Awaited>,
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

/// Everything that a turn has in hand.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) works: Vec<Work>,
    /// Entries that cannot be run at all.
    pub(super) dead_letters: Vec<DeadLetter>,
    pub(super) consumed: Vec<Position>,
    pub(super) stops: bool,
    clock_changed: Vec<oneshot::Sender<()>>,
}

impl Partition {
    /// Waits until there is something to do, and takes it.
    pub(super) async fn take(&mut self) -> Result<Taken> {
        let mut taken = Taken::default();
        if !self.inbox_is_dirty && !self.is_something_due() {
            self.wait(&mut taken).await;
        }
        while taken.works.len() < REQUESTS_PER_TURN_MAX {
            match self.requests.try_recv() {
                Ok(request) => self.sort_in(request, &mut taken),
                Err(_) => break,
            }
        }
        if !taken.clock_changed.is_empty() {
            self.follow_clock();
        }
        for done in taken.clock_changed.drain(..) {
            let _ = done.send(());
        }
        self.now = self.now.max(self.clock.now());
        if self.inbox_is_dirty {
            self.take_inbox(&mut taken).await?;
        }
        self.take_due(&mut taken).await?;
        Ok(taken)
    }

    fn is_something_due(&self) -> bool {
        let now = self.clock.now();
        let next = [self.schedule.next_due(), self.deadlines.next()].into_iter().flatten().min();
        self.schedule.wants(now).is_some() || next.is_some_and(|next| next <= now)
    }

    async fn wait(&mut self, taken: &mut Taken) {
        let next = [self.schedule.next_due(), self.deadlines.next()].into_iter().flatten().min();
        let due = next.and_then(|next| self.clock.until(next));
        let poll_end = self.pollers.next_end().map(|end| end.saturating_duration_since(Instant::now()));
        let longest =
            due.into_iter().chain(poll_end).chain([INBOX_LOOK_EVERY]).min().unwrap_or(INBOX_LOOK_EVERY);
        let woken = tokio::select! {
            biased;
            request = self.requests.recv() => Some(request),
            () = self.store.woken(self.id) => { self.inbox_is_dirty = true; None }
            () = tokio::time::sleep(longest) => {
                self.inbox_is_dirty |= longest == INBOX_LOOK_EVERY;
                None
            }
        };
        match woken {
            Some(Some(request)) => self.sort_in(request, taken),
            // Nobody can reach this loop any more.
            Some(None) => taken.stops = true,
            None => {}
        }
    }

    fn sort_in(&mut self, request: Request, taken: &mut Taken) {
        match request {
            Request::Execute { command, options, reply } => {
                taken.works.push(Work { command, source: Source::Client { options, reply } });
            }
            Request::CreateAndAwait { command, options, reply } => {
                let command = Command::CreateInstance(command);
                taken.works.push(Work { command, source: Source::Awaiting { options, reply } });
            }
            Request::Poll(poller) => self.pollers.add(poller),
            Request::InboxHasGrown => self.inbox_is_dirty = true,
            Request::ClockHasChanged(done) => taken.clock_changed.push(done),
            Request::EndPolls => self.pollers.end_all(),
            Request::Stop => taken.stops = true,
        }
    }

    /// The clock has jumped: what is due is looked up again, and time may have gone back on purpose.
    fn follow_clock(&mut self) {
        self.now = self.clock.now();
        self.schedule = Default::default();
    }

    async fn take_inbox(&mut self, taken: &mut Taken) -> Result<()> {
        let limit = if self.is_cautious { 1 } else { ENTRIES_PER_TURN_MAX };
        let entries = self.store.waiting(self.id, None, limit).await?;
        if entries.len() < limit {
            self.inbox_is_dirty = false;
            self.is_cautious = false;
        }
        let mut works = Vec::with_capacity(entries.len() + taken.works.len());
        for entry in entries {
            let position = entry.position;
            if self.is_cautious && self.store.mark_attempt(&self.fence, position).await? > ATTEMPTS_MAX {
                let reason = format!("the node died {ATTEMPTS_MAX} times while it ran this command");
                taken.dead_letters.push(DeadLetter {
                    position: Some(position),
                    payload: entry.payload,
                    reason,
                });
                taken.consumed.push(position);
                continue;
            }
            match Envelope::unpack(&entry.payload) {
                Ok(Envelope { command, keeps_result, idempotency }) => {
                    let source = Source::Inbox { position, keeps_result, idempotency };
                    works.push(Work { command, source });
                }
                Err(error) => {
                    let reason = error.to_string();
                    taken.dead_letters.push(DeadLetter {
                        position: Some(position),
                        payload: entry.payload,
                        reason,
                    });
                    taken.consumed.push(position);
                }
            }
        }
        // What was appended before these requests came runs before them.
        works.append(&mut taken.works);
        taken.works = works;
        Ok(())
    }

    async fn take_due(&mut self, taken: &mut Taken) -> Result<()> {
        if let Some(until) = self.schedule.wants(self.now) {
            let after = self.schedule.horizon();
            let page = self.store.timers(self.id, after, until, PAGE_TIMERS_MAX).await?;
            self.schedule.extend(page);
        }
        for timer in self.schedule.due(self.now, DUE_PER_TURN_MAX) {
            let source = Source::Timer(TimerPosition::of(&timer));
            let command = Command::TriggerTimer(TriggerTimer { timer: (*timer).clone() });
            taken.works.push(Work { command, source });
        }
        let jobs = self.deadlines.take_over(self.now, DUE_PER_TURN_MAX);
        if !jobs.is_empty() {
            let at: Timestamp = self.now;
            let command = Command::ExpireLeases(ExpireLeases { jobs, at });
            taken.works.push(Work { command, source: Source::Leases });
        }
        Ok(())
    }
}
