//! Callers who wait for the end of an instance.

use crate::request::{AwaitedEnd, CallId, Callers, CommandError, Effect, EndedInstance};
use rustc_hash::FxHashMap;
use tidemill_engine::InstanceEnd;
use tidemill_model::{CreatedInstance, ProcessInstanceKey};

/// Instances whose end is waited for before the list is searched for callers who have given up.
const INSTANCES_BEFORE_CLEANING: usize = 10_000;
/// Instances whose end may be waited for at the same time; who comes after that is turned away.
/// An instance may take days to end, so callers without a time-out would fill the memory.
const INSTANCES_MAX: usize = 100_000;
/// Callers that may wait for the end of one instance.
const CALLERS_PER_INSTANCE_MAX: usize = 1_000;

/// A caller who has created an instance and waits for its end.
pub(crate) struct Waiter {
    pub(crate) call: CallId,
    pub(crate) created: CreatedInstance,
}

pub(crate) struct Waiters {
    by_instance: FxHashMap<ProcessInstanceKey, Vec<Waiter>>,
    /// Number of instances at which callers who have given up are searched for: most leave by themselves when their instance ends.
    clean_at: usize,
    /// The server is about to stop: nobody is kept waiting.
    is_closed: bool,
}

impl Default for Waiters {
    fn default() -> Waiters {
        let by_instance = FxHashMap::default();
        Waiters { by_instance, clean_at: INSTANCES_BEFORE_CLEANING, is_closed: false }
    }
}

impl Waiters {
    /// Instances that somebody still waits for.
    pub(crate) fn waited_for(&self, callers: &dyn Callers) -> usize {
        let is_waited_for =
            |waiting: &&Vec<Waiter>| waiting.iter().any(|waiter| callers.is_waiting(waiter.call));
        self.by_instance.values().filter(is_waited_for).count()
    }

    pub(crate) fn add(&mut self, waiter: Waiter, callers: &dyn Callers, effects: &mut Vec<Effect>) {
        let Waiter { call, created } = &waiter;
        if self.is_closed {
            let result = Err(CommandError::NotEnded(created.instance));
            return effects.push(Effect::Ended { call: *call, result });
        }
        self.clean(callers);
        // A further caller for an instance that is waited for already needs hardly any room.
        let is_full = self.by_instance.len() >= INSTANCES_MAX;
        let waiting = self.by_instance.entry(created.instance).or_default();
        if waiting.len() >= CALLERS_PER_INSTANCE_MAX {
            waiting.retain(|waiter| callers.is_waiting(waiter.call));
        }
        if waiting.len() >= CALLERS_PER_INSTANCE_MAX || is_full && waiting.is_empty() {
            let reason = match is_full {
                true => format!("the ends of {INSTANCES_MAX} instances are waited for already"),
                false => {
                    format!("{CALLERS_PER_INSTANCE_MAX} requests wait for the end of the instance already")
                }
            };
            effects.push(Effect::Ended { call: *call, result: Err(CommandError::overloaded(reason)) });
            if waiting.is_empty() {
                self.by_instance.remove(&waiter.created.instance);
            }
            return;
        }
        waiting.push(waiter);
    }

    fn clean(&mut self, callers: &dyn Callers) {
        if self.by_instance.len() < self.clean_at {
            return;
        }
        self.by_instance.retain(|_, waiting| {
            waiting.retain(|waiter| callers.is_waiting(waiter.call));
            !waiting.is_empty()
        });
        // As many again may come before all are looked at the next time.
        self.clean_at = INSTANCES_BEFORE_CLEANING.max(self.by_instance.len() * 2);
    }

    pub(crate) fn tell(&mut self, end: &InstanceEnd, effects: &mut Vec<Effect>) {
        for waiter in self.by_instance.remove(&end.instance).unwrap_or_default() {
            effects.push(ended(waiter, end));
        }
    }

    /// From now on nobody is kept waiting.
    pub(crate) fn close(&mut self, effects: &mut Vec<Effect>) {
        self.is_closed = true;
        for Waiter { call, created } in self.take_all() {
            effects.push(Effect::Ended { call, result: Err(CommandError::NotEnded(created.instance)) });
        }
    }

    /// The instances go on under another owner.
    pub(crate) fn send_on(&mut self, effects: &mut Vec<Effect>) {
        for Waiter { call, created } in self.take_all() {
            effects.push(Effect::Ended { call, result: Ok(AwaitedEnd::GoesOn(created)) });
        }
    }

    fn take_all(&mut self) -> impl Iterator<Item = Waiter> + use<> {
        let mut all: Vec<_> = std::mem::take(&mut self.by_instance).into_values().flatten().collect();
        // Hash tables have no order, and effects must come in the same order in every run of a simulation.
        all.sort_unstable_by_key(|waiter| waiter.call);
        all.into_iter()
    }
}

pub(crate) fn ended(waiter: Waiter, end: &InstanceEnd) -> Effect {
    let ended = EndedInstance { created: waiter.created, is_completed: end.is_completed };
    Effect::Ended { call: waiter.call, result: Ok(AwaitedEnd::Ended(ended)) }
}
