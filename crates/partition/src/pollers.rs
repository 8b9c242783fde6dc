//! Workers that wait for jobs, first come first served within a type.

use crate::request::{CallId, Callers, CommandError, Effect};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tidemill_model::Text;
use tidemill_model::command::ActivateJobs;

/// Workers that may wait at a partition.
const POLLERS_MAX: usize = 10_000;
/// Workers of other nodes that may wait for a hint.
const WATCHERS_MAX: usize = 10_000;
/// Jobs of a partition that may be with workers: every lease lies in memory until it ends.
const LEASES_MAX: usize = 1_000_000;

/// A worker that asks for jobs.
#[derive(Debug)]
pub(crate) struct Poller {
    pub(crate) call: CallId,
    pub(crate) command: ActivateJobs,
    /// Until when it waits, by the steady clock; without it, the worker gets what there is.
    pub(crate) until_ms: Option<u64>,
}

/// Workers are kept per type, because a new job concerns those of its type only.
#[derive(Default)]
pub(crate) struct Pollers {
    by_type: FxHashMap<Text, VecDeque<Poller>>,
    /// Workers that take the jobs that are there now and do not wait.
    /// They are answered in the same run, with jobs or without.
    at_once: FxHashMap<Text, VecDeque<Poller>>,
    count: usize,
    /// Nobody's time is up before this. It may be too early, which costs a look; finding the exact time would cost a search on every change.
    next_end_ms: Option<u64>,
    /// Nodes that want to know when asking is worth while.
    watchers: FxHashMap<Text, Vec<CallId>>,
    watcher_count: usize,
    /// The server is about to stop: nobody is kept waiting.
    is_closed: bool,
}

impl Pollers {
    /// Turns away a worker when too many wait already, or when too much was handed out.
    pub(crate) fn add_new(&mut self, poller: Poller, leases: usize, effects: &mut Vec<Effect>) {
        let reason = if leases >= LEASES_MAX {
            format!("{LEASES_MAX} jobs of the partition are with workers already")
        } else if self.count >= POLLERS_MAX {
            format!("{POLLERS_MAX} workers wait for jobs of the partition already")
        } else {
            return self.add(poller);
        };
        effects.push(Effect::Jobs { call: poller.call, result: Err(CommandError::overloaded(reason)) });
    }

    pub(crate) fn add(&mut self, poller: Poller) {
        self.line_of(&poller).push_back(poller);
        self.count += 1;
    }

    /// A worker that could not be served keeps its turn: it goes back to the head of the line.
    pub(crate) fn put_back(&mut self, poller: Poller) {
        self.line_of(&poller).push_front(poller);
        self.count += 1;
    }

    fn line_of(&mut self, poller: &Poller) -> &mut VecDeque<Poller> {
        let lines = match poller.until_ms.filter(|_| !self.is_closed) {
            Some(until) => {
                self.next_end_ms = Some(self.next_end_ms.map_or(until, |end| end.min(until)));
                &mut self.by_type
            }
            None => &mut self.at_once,
        };
        lines.entry(poller.command.job_type.clone()).or_default()
    }

    /// Watchers who have left make room for others.
    pub(crate) fn watch(
        &mut self,
        job_type: Text,
        call: CallId,
        callers: &dyn Callers,
        effects: &mut Vec<Effect>,
    ) {
        if self.watcher_count >= WATCHERS_MAX {
            self.clean_watchers(callers);
        }
        if self.watcher_count >= WATCHERS_MAX {
            let reason =
                format!("{WATCHERS_MAX} workers of other nodes wait for jobs of the partition already");
            let result = Err(CommandError::overloaded(reason));
            return effects.push(Effect::JobsMayBeThere { call, result });
        }
        self.watchers.entry(job_type).or_default().push(call);
        self.watcher_count += 1;
    }

    /// Tells those who watch for types of which there are jobs.
    pub(crate) fn tell_watchers(&mut self, has_jobs: impl Fn(&Text) -> bool, effects: &mut Vec<Effect>) {
        if self.watchers.is_empty() {
            return;
        }
        let told = self.watchers.extract_if(|job_type, _| has_jobs(job_type));
        let calls: Vec<CallId> = told.flat_map(|(_, calls)| calls).collect();
        self.watcher_count -= calls.len();
        effects.extend(calls.into_iter().map(|call| Effect::JobsMayBeThere { call, result: Ok(()) }));
    }

    fn clean_watchers(&mut self, callers: &dyn Callers) {
        self.watchers.retain(|_, calls| {
            calls.retain(|call| callers.is_waiting(*call));
            !calls.is_empty()
        });
        self.watcher_count = self.watchers.values().map(Vec::len).sum();
    }

