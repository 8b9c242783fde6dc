//! Works that wait for something from the store. Others about the same timer wait behind them, in order.

use super::request::{Answer, Request, Work};
use super::rows::{BlockId, Need, Place, PlaceState};
use super::{Asked, Shard};
use crate::block::{Block, Entry, PlaceId};
use crate::{Position, Slot};

pub(super) enum Seeks {
    /// The place of an own id.
    Place,
    /// The timer itself, wherever its slot has gone by now.
    Entry { place: Place, found: Option<Entry>, is_killed: bool },
    /// A paused timer.
    Paused { place: Place, slot: Slot },
    /// A timer that may be parked, because its namespace is paused.
    Parked { place: Place, slot: Slot, is_killed: bool },
    /// The place of a delivery that has failed and is tried again; the answer if there is none, and a timer that is cancelled with it.
    Retry { otherwise: Answer, kills: Option<Place> },
}

pub(super) struct Lookup {
    work: Work,
    seeks: Seeks,
    /// The store shows what is looked for once this batch has landed.
    barrier: i64,
    after: Option<BlockId>,
    is_asked: bool,
}

impl Lookup {
    pub(super) fn new(work: Work, seeks: Seeks, barrier: i64) -> Lookup {
        Lookup { work, seeks, barrier, after: None, is_asked: false }
    }

    pub(super) fn into_work(self) -> Work {
        self.work
    }

    fn need(&self, about: PlaceId, entries_max: usize) -> Need {
        match &self.seeks {
            Seeks::Place => Need::Place(about),
            Seeks::Retry { .. } => Need::Place(PlaceId::of_retry(about)),
            Seeks::Entry { place, .. } => {
                let position = Position::new(place.due_ms, place.key);
                Need::Find { position, after: self.after, entries_max }
            }
            Seeks::Paused { slot, .. } | Seeks::Parked { slot, .. } => {
                Need::Blocks { slot: *slot, after: self.after, up_to_batch: i64::MAX, entries_max }
            }
        }
    }
}

impl Shard {
    pub(super) fn look_up(&mut self, about: PlaceId, lookup: Lookup) {
        self.queue_bytes += lookup.work.request.bytes();
        self.behind.entry(about).or_default();
        self.sought.insert(about);
        self.lookups.insert(lookup.work.arrival, lookup);
    }

    pub(super) fn ask_for_lookups(&mut self, needs: &mut Vec<(u64, Need)>) {
        let entries_max = self.page_entries();
        let mut wanted = Vec::new();
        for (id, lookup) in &mut self.lookups {
            if !lookup.is_asked
                && lookup.barrier <= self.landed_batch
                && let Some(about) = lookup.work.request.about()
            {
                lookup.is_asked = true;
                lookup.barrier = self.landed_batch;
                wanted.push((*id, lookup.need(about, entries_max)));
            }
        }
        for (id, need) in wanted {
            let asked = self.ask(Asked::Lookup { id });
            needs.push((asked, need));
        }
    }

    /// Every read of a place that is under way shows at least what this batch has written.
    pub(super) fn oldest_place_read(&self) -> i64 {
        let is_of_place = |seeks: &Seeks| matches!(seeks, Seeks::Place | Seeks::Retry { .. });
        let is_read = |lookup: &&Lookup| is_of_place(&lookup.seeks) && lookup.is_asked;
        let oldest = self.lookups.values().filter(is_read).map(|lookup| lookup.barrier).min();
        oldest.unwrap_or(self.landed_batch)
    }

    fn take_lookup(&mut self, id: u64) -> Option<(PlaceId, Lookup)> {
        let lookup = self.lookups.remove(&id)?;
        let about = lookup.work.request.about()?;
        self.sought.remove(&about);
        self.queue_bytes -= lookup.work.request.bytes();
        Some((about, lookup))
    }

    /// A block that may hold the timer cannot be read.
    pub(super) fn lookup_is_in_vain(&mut self, id: u64) {
        let Some((about, lookup)) = self.take_lookup(id) else { return };
        self.answer(lookup.work, Answer::Refused("a stored block that may hold it is damaged".into()));
        self.go_on(about);
    }

