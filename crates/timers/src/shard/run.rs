//! Requests: what each changes. A request that needs what is not in memory waits for it as a lookup.

use super::create::is_date;
use super::lookup::{Lookup, Seeks};
use super::open::PAUSED;
use super::request::{Address, Answer, Request, Retry, Settle, Work};
use super::rows::{FailureId, Pause, Place, PlaceChange, PlaceState};
use super::waiting::Waiting;
use super::{Shard, fire::parking_slot};
use crate::block::{Entry, Flags, PlaceId, Scope, Tombstone};
use crate::slot::DUE_MS_MAX;
use crate::{Position, Slot};

impl Shard {
    /// Begins a work, or puts it behind another about the same timer.
    pub(super) fn start(&mut self, work: Work) {
        let Some(about) = work.request.about() else { return self.run_alone(work) };
        if let Some(behind) = self.behind.get_mut(&about) {
            self.queue_bytes += work.request.bytes();
            return behind.push_back(work);
        }
        self.begin(about, work);
    }

    /// Works that are about no timer that is there already.
    fn run_alone(&mut self, work: Work) {
        match &work.request {
            Request::Create(create) => {
                let answer = self.create(None, create);
                self.answer(work, answer);
            }
            Request::CreateAll(_) if work.request.bytes() > self.config.memory_bytes_max / 8 => {
                self.answer(
                    work,
                    Answer::Refused("the bulk is too large; send fewer timers at a time".into()),
                );
            }
            Request::CreateAll(creates) => {
                let creates = creates.clone();
                let answers = creates.iter().map(|create| self.create(None, create)).collect();
                self.answer(work, Answer::All(answers));
            }
            Request::Delivered(id) => {
                self.open.delivery_deletes.push(*id);
                self.answer(work, Answer::Done);
            }
            Request::Settle(settle) => {
                let settle = settle.clone();
                let answer = self.settle(&settle);
                self.answer(work, answer);
            }
            Request::Bury(id) => {
                self.open.failure_deletes.push(*id);
                self.answer(work, Answer::Done);
            }
            Request::Revive { entry, due_ms } => {
                self.open.failure_deletes.push(failure_id(entry));
                let answer = self.try_alone(Entry { attempt: 0, ..Entry::clone(entry) }, *due_ms);
                self.answer(work, answer);
            }
            _ => self.run_namespace(work),
        }
    }

    /// All that became of a row of deliveries goes with the deletion of that row.
    fn settle(&mut self, settle: &Settle) -> Answer {
        self.open.delivery_deletes.push(settle.row);
        self.open.failures.extend(settle.failures.iter().cloned());
        settle.returned.iter().for_each(|entry| self.keep_delivery(entry.clone()));
        Answer::All(settle.retries.iter().map(|retry| self.retry(retry)).collect())
    }

    /// A delivery comes back under a new key. Its place is beside that of its timer, whose id may be another's by now.
    fn retry(&mut self, Retry { entry, due_ms, of }: &Retry) -> Answer {
        self.last_key += 1;
        let key = self.last_key;
        let due_ms = self.stored_due_ms((*due_ms).clamp(0, DUE_MS_MAX), key);
        let flags = entry.flags.without(Flags::REPEATS).without(Flags::DETACHED).with(Flags::TRIED);
        let id = PlaceId::of_retry(*of);
        let place = Place { id, key, due_ms, id_due_ms: due_ms, generation: 0, state: PlaceState::Scheduled };
        self.open.put_place(PlaceChange::Put(place), &mut self.places);
        self.add(Entry { key, due_ms, generation: 0, place: Some(id), flags, ..entry.clone() });
        Answer::Created { key, due_ms }
    }

    pub(super) fn begin(&mut self, about: PlaceId, work: Work) {
        if about.is_own() {
            return self.look_up(about, Lookup::new(work, Seeks::Place, self.landed_batch));
        }
        let place = self.places.generated(about);
        self.run(about, work, place);
    }

    /// Runs a work whose place is known; none means that the id names no timer, or one that is where its id says.
    pub(super) fn run(&mut self, about: PlaceId, work: Work, place: Option<Place>) {
        match &work.request {
            Request::Create(create) => {
                let create = create.clone();
                self.run_create(about, work, create, place);
            }
            Request::Cancel { address, .. }
            | Request::Get { address, .. }
            | Request::Move { address, .. }
            | Request::Pause { address }
            | Request::Resume { address }
            | Request::Trigger { address } => match placed(*address, place) {
                Some(place) => self.run_on(about, work, place),
                None => self.seek_retry(about, work, Answer::NotFound),
            },
            _ => self.run_alone(work),
        }
    }

