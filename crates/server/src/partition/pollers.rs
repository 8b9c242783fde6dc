//! Workers that wait for jobs, first come first served within a type.

use super::request::Poller;
use std::collections::{HashMap, VecDeque};
use std::time::Instant;
use tidemill_model::Text;
use tokio::sync::oneshot;

#[derive(Default)]
pub(super) struct Pollers {
    by_type: HashMap<Text, VecDeque<Poller>>,
    /// Those on other nodes who want to know when asking is worth while.
    watchers: HashMap<Text, Vec<oneshot::Sender<()>>>,
}

impl Pollers {
    pub(super) fn add(&mut self, poller: Poller) {
        self.by_type.entry(poller.command.job_type.clone()).or_default().push_back(poller);
    }

    pub(super) fn watch(&mut self, job_type: Text, watcher: oneshot::Sender<()>) {
        let watchers = self.watchers.entry(job_type).or_default();
        watchers.retain(|watcher| !watcher.is_closed());
        watchers.push(watcher);
    }

    /// Tells those who watch for types of which there are jobs.
    pub(super) fn tell_watchers(&mut self, has_jobs: impl Fn(&Text) -> bool) {
        self.watchers.retain(|job_type, watchers| {
            if has_jobs(job_type) {
                for watcher in watchers.drain(..) {
                    // Who has left needs no hint.
                    let _ = watcher.send(());
                }
            }
            !watchers.is_empty()
        });
    }

    pub(super) fn types(&self) -> Vec<Text> {
        self.by_type.keys().cloned().collect()
    }

    /// The next worker of a type that is still there.
    pub(super) fn next(&mut self, job_type: &Text) -> Option<Poller> {
        let waiting = self.by_type.get_mut(job_type)?;
        let next = loop {
            match waiting.pop_front() {
                Some(poller) if poller.reply.is_closed() => {}
                other => break other,
            }
        };
        if waiting.is_empty() {
            self.by_type.remove(job_type);
        }
        next
    }

    /// Takes out those for whom something holds.
    pub(super) fn take_out(&mut self, holds: impl Fn(&Poller) -> bool) -> Vec<Poller> {
        let mut taken = Vec::new();
        for waiting in self.by_type.values_mut() {
            let (out, left): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(waiting).into_iter().partition(&holds);
            taken.extend(out);
            *waiting = left;
        }
        self.by_type.retain(|_, waiting| !waiting.is_empty());
        taken
    }

    /// Back to the head of the line.
    pub(super) fn put_back(&mut self, poller: Poller) {
        self.by_type.entry(poller.command.job_type.clone()).or_default().push_front(poller);
    }

    /// Sends everybody away whose time is up, and forgets those who have left.
    pub(super) fn end_waits(&mut self, now: Instant) {
        for waiting in self.by_type.values_mut() {
            let (over, left): (VecDeque<_>, VecDeque<_>) = std::mem::take(waiting)
                .into_iter()
                .filter(|poller| !poller.reply.is_closed())
                .partition(|poller| poller.until.is_none_or(|until| until <= now));
            *waiting = left;
            for poller in over {
                if poller.claim.take() {
                    let _ = poller.reply.send(Ok(Vec::new()));
                }
            }
        }
        self.by_type.retain(|_, waiting| !waiting.is_empty());
    }

    /// Sends everybody away.
    pub(super) fn end_all(&mut self) {
        self.watchers.clear();
        for poller in std::mem::take(&mut self.by_type).into_values().flatten() {
            if poller.claim.take() {
                let _ = poller.reply.send(Ok(Vec::new()));
            }
        }
    }

    pub(super) fn next_end(&self) -> Option<Instant> {
        self.by_type.values().flatten().filter_map(|poller| poller.until).min()
    }
}