    /// Another type begins each time, because a batch may hand out no more after the first of them.
    pub(crate) fn types(&self, turn: usize) -> Vec<Text> {
        let at_once = self.at_once.keys().filter(|job_type| !self.by_type.contains_key(*job_type));
        let mut types: Vec<Text> = self.by_type.keys().chain(at_once).cloned().collect();
        if !types.is_empty() {
            let first = turn % types.len();
            types.rotate_left(first);
        }
        types
    }

    /// The next worker of a type that is still there.
    pub(crate) fn next(&mut self, job_type: &Text, callers: &dyn Callers) -> Option<Poller> {
        let mut next_of = |lines: &mut FxHashMap<Text, VecDeque<Poller>>| {
            let waiting = lines.get_mut(job_type)?;
            let next = loop {
                let next = waiting.pop_front();
                self.count -= usize::from(next.is_some());
                match next {
                    Some(poller) if !callers.is_waiting(poller.call) => {}
                    other => break other,
                }
            };
            if waiting.is_empty() {
                lines.remove(job_type);
            }
            next
        };
        // Those who wait came first.
        next_of(&mut self.by_type).or_else(|| next_of(&mut self.at_once))
    }

    /// Takes out those for whom something holds.
    pub(crate) fn take_out(&mut self, holds: impl Fn(&Poller) -> bool) -> Vec<Poller> {
        let mut taken = Vec::new();
        for waiting in self.by_type.values_mut().chain(self.at_once.values_mut()) {
            let (out, left): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(waiting).into_iter().partition(&holds);
            taken.extend(out);
            *waiting = left;
        }
        self.forget_empty_lines();
        self.count -= taken.len();
        taken
    }

    /// Sends everybody away whose time is up, and forgets those who have left. Those who wait are looked at only when
    /// the time of one of them is up.
    pub(crate) fn end_waits(&mut self, now_ms: u64, callers: &dyn Callers, effects: &mut Vec<Effect>) {
        for poller in std::mem::take(&mut self.at_once).into_values().flatten() {
            self.count -= 1;
            effects.push(send_away(&poller));
        }
        if self.next_end_ms.is_none_or(|end| end > now_ms) {
            return;
        }
        for waiting in self.by_type.values_mut() {
            waiting.retain(|poller| {
                let is_over = poller.until_ms.is_none_or(|until| until <= now_ms);
                if is_over {
                    effects.push(send_away(poller));
                }
                let stays = !is_over && callers.is_waiting(poller.call);
                self.count -= usize::from(!stays);
                stays
            });
        }
        self.forget_empty_lines();
        self.next_end_ms = self.by_type.values().flatten().filter_map(|poller| poller.until_ms).min();
    }

    fn forget_empty_lines(&mut self) {
        self.by_type.retain(|_, waiting| !waiting.is_empty());
        self.at_once.retain(|_, waiting| !waiting.is_empty());
    }

    /// Sends everybody away. A worker that comes after that gets the jobs that there are and does not wait.
    pub(crate) fn end_all(&mut self, effects: &mut Vec<Effect>) {
        let watchers = std::mem::take(&mut self.watchers).into_values().flatten();
        // Nobody may be kept waiting, so they are told to ask, although there may be nothing.
        effects.extend(watchers.map(|call| Effect::JobsMayBeThere { call, result: Ok(()) }));
        let pollers = std::mem::replace(self, Pollers { is_closed: true, ..Pollers::default() });
        let all = pollers.by_type.into_values().chain(pollers.at_once.into_values()).flatten();
        effects.extend(all.map(|poller| send_away(&poller)));
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn next_end_ms(&self) -> Option<u64> {
        self.next_end_ms
    }
}

/// An empty list is an answer, not an error: a worker asks again by itself.
fn send_away(poller: &Poller) -> Effect {
    Effect::Jobs { call: poller.call, result: Ok(Vec::new()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_jobs_are_handed_out_than_leases_fit_into_memory() {
        let command = ActivateJobs {
            job_type: Text::from("t"),
            worker: Text::from("w"),
            timeout_ms: 1_000,
            jobs_max: 1,
            fetch_variables: Vec::new(),
            tenants: Vec::new(),
            with_lease: false,
        };
        let poller = || Poller { call: CallId(1), command: command.clone(), until_ms: None };
        let (mut pollers, mut effects) = (Pollers::default(), Vec::new());
        pollers.add_new(poller(), LEASES_MAX - 1, &mut effects);
        assert!(effects.is_empty());
        pollers.add_new(poller(), LEASES_MAX, &mut effects);
        let [Effect::Jobs { result: Err(error), .. }] = &effects[..] else { panic!("{effects:?}") };
        assert!(error.to_string().contains("1000000 jobs"), "{error}");
    }
}