    fn run_on(&mut self, about: PlaceId, work: Work, place: Place) {
        let position = Position::new(place.due_ms, place.key);
        match (&work.request, place.state) {
            (_, PlaceState::Done) => self.seek_retry(about, work, Answer::Gone),
            (Request::Pause { .. }, PlaceState::Paused) => self.answer(work, Answer::Done),
            (_, PlaceState::Paused) => {
                let slot = Slot { level: PAUSED, number: place.key };
                self.look_up(about, Lookup::new(work, Seeks::Paused { place, slot }, self.last_write()));
            }
            (Request::Resume { .. }, PlaceState::Scheduled) => self.answer(work, Answer::Done),
            (_, PlaceState::Scheduled) if position <= self.floor() => self.run_passed(about, work, place),
            // It may have fired from a slot larger than memory, whose owner died before the mark had passed it. The place of an own id
            // goes with the commit that fires, and so tells the truth.
            (Request::Cancel { .. }, PlaceState::Scheduled)
                if place.due_ms <= self.now_ms && !about.is_own() =>
            {
                self.cancel_with_retry(about, work, place);
            }
            (Request::Cancel { .. }, PlaceState::Scheduled) => {
                self.cancel(place);
                self.answer(work, Answer::Done);
            }
            (_, PlaceState::Scheduled) => self.seek(about, work, place),
        }
    }

    /// The mark has passed the timer: it has fired, unless it was parked, because its namespace is paused.
    fn run_passed(&mut self, about: PlaceId, work: Work, place: Place) {
        if let Request::Cancel { scope, .. } = &work.request
            && self.namespaces.contains_key(&**scope)
        {
            let scope = scope.clone();
            if !about.is_own() {
                return self.cancel_with_retry(about, work, place);
            }
            if self.cancel_wherever(place, &scope) == Answer::Done {
                return self.answer(work, Answer::Done);
            }
        }
        match self.parked_slot(&work, &place) {
            Some(slot) => self.seek_parked(about, work, place, slot),
            None => self.seek_retry(about, work, Answer::Gone),
        }
    }

    /// Where to look for a timer that the mark has passed, if it may be parked.
    fn parked_slot(&self, work: &Work, place: &Place) -> Option<Slot> {
        let Request::Get { scope, .. } = &work.request else { return None };
        let pause = self.namespaces.get(&**scope)?;
        (pause.since < Position::new(place.due_ms, place.key)).then(|| parking_slot(scope))
    }

    fn seek_parked(&mut self, about: PlaceId, work: Work, place: Place, slot: Slot) {
        let seeks = Seeks::Parked { place, slot, is_killed: false };
        self.look_up(about, Lookup::new(work, seeks, self.last_write()));
    }

    /// The timer itself is not there any more. Its delivery may have failed and wait to be tried again; it can be looked at and
    /// cancelled then. Everything else, and everyone else, is told what is known already.
    fn seek_retry(&mut self, about: PlaceId, work: Work, otherwise: Answer) {
        match &work.request {
            Request::Cancel { .. } | Request::Get { .. } => {
                let seeks = Seeks::Retry { otherwise, kills: None };
                self.look_up(about, Lookup::new(work, seeks, self.landed_batch));
            }
            _ => self.answer(work, otherwise),
        }
    }

    /// Nobody knows whether the timer has fired: it is cancelled together with a delivery of it that waits to be tried again.
    fn cancel_with_retry(&mut self, about: PlaceId, work: Work, place: Place) {
        let seeks = Seeks::Retry { otherwise: Answer::Gone, kills: Some(place) };
        self.look_up(about, Lookup::new(work, seeks, self.landed_batch));
    }

    /// Cancels a timer where it is by now; one that was passed may be parked.
    pub(super) fn cancel_wherever(&mut self, place: Place, scope: &Scope) -> Answer {
        if Position::new(place.due_ms, place.key) > self.floor() {
            self.cancel(place);
        } else if self.kill_parked(&place, scope) {
            self.finish_place(place.id, place.key);
        } else {
            return Answer::Gone;
        }
        Answer::Done
    }

    /// The place of a delivery that waits to be tried again, if there is one. It may be parked, as its timer may.
    pub(super) fn run_retry(&mut self, about: PlaceId, work: Work, place: Option<Place>, otherwise: Answer) {
        let Some(place) = place else { return self.answer(work, otherwise) };
        let waits = Position::new(place.due_ms, place.key) > self.floor();
        match &work.request {
            Request::Cancel { scope, .. } => {
                let scope = scope.clone();
                if waits {
                    self.kill(&place);
                } else if !self.kill_parked(&place, &scope) {
                    return self.answer(work, otherwise);
                }
                self.finish_place(place.id, place.key);
                self.answer(work, Answer::Done);
            }
            _ if waits => self.seek(about, work, place),
            _ => match self.parked_slot(&work, &place) {
                Some(slot) => self.seek_parked(about, work, place, slot),
                None => self.answer(work, otherwise),
            },
        }
    }