    pub(super) fn place_came(&mut self, id: u64, place: Option<Place>) {
        let Some((about, lookup)) = self.take_lookup(id) else { return };
        match lookup.seeks {
            Seeks::Retry { otherwise, kills } => {
                let place = self.places.own(PlaceId::of_retry(about), place);
                let otherwise = match (&lookup.work.request, kills) {
                    (Request::Cancel { scope, .. }, Some(timer)) => {
                        let scope = scope.clone();
                        // One that repeats may have fired meanwhile and wait for its next time.
                        let timer = self.places.generated(about).unwrap_or(timer);
                        match timer.state {
                            PlaceState::Done => Answer::Gone,
                            _ => self.cancel_wherever(timer, &scope),
                        }
                    }
                    _ => otherwise,
                };
                self.run_retry(about, lookup.work, place, otherwise);
            }
            _ => {
                let place = self.places.own(about, place);
                self.run(about, lookup.work, place);
            }
        }
        self.go_on(about);
    }

    pub(super) fn blocks_came(&mut self, id: u64, blocks: Vec<(BlockId, Block)>, is_last: bool) {
        let Some((about, mut lookup)) = self.take_lookup(id) else { return };
        lookup.is_asked = false;
        lookup.after = blocks.last().map(|(id, _)| *id).or(lookup.after);
        match &mut lookup.seeks {
            Seeks::Place | Seeks::Retry { .. } => {}
            Seeks::Entry { place, found, is_killed } => {
                blocks.into_iter().for_each(|(_, block)| look_into(block, place, found, is_killed));
                if !is_last {
                    return self.look_up(about, lookup);
                }
                self.entry_was_sought(about, lookup);
            }
            Seeks::Paused { place, .. } => {
                let (place, mut found) = (*place, None);
                let is_taken = !matches!(lookup.work.request, Request::Get { .. });
                for (id, block) in blocks {
                    if is_taken {
                        self.open.deletes.push(id);
                    }
                    look_into(block, &place, &mut found, &mut false);
                }
                self.run_unpaused(about, lookup.work, place, found);
            }
            Seeks::Parked { place, is_killed, .. } => {
                let mut found = None;
                blocks.into_iter().for_each(|(_, block)| look_into(block, place, &mut found, is_killed));
                let is_over = is_last || found.is_some() || *is_killed;
                if !is_over {
                    return self.look_up(about, lookup);
                }
                let found = found.filter(|_| !*is_killed);
                let answer = found.map_or(Answer::Gone, |entry| Answer::found(entry, true));
                self.answer(lookup.work, answer);
            }
        }
        self.go_on(about);
    }

    /// The slot may have been loaded meanwhile: then the wheel knows better than what was read.
    fn entry_was_sought(&mut self, about: PlaceId, lookup: Lookup) {
        let Seeks::Entry { place, found, is_killed } = lookup.seeks else { return };
        let found = if self.frontier.is_loaded(place.due_ms) {
            let position = Position::new(place.due_ms, place.key);
            self.wheel.get(position).map(|waiting| waiting.to_entry(position))
        } else {
            found.filter(|_| !is_killed)
        };
        self.run_found(about, lookup.work, place, found);
    }

    /// The next works about the same timer may run, until one of them has to wait itself.
    fn go_on(&mut self, about: PlaceId) {
        loop {
            if self.sought.contains(&about) {
                return;
            }
            let Some(work) = self.behind.get_mut(&about).and_then(|behind| behind.pop_front()) else { break };
            self.queue_bytes -= work.request.bytes();
            self.begin(about, work);
        }
        self.behind.remove(&about);
    }
}

fn look_into(block: Block, place: &Place, found: &mut Option<Entry>, is_killed: &mut bool) {
    match block {
        Block::Tombstones(tombstones) => {
            let kills = |t: &crate::block::Tombstone| t.key == place.key && t.generation > place.generation;
            *is_killed |= tombstones.iter().any(kills);
        }
        Block::Entries(entries) | Block::Paused(entries) => {
            let is_it = |e: &Entry| e.key == place.key && e.generation == place.generation;
            *found = entries.into_iter().find(is_it).or(found.take());
        }
    }
}
