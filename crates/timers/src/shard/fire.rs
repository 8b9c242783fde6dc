//! Firing: due timers leave the wheel in order, the mark advances with them, and blocks that it has passed are deleted.

use super::create::is_date;
use super::open::PARKED;
use super::rows::{FIRST_KEPT_LANE, LANE_OF_NOBODY, Place, PlaceChange, PlaceState};
use super::waiting::Waiting;
use super::{Firing, Shard};
use crate::block::{Entry, Flags, PlaceId, Scope};
use crate::slot::DUE_MS_MAX;
use crate::{Position, Slot};

impl Shard {
    /// Puts what is due into the open batch. The mark moves only with a batch that has something to write.
    pub(super) fn fire(&mut self, now_ms: i64) {
        let (mark, due) = self.take_due(now_ms);
        let mut following = Vec::new();
        for (position, waiting) in due {
            if !self.is_for_nobody(&waiting) {
                following.extend(self.deliver_or_park(waiting.into_entry(position), true));
            } else {
                self.open.fired.note(position.due_ms);
            }
        }
        if mark <= self.mark {
            return;
        }
        let passed_ms = if mark.key == i64::MAX { mark.due_ms + 1 } else { mark.due_ms };
        self.open.deletes.append(&mut self.frontier.take_passed(passed_ms));
        if self.open.is_empty() {
            return;
        }
        self.mark = mark;
        self.drain_floor.take_if(|floor| *floor <= mark);
        self.open.forget_through(mark);
        for change in self.places.take_passed(mark) {
            self.open.places.push(change);
        }
        following.into_iter().for_each(|next| self.follow(next));
    }

    /// Due timers, and the mark once they have fired: never behind what is loaded (rules 4 and 5).
    fn take_due(&mut self, now_ms: i64) -> (Position, Vec<(Position, Waiting)>) {
        let loaded_ms = Slot { level: 0, number: self.frontier.load_to }.begin_ms() - 1;
        let until_ms = now_ms.min(loaded_ms);
        // New timers must not outrun those that fire, however many come with one batch.
        let timers_max = self.config.fired_per_batch_max.max(2 * self.open.entries.len());
        let mut due = Vec::new();
        self.wheel.take_due(until_ms, timers_max, &mut due);
        let last = due.last().map_or(self.mark, |(position, _)| *position);
        if due.len() == timers_max {
            return (last, due);
        }
        // A timer may still be created for this very millisecond, but not for an earlier one.
        let over_ms = if until_ms < now_ms { until_ms } else { until_ms - 1 };
        (last.max(Position::end_of(over_ms)).max(self.mark), due)
    }

    /// Nothing is created at or before this position (rule 1).
    pub(super) fn floor(&self) -> Position {
        self.drain_floor.map_or(self.mark, |floor| floor.max(self.mark))
    }

    /// The due time at which a timer is stored: not behind the mark, by its key too (rule 1).
    pub(super) fn stored_due_ms(&self, due_ms: i64, key: i64) -> i64 {
        let floor = self.floor();
        if Position::new(due_ms, key) > floor {
            due_ms
        } else if key > floor.key {
            floor.due_ms
        } else {
            floor.due_ms + 1
        }
    }

    /// A timer of a paused namespace is parked instead (rule 6).
    pub(super) fn deliver_or_park(&mut self, entry: Entry, holds_id: bool) -> Option<Entry> {
        if let Some(id) = entry.place.filter(|_| entry.flags.has(Flags::FORGETS)) {
            self.open.put_place(PlaceChange::Delete { id, key: entry.key }, &mut self.places);
            return None;
        }
        let is_paused = self.namespaces.get(&*entry.scope).is_some_and(|pause| !pause.is_resuming);
        if is_paused {
            self.open.bytes += entry.bytes();
            self.open.aside.push((parking_slot(&entry.scope), entry));
            return None;
        }
        self.deliver(entry, holds_id)
    }

