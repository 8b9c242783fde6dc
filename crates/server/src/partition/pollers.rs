//! Workers that wait for jobs, first come first served within a type.

use super::request::Poller;
use crate::broker::CommandError;
use std::collections::{HashMap, VecDeque};
use std::time::Instant;
use tidemill_model::Text;
use tokio::sync::oneshot;

/// Workers that may wait at a partition.
const POLLERS_MAX: usize = 10_000;
/// Those on other nodes that may wait for a hint.
const WATCHERS_MAX: usize = 10_000;
/// Jobs of a partition that may be with workers: every lease lies in memory until it ends.
const LEASES_MAX: usize = 1_000_000;

/// Told when there may be jobs, or that there is no room to wait.
pub(crate) type Watcher = oneshot::Sender<Result<(), CommandError>>;

#[derive(Default)]
pub(super) struct Pollers {
    by_type: HashMap<Text, VecDeque<Poller>>,
    /// Those who take what there is and do not wait.
    at_once: HashMap<Text, VecDeque<Poller>>,
    /// Nobody's time is up before this.
    next_end: Option<Instant>,
    /// Those on other nodes who want to know when asking is worth while.
    watchers: HashMap<Text, Vec<Watcher>>,
}

impl Pollers {
    /// Turns away who comes when too many wait already, or too much was handed out.
    pub(super) fn add_new(&mut self, poller: Poller, leases: usize) {
        let reason = if leases >= LEASES_MAX {
            format!("{LEASES_MAX} jobs of the partition are with workers already")
        } else if self.count() >= POLLERS_MAX {
            format!("{POLLERS_MAX} workers wait for jobs of the partition already")
        } else {
            return self.add(poller);
        };
        if poller.claim.take() {
            let _ = poller.reply.send(Err(CommandError::overloaded(reason)));
        }
    }

    /// Types are few where workers are many.
    fn count(&self) -> usize {
        self.by_type.values().chain(self.at_once.values()).map(VecDeque::len).sum()
    }

    pub(super) fn add(&mut self, poller: Poller) {
        self.line_of(&poller).push_back(poller);
    }

    fn line_of(&mut self, poller: &Poller) -> &mut VecDeque<Poller> {
        let lines = match poller.until {
            Some(until) => {
                self.next_end = Some(self.next_end.map_or(until, |end| end.min(until)));
                &mut self.by_type
            }
            None => &mut self.at_once,
        };
        lines.entry(poller.command.job_type.clone()).or_default()
    }

    /// Those who have left are forgotten on the way, all of them where there is no room otherwise.
    pub(super) fn watch(&mut self, job_type: Text, watcher: Watcher) {
        if self.watching() >= WATCHERS_MAX {
            self.watchers.values_mut().for_each(forget_closed);
            self.watchers.retain(|_, watchers| !watchers.is_empty());
        }
        if self.watching() >= WATCHERS_MAX {
            let reason =
                format!("{WATCHERS_MAX} workers of other nodes wait for jobs of the partition already");
            let _ = watcher.send(Err(CommandError::overloaded(reason)));
            return;
        }
        let watchers = self.watchers.entry(job_type).or_default();
        forget_closed(watchers);
        watchers.push(watcher);
    }

    fn watching(&self) -> usize {
        self.watchers.values().map(Vec::len).sum()
    }

    /// Tells those who watch for types of which there are jobs.
    pub(super) fn tell_watchers(&mut self, has_jobs: impl Fn(&Text) -> bool) {
        self.watchers.retain(|job_type, watchers| {
            if has_jobs(job_type) {
                for watcher in watchers.drain(..) {
                    // Who has left needs no hint.
                    let _ = watcher.send(Ok(()));
                }
            }
            !watchers.is_empty()
        });
    }

    /// Another one begins each time, because a batch may hand out no more after the first of them.
    pub(super) fn types(&self, turn: usize) -> Vec<Text> {
        let at_once = self.at_once.keys().filter(|job_type| !self.by_type.contains_key(*job_type));
        let mut types: Vec<Text> = self.by_type.keys().chain(at_once).cloned().collect();
        if !types.is_empty() {
            let first = turn % types.len();
            types.rotate_left(first);
        }
        types
    }

    /// The next worker of a type that is still there.
    pub(super) fn next(&mut self, job_type: &Text) -> Option<Poller> {
        next_of(&mut self.by_type, job_type).or_else(|| next_of(&mut self.at_once, job_type))
    }

    /// Takes out those for whom something holds.
    pub(super) fn take_out(&mut self, holds: impl Fn(&Poller) -> bool) -> Vec<Poller> {
        let mut taken = Vec::new();
        for waiting in self.by_type.values_mut().chain(self.at_once.values_mut()) {
            let (out, left): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(waiting).into_iter().partition(&holds);
            taken.extend(out);
            *waiting = left;
        }
        self.by_type.retain(|_, waiting| !waiting.is_empty());
        self.at_once.retain(|_, waiting| !waiting.is_empty());
        taken
    }

    /// Back to the head of the line.
    pub(super) fn put_back(&mut self, poller: Poller) {
        self.line_of(&poller).push_front(poller);
    }

    /// Sends everybody away whose time is up, and forgets those who have left. Those who wait are looked at only when
    /// the time of one of them is up.
    pub(super) fn end_waits(&mut self, now: Instant) {
        std::mem::take(&mut self.at_once).into_values().flatten().for_each(send_away);
        if self.next_end.is_none_or(|end| end > now) {
            return;
        }
        for waiting in self.by_type.values_mut() {
            let (over, left): (VecDeque<_>, VecDeque<_>) = std::mem::take(waiting)
                .into_iter()
                .filter(|poller| !poller.reply.is_closed())
                .partition(|poller| poller.until.is_none_or(|until| until <= now));
            *waiting = left;
            over.into_iter().for_each(send_away);
        }
        self.by_type.retain(|_, waiting| !waiting.is_empty());
        self.next_end = self.by_type.values().flatten().filter_map(|poller| poller.until).min();
    }

    /// Sends everybody away.
    pub(super) fn end_all(&mut self) {
        self.watchers.clear();
        let (waiting, at_once) = (std::mem::take(&mut self.by_type), std::mem::take(&mut self.at_once));
        waiting.into_values().chain(at_once.into_values()).flatten().for_each(send_away);
        self.next_end = None;
    }

    pub(super) fn next_end(&self) -> Option<Instant> {
        self.next_end
    }
}

fn forget_closed(watchers: &mut Vec<Watcher>) {
    watchers.retain(|watcher| !watcher.is_closed());
}

fn next_of(lines: &mut HashMap<Text, VecDeque<Poller>>, job_type: &Text) -> Option<Poller> {
    let waiting = lines.get_mut(job_type)?;
    let next = loop {
        match waiting.pop_front() {
            Some(poller) if poller.reply.is_closed() => {}
            other => break other,
        }
    };
    if waiting.is_empty() {
        lines.remove(job_type);
    }
    next
}

fn send_away(poller: Poller) {
    if poller.claim.take() {
        // Who has left needs no answer.
        let _ = poller.reply.send(Ok(Vec::new()));
    }
}
