//! The due queue. It holds process timers, which are rows of the store, and leases on jobs, which are not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tidemill_model::entity::{Job, JobLease, Timer};
use tidemill_model::{Change, Entity, JobKey, TimerKey, Timestamp};
use tidemill_store::{FiredTimers, TimerPage, TimerPosition};
use tidemill_timers::window::{Page, Read};
use tidemill_timers::{Deadlines, Position, Window};

/// Memory for timers that are due soon.
/// When it is full, the window reaches less far ahead, down to a second; timers behind it stay in the store.
const WINDOW_BYTES_MAX: usize = 64 << 20;
/// The longest time ahead for which timers are held in memory. A longer time would load timers that are
/// cancelled before they are due; a shorter one would mean more reads.
const LOOK_AHEAD_MS_MAX: i64 = 120_000;

/// Dates that wait for the clock at the same time. While there are as many, no other timer fires.
const DATES_MAX: usize = 100_000;

pub(crate) struct DueQueue {
    timers: Window<Arc<Timer>>,
    /// Timers whose date has come by the partition's time, but not by the store's clock, which was set back.
    /// They are held here and not in the window, which would offer them again in every run.
    dates: BTreeMap<Position, Arc<Timer>>,
    /// They have no rows in the order of their ends: an owner finds them from jobs and leases when it begins.
    leases: Deadlines,
}

impl Default for DueQueue {
    fn default() -> DueQueue {
        // A timer takes its own size and roughly 64 bytes for its place in the window.
        let timers = Window::new(WINDOW_BYTES_MAX, LOOK_AHEAD_MS_MAX, |_| size_of::<Timer>() + 64);
        DueQueue { timers, dates: BTreeMap::new(), leases: Deadlines::default() }
    }
}

pub(crate) fn position_of(timer: &Timer) -> Position {
    Position::new(timer.due_at.0, timer.key.0)
}

pub(crate) fn stored_position(position: Position) -> TimerPosition {
    TimerPosition { due_at: Timestamp(position.due_ms), key: TimerKey(position.key) }
}

impl DueQueue {
    /// Timers that are due are in the caller's hand from now on: each is fired, removed, or all is read again.
    pub(crate) fn take_timers(
        &mut self,
        now: Timestamp,
        clock: Timestamp,
        timers_max: usize,
    ) -> Vec<Arc<Timer>> {
        let mut taken = Vec::new();
        while taken.len() < timers_max
            && let Some(date) = self.dates.first_entry().filter(|date| date.key().due_ms <= clock.0)
        {
            taken.push(date.remove());
        }
        while taken.len() < timers_max && self.dates.len() < DATES_MAX {
            let due = self.timers.take_due(now.0, timers_max - taken.len());
            if due.is_empty() {
                break;
            }
            for (position, timer) in due {
                // A date such as "at nine o'clock" must not come early by the clock that people see.
                // Durations go by the partition's time.
                if timer.waits_for_clock && timer.due_at > clock {
                    self.dates.insert(position, timer);
                } else {
                    taken.push(timer);
                }
            }
        }
        taken
    }

    /// Takes out the jobs whose lease has run out; the engine decides whether they are still held.
    pub(crate) fn take_leases(&mut self, now: Timestamp, jobs_max: usize) -> Vec<JobKey> {
        self.leases.take_due(now.0, jobs_max).into_iter().map(JobKey).collect()
    }

