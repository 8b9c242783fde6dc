//! The reads and writes of a driver, done at once: the store in memory never waits.

use super::HERE;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tidemill_engine::InstanceEnd;
use tidemill_model::entity::InstanceState;
use tidemill_model::{Command, Entity, Need, ProcessInstanceKey, Timestamp};
use tidemill_partition::{Brought, Event, Opened, Read, Recovered, late_note_key, noted_batch, unpack_log};
use tidemill_store::query::{Filter, Page, ProcessInstanceField, Search, Test, Value};
use tidemill_store::view::ProcessInstanceView;
use tidemill_store::*;
use tidemill_store_memory::MemoryStore;

const LEASE_MS: u64 = 10_000;

/// The answer of a store that never waits.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the store in memory answers at once"),
    }
}

pub fn open(store: &MemoryStore, holder: &HolderId) -> Option<Opened> {
    let owned = now(store.acquire(HERE, holder, LEASE_MS)).expect("the store works")?;
    let note = now(store.in_hand(HERE)).expect("the store works");
    let noted = note.as_deref().and_then(noted_batch);
    let noted_batch_is_there = noted.is_some_and(|batch| has_batch(store, batch));
    Some(Opened { count: store.partition_count(), owned, leases: leases(store), note, noted_batch_is_there })
}

pub fn has_batch(store: &MemoryStore, batch: BatchId) -> bool {
    now(store.has_batch(HERE, batch)).expect("the store works")
}

fn leases(store: &MemoryStore) -> Vec<Entity> {
    load(store, Need::Leases)
}

pub fn load(store: &MemoryStore, need: Need) -> Vec<Entity> {
    now(store.load(HERE, &[need], LIST_ROWS_MAX)).expect("the store works").swap_remove(0).entities
}

pub fn release(store: &MemoryStore, fence: &Fence) {
    now(store.release(fence)).expect("the partition is this owner's");
}

pub fn commit(store: &MemoryStore, batch: Batch) -> Result<Committed> {
    now(store.commit(batch))
}

pub fn confirm(store: &MemoryStore, fence: &Fence) -> Result<Option<Timestamp>> {
    now(store.renew(std::slice::from_ref(fence), LEASE_MS))
}

pub fn answer(store: &MemoryStore, holder: &HolderId, fence: &Fence, read: Read) -> Event {
    let result = match read {
        Read::Rows(needs) => now(store.load(HERE, &needs, LIST_ROWS_MAX)).map(|loaded| Brought::Rows {
            rows: needs.into_iter().zip(loaded).collect(),
            processes: Vec::new(),
        }),
        Read::Remains(instances) => now(store.remains(&instances))
            .map(|remains| Brought::Remains(instances.into_iter().zip(remains).collect())),
        Read::Keys(keys_min) => now(store.reserve_keys(fence, keys_min)).map(Brought::Keys),
        Read::Answers(keys) => now(store.answers(HERE, &keys)).map(|answers| Brought::Answers(keys, answers)),
        Read::LateNotes(numbers) => {
            let keys: Vec<_> = numbers.iter().map(|number| late_note_key(*number)).collect();
            now(store.answers(HERE, &keys))
                .map(|notes| Brought::LateNotes(numbers.into_iter().zip(notes).collect()))
        }
        Read::Ends(instances) => Ok(Brought::Ends(ends(store, &instances))),
        Read::Inbox { limit } => {
            now(store.waiting(HERE, limit)).map(|entries| Brought::Inbox { entries, limit })
        }
        Read::Timers { id, after, until, limit } => {
            now(store.timers(HERE, after, until, limit)).map(|page| Brought::Timers { id, page })
        }
        Read::Note { note, .. } => now(store.note_in_hand(fence, note)).map(|()| Brought::Noted),
        Read::Recovery { batch } => return recovery(store, holder, batch),
    };
    result.map_or_else(Event::Failed, Event::Read)
}

fn recovery(store: &MemoryStore, holder: &HolderId, batch: Option<BatchId>) -> Event {
    let batch_is_there = batch.is_some_and(|batch| has_batch(store, batch));
    match now(store.acquire(HERE, holder, LEASE_MS)) {
        Ok(Some(owned)) => {
            let definitions_version = now(store.definitions_version()).expect("the store works");
            let leases = leases(store);
            Event::Recovered(Box::new(Recovered { owned, leases, batch_is_there, definitions_version }))
        }
        Ok(None) => {
            let error = Error::Fenced { partition: HERE, epoch: 0 };
            let definitions_version = Some(now(store.definitions_version()).expect("the store works"));
            Event::Lost { error, batch_is_there: Some(batch_is_there), definitions_version }
        }
        Err(error) => Event::Lost { error, batch_is_there: None, definitions_version: None },
    }
}

fn ends(store: &MemoryStore, keys: &[ProcessInstanceKey]) -> Vec<InstanceEnd> {
    let keys = keys.iter().map(|key| Value::from(key.0)).collect();
    let filter = Filter::default().is(ProcessInstanceField::Key, Test::In(keys));
    let search = Search::of(filter).page(Page { limit: 1_000, ..Page::default() });
    let found = now(store.process_instances(&search)).expect("the store works").items;
    let ended = found.into_iter().filter(|instance| instance.ended_at.is_some());
    let end = |instance: ProcessInstanceView| InstanceEnd {
        instance: instance.key,
        is_completed: instance.state == InstanceState::Completed,
    };
    ended.map(end).collect()
}

/// Every batch that was written, in order.
pub fn batches(store: &MemoryStore) -> Vec<LoggedBatch> {
    let range = LogRange {
        at: Timestamp(i64::MIN)..Timestamp(i64::MAX),
        ids: (BatchId(i64::MIN), BatchId(i64::MAX)),
        is_newest_first: false,
    };
    now(store.log(HERE, &range, usize::MAX)).expect("the store works")
}

/// Every command that was written, in order.
pub fn log(store: &MemoryStore) -> Vec<Command> {
    let commands = |batch: &LoggedBatch| unpack_log(&batch.log).expect("it was packed so").0;
    batches(store).iter().flat_map(commands).collect()
}

pub fn letters(store: &MemoryStore) -> Vec<StoredLetter> {
    now(store.dead_letters(None, 1_000)).expect("the store works")
}