    /// A tombstone for a timer that was parked since its namespace was paused. False if it cannot be one of those. In a slot that is
    /// being fired block by block nobody knows which timers are parked already: if the namespace were resumed before its turn
    /// came, a timer would fire past a tombstone that lies where it never was. Such a timer counts as being fired.
    pub(super) fn kill_parked(&mut self, place: &Place, scope: &Scope) -> bool {
        let position = Position::new(place.due_ms, place.key);
        let is_parked = position <= self.mark
            && self.namespaces.get(scope).is_some_and(|pause| !pause.is_resuming && pause.since < position);
        if is_parked {
            let generation = place.generation + 1;
            let tombstone = Tombstone { key: place.key, due_ms: place.due_ms, generation };
            self.open.aside_tombstones.push((parking_slot(scope), tombstone));
        }
        is_parked
    }

    /// Finds the timer itself, which a move, pause or trigger needs: in the wheel or in the store.
    fn seek(&mut self, about: PlaceId, work: Work, place: Place) {
        let position = Position::new(place.due_ms, place.key);
        if self.frontier.is_loaded(place.due_ms) {
            let entry = self.wheel.get(position).map(|waiting| waiting.to_entry(position));
            return self.run_found(about, work, place, entry);
        }
        self.look_up(
            about,
            Lookup::new(work, Seeks::Entry { place, found: None, is_killed: false }, self.last_write()),
        );
    }

    /// Everything written so far is in the store once this batch has landed.
    pub(super) fn last_write(&self) -> i64 {
        if self.open.is_empty() { self.last_batch } else { self.last_batch + 1 }
    }

    /// The timer was found where its place says; it is not paused. It may have fired while it was sought: then it is gone, parked,
    /// or elsewhere by now, if it repeats, and the request begins anew.
    pub(super) fn run_found(&mut self, about: PlaceId, work: Work, place: Place, entry: Option<Entry>) {
        let position = Position::new(place.due_ms, place.key);
        if position <= self.floor() {
            return self.begin(about, work);
        }
        let Some(entry) = entry.filter(|entry| entry.generation == place.generation) else {
            return self.answer(work, Answer::NotFound);
        };
        let answer = match &work.request {
            Request::Move { due_ms, .. } if !is_date(*due_ms) => {
                Answer::Refused("the date is out of range".into())
            }
            Request::Move { due_ms, .. } => {
                self.kill(&place);
                self.schedule(entry, *due_ms, *due_ms, place)
            }
            Request::Pause { .. } => {
                self.kill(&place);
                self.pause(entry, place)
            }
            Request::Trigger { .. } => {
                self.kill(&place);
                if let Some(next) = self.trigger(entry, place) {
                    self.follow(next);
                }
                Answer::Done
            }
            Request::Get { scope, .. } if *scope == entry.scope => Answer::found(entry, false),
            _ => Answer::NotFound,
        };
        self.answer(work, answer);
    }

    /// The timer was taken out of its paused block, which the open batch deletes.
    pub(super) fn run_unpaused(&mut self, about: PlaceId, work: Work, place: Place, entry: Option<Entry>) {
        let Some(entry) = entry else { return self.answer(work, Answer::NotFound) };
        let answer = match &work.request {
            Request::Resume { .. } => {
                let (due_ms, scheduled_ms) = (entry.due_ms, entry.scheduled_ms);
                self.schedule(entry, due_ms, scheduled_ms, place)
            }
            Request::Move { due_ms, .. } if is_date(*due_ms) => {
                let due_ms = *due_ms;
                let moved = Entry { due_ms, scheduled_ms: due_ms, ..entry };
                self.pause(moved, place)
            }
            Request::Move { .. } => {
                self.pause(entry, place);
                Answer::Refused("the date is out of range".into())
            }
            // A schedule stays paused.
            Request::Trigger { .. } => match self.trigger(entry, place) {
                Some(next) => self.pause(next, place),
                None => Answer::Done,
            },
            Request::Get { scope, .. } if *scope == entry.scope => Answer::found(entry, true),
            Request::Cancel { .. } => {
                self.finish_place(place.id, place.key);
                Answer::Done
            }
            Request::Create(create) => self.create(Some(about), create),
            _ => Answer::NotFound,
        };
        self.answer(work, answer);
    }

    /// Writes a timer anew, under the next generation and with a place (rule 2).
    fn schedule(&mut self, entry: Entry, due_ms: i64, scheduled_ms: i64, place: Place) -> Answer {
        let due_ms = self.stored_due_ms(due_ms, entry.key);
        let generation = place.generation + 1;
        let place = Place { due_ms, generation, state: PlaceState::Scheduled, ..place };
        self.open.put_place(PlaceChange::Put(place), &mut self.places);
        self.add(Entry { due_ms, scheduled_ms, generation, place: Some(place.id), ..entry });
        Answer::Done
    }

