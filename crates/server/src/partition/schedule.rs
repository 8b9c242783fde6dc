//! Timers that are due soon, in memory; the rest stays in the store until the window reaches it.

use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::Timer;
use tidemill_model::{Change, Entity, Timestamp};
use tidemill_store::{TimerPage, TimerPosition};

/// How far ahead timers are held in memory.
const WINDOW_MS: i64 = 120_000;
/// Timers that one read brings at most.
pub(super) const PAGE_TIMERS_MAX: usize = 20_000;

#[derive(Default)]
pub(super) struct Schedule {
    due: BTreeMap<TimerPosition, Arc<Timer>>,
    /// Every stored timer up to here is in `due`.
    horizon: Option<TimerPosition>,
}

impl Schedule {
    /// Up to when the window should be read, if it has become short.
    pub(super) fn wants(&self, now: Timestamp) -> Option<Timestamp> {
        let is_short = self.horizon.is_none_or(|horizon| horizon.due_at < now + WINDOW_MS / 2);
        is_short.then_some(now + WINDOW_MS)
    }

    pub(super) fn horizon(&self) -> Option<TimerPosition> {
        self.horizon
    }

    pub(super) fn extend(&mut self, page: TimerPage) {
        for timer in page.timers {
            self.due.insert(TimerPosition::of(&timer), timer);
        }
        self.horizon = self.horizon.max(Some(page.horizon));
    }

    /// Follows what a commit has written.
    pub(super) fn note(&mut self, change: &Change) {
        match change {
            Change::Put(Entity::Timer(timer)) => {
                let position = TimerPosition::of(timer);
                if Some(position) <= self.horizon {
                    self.due.insert(position, timer.clone());
                }
            }
            Change::Remove(Entity::Timer(timer)) => {
                self.due.remove(&TimerPosition::of(timer));
            }
            _ => {}
        }
    }

    /// Takes out the timers that are due, oldest first.
    pub(super) fn take_due(&mut self, now: Timestamp, timers_max: usize) -> Vec<Arc<Timer>> {
        let until = TimerPosition::end_of(now);
        let is_due = |first: &TimerPosition| *first <= until;
        let mut due = Vec::new();
        while due.len() < timers_max && self.due.keys().next().is_some_and(is_due) {
            due.extend(self.due.pop_first().map(|(_, timer)| timer));
        }
        due
    }

    /// Whether a timer waits there that was not taken out yet.
    pub(super) fn has_between(&self, first: TimerPosition, last: TimerPosition) -> bool {
        self.due.range(first..=last).next().is_some()
    }

    /// When to look again.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let first = self.due.keys().next().map(|position| position.due_at);
        let reread = self.horizon.map(|horizon| horizon.due_at + -WINDOW_MS / 2);
        first.into_iter().chain(reread).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::entity::TimerPurpose;
    use tidemill_model::{MessageKey, TenantId, Text, TimerKey};

    fn timer(key: i64, due_at: i64) -> Arc<Timer> {
        let purpose = TimerPurpose::MessageExpiry {
            message: MessageKey(1),
            tenant: TenantId::default(),
            name: Text::from("m"),
            correlation_key: Text::from("k"),
        };
        Arc::new(Timer { key: TimerKey(key), due_at: Timestamp(due_at), purpose, repetitions: None })
    }

    #[test]
    fn a_timer_behind_the_horizon_waits_in_the_store() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.wants(Timestamp(0)), Some(Timestamp(WINDOW_MS)));
        let horizon = TimerPosition { due_at: Timestamp(500), key: TimerKey(7) };
        schedule.extend(TimerPage { timers: vec![timer(7, 500)], horizon });
        schedule.note(&Change::Put(timer(8, 400).into()));
        schedule.note(&Change::Put(timer(9, 600).into()));
        let keys = |timers: Vec<Arc<Timer>>| timers.iter().map(|timer| timer.key.0).collect::<Vec<_>>();
        schedule.note(&Change::Put(timer(6, 300).into()));
        schedule.note(&Change::Remove(timer(6, 300).into()));
        let (first, last) = (TimerPosition::of(&timer(5, 300)), TimerPosition::of(&timer(9, 600)));
        assert!(schedule.has_between(first, last));
        assert!(!schedule.has_between(first, TimerPosition::of(&timer(7, 400))));
        assert_eq!(keys(schedule.take_due(Timestamp(400), 10)), [8]);
        assert_eq!(keys(schedule.take_due(Timestamp(1_000), 10)), [7]);
        assert_eq!(keys(schedule.take_due(Timestamp(1_000), 10)), [] as [i64; 0]);
        assert!(schedule.wants(Timestamp(0)).is_some(), "the read was cut, so the window is short");
    }
}