    /// Gives the next occurrence of a timer that repeats. It is added when the mark has moved, so that it is not behind that. A timer that
    /// waits in the wheel surely holds its own id; one that is fired from a block may have lost it to another.
    #[must_use]
    pub(super) fn deliver(&mut self, entry: Entry, holds_id: bool) -> Option<Entry> {
        let Firing { told_ms, next } = match entry.flags.has(Flags::REPEATS) {
            true => (self.config.on_fire)(&entry, self.now_ms),
            false => super::once(&entry, self.now_ms),
        };
        let next = next.filter(|next| is_date(next.due_ms)).map(|next| Entry {
            due_ms: next.due_ms,
            scheduled_ms: next.scheduled_ms,
            generation: entry.generation + 1,
            attempt: 0,
            place: Some(entry.place_id()),
            payload: next.payload,
            ..entry.clone()
        });
        if let Some(id) = entry.place.filter(|_| next.is_none() && !entry.flags.has(Flags::DETACHED)) {
            match holds_id {
                true => self.finish_fired(id, &entry),
                false => self.finish_place(id, entry.key),
            }
        }
        if let Some(scheduled_ms) = told_ms {
            self.open.fired.note(entry.due_ms);
            self.keep_delivery(Entry { scheduled_ms, ..entry });
        }
        next
    }

    /// True for a timer that is told to nobody and leaves nothing behind: it need not be looked at any further.
    fn is_for_nobody(&self, waiting: &Waiting) -> bool {
        let Waiting::Plain { target, .. } = waiting else { return false };
        self.lanes.get(target) == Some(&LANE_OF_NOBODY) && self.namespaces.is_empty()
    }

    /// A timer whose target is not known is kept, so that it is not lost.
    pub(super) fn keep_delivery(&mut self, entry: Entry) {
        let lane = self.lanes.get(&entry.target).copied().unwrap_or(FIRST_KEPT_LANE);
        if lane != LANE_OF_NOBODY {
            self.open.bytes += entry.bytes();
            self.open.fired.keep(lane, entry);
        }
    }

    /// The next occurrence of a timer: the same key under the next generation, with a place (rule 2).
    pub(super) fn follow(&mut self, next: Entry) {
        let (id, key, generation) = (next.place_id(), next.key, next.generation);
        let due_ms = self.stored_due_ms(next.due_ms, key);
        let id_due_ms = id.generated().map_or(due_ms, |(_, id_due_ms)| id_due_ms);
        let place = Place { id, key, due_ms, id_due_ms, generation, state: PlaceState::Scheduled };
        self.open.put_place(PlaceChange::Put(place), &mut self.places);
        self.add(Entry { due_ms, ..next });
    }

    /// The place of an own id says for a while that its timer has fired. An entry takes it away then: it goes through slots as timers do,
    /// so that nobody has to look for old places.
    fn finish_fired(&mut self, id: PlaceId, entry: &Entry) {
        let kept_ms = self.config.fired_kept_ms;
        if kept_ms <= 0 || !id.is_own() || entry.flags.has(Flags::TRIED) {
            return self.finish_place(id, entry.key);
        }
        let (key, generation, attempt) = (entry.key, entry.generation + 1, 0);
        let due_ms = self.stored_due_ms(self.now_ms.saturating_add(kept_ms).min(DUE_MS_MAX), key);
        let place = Place { id, key, due_ms, id_due_ms: due_ms, generation, state: PlaceState::Done };
        self.open.put_place(PlaceChange::Put(place), &mut self.places);
        let (scheduled_ms, target, flags, scope) =
            (due_ms, entry.target, Flags::FORGETS, entry.scope.clone());
        let (place, payload) = (Some(id), Box::default());
        self.add(Entry {
            key,
            due_ms,
            scheduled_ms,
            generation,
            attempt,
            target,
            flags,
            scope,
            place,
            payload,
        });
    }

    /// A timer that has fired or was cancelled needs its place no more, unless its id still names a time to come.
    pub(super) fn finish_place(&mut self, id: PlaceId, key: i64) {
        let place = self.places.generated(id).filter(|place| place.id_due_ms >= self.mark.due_ms);
        let change = match place {
            Some(place) => PlaceChange::Put(Place { state: PlaceState::Done, ..place }),
            None => PlaceChange::Delete { id, key },
        };
        self.open.put_place(change, &mut self.places);
    }
}

/// The slot beside time in which a namespace's timers are parked.
pub(super) fn parking_slot(scope: &Scope) -> Slot {
    let name = [scope.tenant.as_bytes(), &[0], scope.namespace.as_bytes()].concat();
    Slot { level: PARKED, number: (twox_hash::XxHash64::oneshot(0, &name) >> 1) as i64 }
}
