//! The net effect of one or more batches on the tables: rows that come and go in between are never written.

use super::redo::{Redo, counter};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use tidemill_model::entity::{ElementInstance, InstanceState};
use tidemill_model::{Change, Ended, Entity, EntityKind, PartitionId, Stored, Timestamp};
use tidemill_store::FiredTimers;

/// Tells rows of all tables apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum RowId<'r> {
    Numbers(EntityKind, i64, i64),
    /// Tenant, process and correlation key: a lock is found by these, and another instance may take it.
    StartLock(&'r str, &'r str, &'r str),
}

impl<'r> RowId<'r> {
    fn of(entity: &'r Entity) -> RowId<'r> {
        match entity {
            Entity::MessageStartLock(lock) => RowId::StartLock(
                lock.tenant.as_str(),
                lock.process_id.as_str(),
                lock.correlation_key.as_str(),
            ),
            // A timer that moves is another row.
            Entity::Timer(timer) => RowId::Numbers(EntityKind::Timer, timer.key.0, timer.due_at.0),
            entity => {
                let (first, second) = entity.numbers();
                RowId::Numbers(entity.kind(), first, second)
            }
        }
    }

    /// True if no row can have been there before the first of the batches.
    fn is_new(self, partition: PartitionId, known_key: u64) -> bool {
        match self {
            RowId::Numbers(_, key, _) => counter(key, partition) > known_key,
            RowId::StartLock(..) => false,
        }
    }
}

#[derive(Clone, Copy)]
enum Live<'r> {
    Untouched,
    Put(&'r Entity),
    Removed(&'r Entity),
}

struct NetRow<'r> {
    is_new: bool,
    live: Live<'r>,
    ended: Option<(&'r Entity, Timestamp)>,
}

/// What is written to the tables of one kind.
#[derive(Default)]
pub(crate) struct Group<'r> {
    pub(crate) put: Vec<&'r Entity>,
    pub(crate) removed: Vec<&'r Entity>,
    /// With the time of the batch.
    pub(crate) ended: Vec<(&'r Entity, Timestamp)>,
}

/// Ended elements by definition, element and state. A batch has few different ones, however many of each.
pub(crate) type EndedElements<'r> = HashMap<(i64, &'r str, &'r str), i64>;

#[derive(Default)]
pub(crate) struct Net<'r> {
    rows: Vec<(EntityKind, NetRow<'r>)>,
    places: HashMap<RowId<'r>, usize>,
    /// Timers by due time and key, as ranges of them fire.
    timers: BTreeMap<(i64, i64), usize>,
    pub(crate) fired: Vec<FiredTimers>,
    pub(crate) ended_elements: EndedElements<'r>,
}

impl<'r> Net<'r> {
    /// Of the batches of one partition, in their order.
    pub(crate) fn of(partition: PartitionId, redos: impl IntoIterator<Item = &'r Redo>) -> Net<'r> {
        let mut net = Net::default();
        let mut known_key = None;
        for redo in redos {
            let known_key = *known_key.get_or_insert(redo.known_key);
            if let Some(fired) = redo.fired() {
                net.fire(fired);
            }
            for change in &redo.changes {
                net.add(change, redo.at, partition, known_key);
            }
        }
        net
    }

    /// Timers that were put before this batch go with the others of the range.
    fn fire(&mut self, fired: FiredTimers) {
        let after =
            fired.after.map_or(Bound::Unbounded, |after| Bound::Excluded((after.due_at.0, after.key.0)));
        let up_to = Bound::Included((fired.up_to.due_at.0, fired.up_to.key.0));
        for (_, place) in self.timers.range((after, up_to)) {
            self.rows[*place].1.live = Live::Untouched;
        }
        self.fired.push(fired);
    }

    fn add(&mut self, change: &'r Change, at: Timestamp, partition: PartitionId, known_key: u64) {
        let entity = change.entity();
        let kind = entity.kind();
        let id = RowId::of(entity);
        let place = *self.places.entry(id).or_insert_with(|| {
            let is_new = id.is_new(partition, known_key);
            self.rows.push((kind, NetRow { is_new, live: Live::Untouched, ended: None }));
            self.rows.len() - 1
        });
        if let Entity::Timer(timer) = entity {
            self.timers.insert((timer.due_at.0, timer.key.0), place);
        }
        let row = &mut self.rows[place].1;
        let gone = if row.is_new { Live::Untouched } else { Live::Removed(entity) };
        match (change, kind.ended()) {
            // Written once and never changed, however its change is called.
            (Change::Put(_) | Change::End { .. }, Ended::HistoryFromTheStart) | (Change::Put(_), _) => {
                row.live = Live::Put(entity);
            }
            (Change::Remove(_), _) => row.live = gone,
            (Change::End { was_stored, .. }, ended) => {
                if *was_stored || !matches!(row.live, Live::Untouched) {
                    row.live = gone;
                }
                if ended == Ended::History {
                    row.ended = Some((entity, at));
                }
                self.count(entity);
            }
        }
    }

    fn count(&mut self, entity: &'r Entity) {
        if let Some(element) = ElementInstance::of(entity) {
            let state = InstanceState::from(element.state).name();
            let key = (element.origin.definition.0, element.element_id.as_str(), state);
            *self.ended_elements.entry(key).or_default() += 1;
        }
    }

    pub(crate) fn groups(&self) -> BTreeMap<EntityKind, Group<'r>> {
        let mut groups: BTreeMap<EntityKind, Group<'r>> = BTreeMap::new();
        for (kind, row) in &self.rows {
            let group = groups.entry(*kind).or_default();
            match row.live {
                Live::Put(entity) => group.put.push(entity),
                Live::Removed(entity) => group.removed.push(entity),
                Live::Untouched => {}
            }
            group.ended.extend(row.ended);
        }
        groups
    }
}
