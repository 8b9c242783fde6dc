//! Creating timers: with generated and with own ids, and the targets that they name.

use super::Shard;
use super::lookup::{Lookup, Seeks};
use super::open::PAUSED;
use super::request::{Answer, Create, Mode, Target, Work};
use super::rows::{Place, PlaceChange, PlaceState, TargetRow};
use crate::block::{Entry, NAME_BYTES_MAX, PAYLOAD_BYTES_MAX, PlaceId, Scope};
use crate::slot::DUE_MS_MAX;
use crate::{Position, Slot};
use std::sync::Arc;

/// Targets that a shard keeps in memory.
const TARGETS_MAX: usize = 100_000;

impl Shard {
    pub(super) fn run_create(&mut self, about: PlaceId, work: Work, create: Create, place: Option<Place>) {
        // One that has fired leaves its id free.
        let is_there = |place: &Place| create.own_id.is_some() && place.state != PlaceState::Done;
        let Some(place) = place.filter(is_there) else {
            let answer = self.create(create.own_id, &create);
            return self.answer(work, answer);
        };
        match create.mode {
            Mode::Keep | Mode::Fail => self.answer(work, Answer::Exists(place)),
            Mode::Replace if place.state == PlaceState::Paused => {
                let slot = Slot { level: PAUSED, number: place.key };
                self.look_up(about, Lookup::new(work, Seeks::Paused { place, slot }, self.last_write()));
            }
            Mode::Replace => {
                if Position::new(place.due_ms, place.key) > self.floor() {
                    self.kill(&place);
                } else {
                    self.kill_parked(&place, &create.scope);
                }
                let answer = self.create(create.own_id, &create);
                self.answer(work, answer);
            }
        }
    }

    pub(super) fn create(&mut self, own_id: Option<PlaceId>, create: &Create) -> Answer {
        let Create { scope, due_ms, scheduled_ms, target, flags, payload, .. } = create;
        let due_ms = *due_ms;
        if let Some(reason) = refusal(scope, due_ms, payload) {
            return Answer::Refused(reason.into());
        }
        let Some(target) = self.target(target) else {
            return Answer::Refused("there are too many targets".into());
        };
        self.last_key += 1;
        let key = self.last_key;
        let stored_ms = self.stored_due_ms(due_ms, key);
        if let Some(id) = own_id {
            let (due_ms, id_due_ms) = (stored_ms, stored_ms);
            let place = Place { id, key, due_ms, id_due_ms, generation: 0, state: PlaceState::Scheduled };
            self.open.put_place(PlaceChange::Put(place), &mut self.places);
        }
        let (generation, attempt, place) = (0, 0, own_id);
        let (due_ms, scheduled_ms) = (stored_ms, scheduled_ms.unwrap_or(due_ms));
        self.add(Entry {
            key,
            due_ms,
            scheduled_ms,
            generation,
            attempt,
            target,
            flags: *flags,
            scope: scope.clone(),
            place,
            payload: payload.clone(),
        });
        Answer::Created { key, due_ms: stored_ms }
    }

    /// Targets are stored once; entries name them by number.
    fn target(&mut self, target: &Target) -> Option<u32> {
        let is_it =
            |(last, _): &&(Target, u32)| last.lane == target.lane && Arc::ptr_eq(&last.data, &target.data);
        if let Some((_, id)) = self.last_target.as_ref().filter(is_it) {
            return Some(*id);
        }
        let id = self.find_target(target)?;
        self.last_target = Some((target.clone(), id));
        Some(id)
    }

    fn find_target(&mut self, target: &Target) -> Option<u32> {
        let half = |seed| u128::from(twox_hash::XxHash64::oneshot(seed, &target.data));
        let hash = (half(u64::from(target.lane)) << 64) | half(!u64::from(target.lane));
        if let Some((id, _)) = self.targets.get(&hash) {
            return Some(*id);
        }
        let id = self.lanes.last_key_value().map_or(1, |(id, _)| id + 1);
        if self.targets.len() >= TARGETS_MAX {
            return None;
        }
        self.targets.insert(hash, (id, target.lane));
        self.lanes.insert(id, target.lane);
        self.open.targets.push(TargetRow { id, hash, lane: target.lane, data: target.data.to_vec() });
        Some(id)
    }
}

pub(super) fn is_date(due_ms: i64) -> bool {
    (0..=DUE_MS_MAX).contains(&due_ms)
}

fn refusal(scope: &Arc<Scope>, due_ms: i64, payload: &[u8]) -> Option<&'static str> {
    let is_long = |name: &str| name.len() > NAME_BYTES_MAX;
    if !is_date(due_ms) {
        Some("the date is out of range")
    } else if is_long(&scope.tenant) || is_long(&scope.namespace) {
        Some("the name of its tenant or namespace is too long")
    } else if payload.len() > PAYLOAD_BYTES_MAX {
        Some("its payload is too long")
    } else {
        None
    }
}
