//! Places: where timers are that are not where their id says (rule 2). Those of generated ids are all in memory, so that
//! every other generated id needs no look into the store. Those of own ids are read when they are asked for; what was
//! written since then decides over what was read.

use super::rows::{Place, PlaceChange, PlaceState};
use crate::Position;
use crate::block::PlaceId;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Places {
    generated: BTreeMap<PlaceId, Place>,
    /// Finished timers of generated ids, by the due time that their id carries.
    done: BTreeSet<(i64, PlaceId)>,
    /// Changes of own ids, with the batch that carries them, as long as a read may miss them.
    recent: BTreeMap<PlaceId, (i64, PlaceChange)>,
    open_batch: i64,
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.generated.len() + self.recent.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.len() * 2 * size_of::<Place>()
    }

    pub(super) fn generated(&self, id: PlaceId) -> Option<Place> {
        self.generated.get(&id).copied()
    }

    /// The last one that was read: all are read in order when the shard begins.
    pub(super) fn last_generated(&self) -> Option<PlaceId> {
        self.generated.last_key_value().map(|(id, _)| *id)
    }

    pub(super) fn note(&mut self, change: PlaceChange) {
        match change {
            PlaceChange::Put(place) if place.id.is_own() => {
                self.recent.insert(place.id, (self.open_batch, change));
            }
            PlaceChange::Put(place) => self.load(place),
            PlaceChange::Delete { id, key } if id.is_own() => self.note_deleted(id, key, change),
            PlaceChange::Delete { id, .. } => {
                self.generated.remove(&id);
            }
        }
    }

    fn note_deleted(&mut self, id: PlaceId, key: i64, change: PlaceChange) {
        let is_other = matches!(self.recent.get(&id), Some((_, PlaceChange::Put(place))) if place.key != key);
        if !is_other {
            self.recent.insert(id, (self.open_batch, change));
        }
    }

    pub(super) fn load(&mut self, place: Place) {
        if place.state == PlaceState::Done {
            self.done.insert((place.id_due_ms, place.id));
        }
        self.generated.insert(place.id, place);
    }

    /// The place that a read has brought, with what was written since.
    pub(super) fn own(&self, id: PlaceId, read: Option<Place>) -> Option<Place> {
        match self.recent.get(&id) {
            Some((_, PlaceChange::Put(place))) => Some(*place),
            Some((_, PlaceChange::Delete { key, .. })) => read.filter(|place| place.key != *key),
            None => read,
        }
    }

    pub(super) fn closed(&mut self, batch: i64) {
        self.open_batch = batch + 1;
    }

    /// Forgets changes of committed batches; no read that began before their commit is under way.
    pub(super) fn forget_through(&mut self, batch: i64) {
        self.recent.retain(|_, (changed_by, _)| *changed_by > batch);
    }

    /// Finished timers whose due time the mark has passed: nobody can take them for waiting any more.
    pub(super) fn take_passed(&mut self, mark: Position) -> Vec<PlaceChange> {
        let mut passed = Vec::new();
        while let Some((due_ms, id)) = self.done.first().copied().filter(|(due_ms, _)| *due_ms < mark.due_ms)
        {
            self.done.remove(&(due_ms, id));
            if let Some(place) = self.generated.get(&id).filter(|place| place.state == PlaceState::Done) {
                passed.push(PlaceChange::Delete { id, key: place.key });
                self.generated.remove(&id);
            }
        }
        passed
    }
}