    /// A batch goes to the store: follows its changes. Fired timers are deleted as one range as far as nothing else lies in
    /// it; what the range covers needs no change of its own.
    pub(crate) fn close(&mut self, fired: &[Arc<Timer>], changes: &mut Vec<Change>) -> Option<FiredTimers> {
        for change in changes.iter() {
            self.note(change);
        }
        for timer in fired {
            self.timers.fire(position_of(timer));
        }
        // The window knows every timer up to its horizon, so it can say how far a range covers fired ones only.
        let deletion = self.timers.close();
        let range = deletion.range?;
        let is_fired = |position: Position| range.after < position && position <= range.up_to;
        changes.retain(
            |change| !matches!(change, Change::Remove(Entity::Timer(timer)) if is_fired(position_of(timer))),
        );
        // A timer that the engine no longer knew must go as well, or it would fire for ever.
        let removed: BTreeSet<Position> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Remove(Entity::Timer(timer)) => Some(position_of(timer)),
                _ => None,
            })
            .collect();
        let others: BTreeSet<Position> = deletion.others.into_iter().collect();
        let missing = fired.iter().filter(|timer| {
            let position = position_of(timer);
            others.contains(&position) && !removed.contains(&position)
        });
        changes.extend(missing.map(|timer| Change::Remove(timer.clone().into())));
        Some(FiredTimers { after: Some(stored_position(range.after)), up_to: stored_position(range.up_to) })
    }

    fn note(&mut self, change: &Change) {
        match change {
            Change::Put(Entity::Timer(timer)) => self.timers.insert(position_of(timer), timer.clone()),
            Change::Remove(Entity::Timer(timer)) => {
                self.timers.remove(position_of(timer));
                self.dates.remove(&position_of(timer));
            }
            Change::Put(Entity::Job(job)) => self.note_job(job),
            Change::End { entity: Entity::Job(job), .. } => self.leases.forget(job.key.0),
            Change::Put(Entity::JobLease(lease)) => self.note_lease(lease),
            _ => {}
        }
    }

    fn note_job(&mut self, job: &Job) {
        match &job.lease {
            Some(lease) => self.leases.set(job.key.0, lease.deadline.0),
            None => self.leases.forget(job.key.0),
        }
    }

    fn note_lease(&mut self, lease: &JobLease) {
        for job in lease.jobs.iter().filter(|job| lease.holds(**job)) {
            self.leases.set(job.0, lease.lease.deadline.0);
        }
    }

    /// Timers in memory, those included that are about to fire.
    pub(crate) fn timers(&self) -> usize {
        self.timers.len() + self.dates.len()
    }

    /// Jobs that are with workers.
    pub(crate) fn leases(&self) -> usize {
        self.leases.len()
    }

    pub(crate) fn landed(&mut self) {
        self.timers.landed();
    }

    pub(crate) fn begin_read(&mut self, now: Timestamp) -> Option<Read> {
        self.timers.begin_read(now.0)
    }

    pub(crate) fn arrived(&mut self, read_id: u64, page: TimerPage) {
        let horizon = Position::new(page.horizon.due_at.0, page.horizon.key.0);
        let timers = page.timers.into_iter().map(|timer| (position_of(&timer), timer)).collect();
        self.timers.arrived(read_id, Page { timers, horizon });
    }

    /// When to look again, by the partition's time.
    pub(crate) fn next(&mut self, now: Timestamp, clock: Timestamp) -> Option<Timestamp> {
        // The partition's time is ahead of the clock and a little slower until the clock has caught up.
        let date =
            self.dates.first_key_value().map(|(position, _)| now.0 + (position.due_ms - clock.0).max(0));
        let timer = self.timers.wake_at_ms().filter(|_| self.dates.len() < DATES_MAX);
        [date, timer, self.leases.next_due()].into_iter().flatten().min().map(Timestamp)
    }

    /// The clock has jumped: what is due is read again, these timers that were taken among it.
    pub(crate) fn forget(&mut self, taken: impl Iterator<Item = Arc<Timer>>) {
        self.timers.forget();
        let dates = std::mem::take(&mut self.dates).into_values();
        for timer in taken.chain(dates) {
            // The next read leaves out timers that are in hand, so these must no longer count as that.
            self.timers.put_back(position_of(&timer), timer);
        }
    }

    /// The first timers by the clock as it is now have been read.
    pub(crate) fn is_read(&self) -> bool {
        self.timers.horizon().is_some()
    }

    /// Begins anew with the leases that the store knows.
    pub(crate) fn reset(&mut self, leases: &[Entity]) {
        self.timers.reset();
        self.dates.clear();
        self.leases = Deadlines::default();
        for entity in leases {
            match entity {
                Entity::JobLease(lease) => self.note_lease(lease),
                Entity::Job(job) => self.note_job(job),
                _ => {}
            }
        }
    }
}
