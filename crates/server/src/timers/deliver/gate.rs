//! Turns for calls: so many at a time in all and for each host. A host that answers slowly keeps its calls open for long; what is left
//! free must always be enough for others.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// A host may begin another call while it has fewer open than are left free for everybody. So whoever comes first cannot take
/// all, and a host without an open call always gets one before long.
pub(super) struct Gate {
    in_all: usize,
    per_host: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: usize,
    hosts: HashMap<Arc<str>, Host>,
    /// Hosts that somebody waits for, those with the fewest open calls first.
    waiting: BTreeSet<(usize, Arc<str>)>,
}

struct Host {
    open: usize,
    /// Falls when calls fail, rises when they succeed: a dead host is asked by few.
    limit: usize,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// The right to have a call open, until it is dropped.
pub(super) struct Permit {
    gate: Arc<Gate>,
    host: Arc<str>,
}

/// Leaves its place when it is dropped before its turn.
struct Waiting<'a> {
    gate: &'a Gate,
    host: &'a Arc<str>,
    receiver: oneshot::Receiver<Permit>,
}

impl Future for Waiting<'_> {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        let forgotten = "a gate that somebody waits at is there, and forgets nobody";
        Pin::new(&mut self.receiver).poll(context).map(|permit| permit.expect(forgotten))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.receiver.close();
        self.gate.sweep(self.host);
    }
}

const UNPOISONED: &str = "nobody panics while holding it";

impl Gate {
    pub(super) fn new(in_all: usize, per_host: usize) -> Arc<Gate> {
        let (in_all, per_host) = (in_all.max(1), per_host.max(1));
        Arc::new(Gate { in_all, per_host, state: Mutex::default() })
    }

    pub(super) async fn enter(self: &Arc<Gate>, host: &Arc<str>) -> Permit {
        let (sender, receiver) = oneshot::channel();
        self.queue(host, sender);
        self.let_in();
        let waiting = Waiting { gate: self, host, receiver };
        waiting.await
    }

    fn queue(&self, name: &Arc<str>, sender: oneshot::Sender<Permit>) {
        let mut state = self.state.lock().expect(UNPOISONED);
        let fresh = || Host { open: 0, limit: self.per_host, waiting: VecDeque::new() };
        let host = state.hosts.entry(name.clone()).or_insert_with(fresh);
        host.waiting.push_back(sender);
        let place = (host.open, name.clone());
        state.waiting.insert(place);
    }

    /// Gives permits to those who wait. Those that nobody takes any more come back by being dropped.
    fn let_in(self: &Arc<Gate>) {
        while let Some((sender, host)) = self.next_in() {
            // A caller that has stopped waiting has dropped its receiver. Then the send fails, and dropping the permit frees it.
            let _ = sender.send(Permit { gate: self.clone(), host });
        }
    }

    fn next_in(&self) -> Option<(oneshot::Sender<Permit>, Arc<str>)> {
        let mut guard = self.state.lock().expect(UNPOISONED);
        let state = &mut *guard;
        let free = self.in_all - state.open;
        let may_enter = |(open, name): &&(usize, Arc<str>)| {
            // A twelfth is for hosts that have no call open, however many others hold theirs.
            let has_room = if *open == 0 { free > 0 } else { *open < free.saturating_sub(self.in_all / 12) };
            has_room && state.hosts.get(name).is_some_and(|host| *open < host.limit)
        };
        let place = state.waiting.iter().find(may_enter)?.clone();
        state.waiting.remove(&place);
        let host = state.hosts.get_mut(&place.1)?;
        let sender = host.waiting.pop_front()?;
        host.open += 1;
        state.open += 1;
        if !host.waiting.is_empty() {
            state.waiting.insert((host.open, place.1.clone()));
        }
        Some((sender, place.1))
    }