    fn pause(&mut self, entry: Entry, place: Place) -> Answer {
        let generation = place.generation + 1;
        let place = Place { due_ms: entry.due_ms, generation, state: PlaceState::Paused, ..place };
        self.open.put_place(PlaceChange::Put(place), &mut self.places);
        let slot = Slot { level: PAUSED, number: entry.key };
        self.open.aside.push((slot, Entry { generation, place: Some(place.id), ..entry }));
        Answer::Done
    }

    /// Gives the next occurrence of a timer that repeats.
    fn trigger(&mut self, entry: Entry, place: Place) -> Option<Entry> {
        // Its generated id may name a time to come: the place tells then that it has fired.
        if !place.id.is_own() {
            self.open.put_place(PlaceChange::Put(place), &mut self.places);
        }
        self.deliver(Entry { place: Some(place.id), ..entry }, true)
    }

    fn cancel(&mut self, place: Place) {
        self.kill(&place);
        let is_placed = place.id.is_own() || self.places.generated(place.id).is_some();
        if is_placed {
            self.finish_place(place.id, place.key);
        }
    }

    /// A tombstone for the timer of this place, whether it is in memory or not (rule 2).
    pub(super) fn kill(&mut self, place: &Place) {
        let generation = place.generation + 1;
        let tombstone = Tombstone { key: place.key, due_ms: place.due_ms, generation };
        self.wheel.remove(tombstone.position());
        if let Some(job) = self.job.as_mut().filter(|job| job.is_load_of(place.due_ms)) {
            job.kill(&tombstone);
        }
        self.open.bytes += size_of::<Tombstone>();
        self.open.tombstones.push(tombstone);
    }

    /// A new timer goes to its slot, and to the wheel if that is loaded (rule 4).
    pub(super) fn add(&mut self, entry: Entry) {
        self.open.bytes += entry.bytes();
        if self.frontier.is_in_wheel(Slot::of(entry.due_ms, 0).number) {
            self.wheel.insert(entry.position(), Waiting::copy_of(&entry));
            self.open.entries.push(entry);
            self.keep_to_budget();
        } else {
            self.open.entries.push(entry);
        }
    }

    /// A timer that was given up is tried again beside the one that may have its id by now: as a timer with a key of its own.
    fn try_alone(&mut self, entry: Entry, due_ms: i64) -> Answer {
        self.last_key += 1;
        let key = self.last_key;
        let due_ms = self.stored_due_ms(due_ms.clamp(0, DUE_MS_MAX), key);
        let flags = entry.flags.without(Flags::REPEATS).without(Flags::TRIED).with(Flags::DETACHED);
        let place = Some(entry.place_id());
        self.add(Entry { key, due_ms, generation: 0, flags, place, ..entry });
        Answer::Done
    }

    fn run_namespace(&mut self, work: Work) {
        let (scope, pause) = match &work.request {
            Request::PauseNamespace(scope) => {
                let since = self.floor();
                let paused = self.namespaces.get(&**scope).filter(|pause| !pause.is_resuming).copied();
                (scope.clone(), Some(paused.unwrap_or(Pause { since, is_resuming: false })))
            }
            Request::ResumeNamespace(scope) => {
                let resumed = |pause: &Pause| Pause { is_resuming: true, ..*pause };
                (scope.clone(), self.namespaces.get(&**scope).map(resumed))
            }
            _ => return,
        };
        if let Some(pause) = pause {
            if !pause.is_resuming {
                self.unpark.take_if(|job| job.is_of(&scope));
            }
            self.namespaces.insert(Scope::clone(&scope), pause);
            self.open.namespaces.insert(Scope::clone(&scope), Some(pause));
        }
        self.answer(work, Answer::Done);
    }

    /// The answer leaves with the commit of the open batch, even where nothing was changed: its fence covers it.
    pub(super) fn answer(&mut self, work: Work, answer: Answer) {
        self.open.bytes += work.request.bytes();
        self.open.answers.push((work.ticket, answer));
        self.open.works.push(work);
    }
}

fn failure_id(entry: &Entry) -> FailureId {
    FailureId { key: entry.key, generation: entry.generation }
}

/// A generated id without a place names a timer of the first generation, where the id says.
fn placed(address: Address, place: Option<Place>) -> Option<Place> {
    let Address::Generated { key, due_ms } = address else { return place };
    let (id, id_due_ms) = (PlaceId::of_generated(key, due_ms), due_ms);
    Some(place.unwrap_or(Place { id, key, due_ms, id_due_ms, generation: 0, state: PlaceState::Scheduled }))
}