    /// Forgets those who no longer wait.
    fn sweep(&self, name: &Arc<str>) {
        let mut guard = self.state.lock().expect(UNPOISONED);
        let state = &mut *guard;
        let Some(host) = state.hosts.get_mut(name) else { return };
        host.waiting.retain(|sender| !sender.is_closed());
        if host.waiting.is_empty() {
            state.waiting.remove(&(host.open, name.clone()));
        }
    }

    /// Changes a host, and its place among those that are waited for.
    fn change(&self, name: &Arc<str>, change: impl FnOnce(&mut Host) -> usize) {
        let mut guard = self.state.lock().expect(UNPOISONED);
        let state = &mut *guard;
        let Some(host) = state.hosts.get_mut(name) else { return };
        let before = (host.open, name.clone());
        state.open -= change(host);
        if state.waiting.remove(&before) {
            state.waiting.insert((host.open, before.1));
        } else if host.open == 0 && host.waiting.is_empty() && host.limit == self.per_host {
            state.hosts.remove(name);
        }
    }

    #[cfg(test)]
    fn open(&self) -> usize {
        self.state.lock().expect(UNPOISONED).open
    }
}

impl Permit {
    /// The host has answered, or has not.
    pub(super) fn note(&self, has_answered: bool) {
        let most = self.gate.per_host;
        self.gate.change(&self.host, |host| {
            host.limit = if has_answered { (host.limit + 1).min(most) } else { (host.limit / 2).max(1) };
            0
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.change(&self.host, |host| {
            host.open -= 1;
            1
        });
        self.gate.let_in();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn host(name: &str) -> Arc<str> {
        name.into()
    }

    /// Enters as often as it may at once.
    fn fill(gate: &Arc<Gate>, name: &Arc<str>) -> Vec<Permit> {
        std::iter::from_fn(|| gate.enter(name).now_or_never()).collect()
    }

    #[test]
    fn hosts_that_never_answer_leave_room_for_others() {
        let gate = Gate::new(64, 64);
        let mut held = Vec::new();
        for n in 0..10 {
            let permits = fill(&gate, &host(&format!("slow-{n}")));
            assert!(!permits.is_empty(), "host {n} found no room");
            held.push(permits);
        }
        assert!(held[0].len() <= 32, "{}", held[0].len());
        assert!(gate.open() < 64);
    }

    #[tokio::test]
    async fn the_limit_of_a_host_holds_and_those_with_few_calls_come_first() {
        let gate = Gate::new(8, 3);
        let (busy, quiet) = (host("busy"), host("quiet"));
        let mut held = fill(&gate, &busy);
        assert_eq!(held.len(), 3);
        let mut more = Box::pin(gate.enter(&busy));
        assert!(more.as_mut().now_or_never().is_none());
        assert_eq!(fill(&gate, &quiet).len(), 3);
        held.pop();
        drop(more.await);
    }

    #[test]
    fn a_host_that_fails_is_asked_by_few_until_it_answers_again() {
        let gate = Gate::new(64, 16);
        let name = host("dead");
        for permit in fill(&gate, &name) {
            permit.note(false);
        }
        let mut one = fill(&gate, &name);
        assert_eq!(one.len(), 1);
        let permit = one.pop().expect("one");
        (0..3).for_each(|_| permit.note(true));
        drop(permit);
        assert_eq!(fill(&gate, &name).len(), 4);
    }

    #[test]
    fn whoever_stops_waiting_takes_no_place() {
        let gate = Gate::new(2, 1);
        let name = host("a");
        let held = gate.enter(&name).now_or_never().expect("free");
        let gone = Box::pin(gate.enter(&name));
        let mut gone = gone;
        assert!(gone.as_mut().now_or_never().is_none());
        drop(gone);
        let mut next = Box::pin(gate.enter(&name));
        assert!(next.as_mut().now_or_never().is_none());
        drop(held);
        assert!(next.now_or_never().is_some());
        assert_eq!(gate.open(), 0);
        assert!(gate.state.lock().expect("free").hosts.is_empty(), "hosts without calls are forgotten");
    }
}
