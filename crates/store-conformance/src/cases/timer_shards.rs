//! Service timers: the rows of a shard, who may write them, and a shard that runs on them.

use super::PARTITIONS;
use crate::{Place as Home, Session};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    BlockRange, Error, HolderId, NewInboxEntry, Result, SlotUse, Store, Supply, TimerBatch, TimerNeed,
};
use tidemill_timers::block::{self, Block, Flags, Kind, PlaceId, Scope};
use tidemill_timers::shard::{
    Batch, BlockId, BlockRow, Commit, Config, Create, DeliveryId, DeliveryRow, FIRST_KEPT_LANE, FailureId,
    FailureRow, Fence, Mode, Pause, Place, PlaceChange, PlaceState, Recovered, Request, Shard, Target,
    TargetRow,
};
use tidemill_timers::slot::LEVELS;
use tidemill_timers::{Position, Slot};

/// The shard of a partition in the hands of its owner.
struct Owner {
    store: Arc<dyn Store>,
    holder: HolderId,
    partition: PartitionId,
    fence: Fence,
}

impl Owner {
    async fn open(home: &dyn Home) -> Owner {
        let session = Session::open(home).await;
        Owner::of(session.store, session.fence.holder, PartitionId::FIRST).await
    }

    async fn of(store: Arc<dyn Store>, holder: HolderId, partition: PartitionId) -> Owner {
        let fence = Fence { partition: u32::from(partition.0), epoch: 0 };
        let mut owner = Owner { store, holder, partition, fence };
        owner.fence = owner.recover().await.expect("the shard came with the partition").fence;
        owner
    }

    async fn supply(&self, need: TimerNeed) -> Result<Supply> {
        self.store.supply_timers(self.partition, &self.holder, need).await
    }

    async fn recover(&self) -> Result<Recovered> {
        match self.supply(TimerNeed::Recover).await? {
            Supply::Recovered(recovered) => Ok(recovered),
            other => panic!("{other:?}"),
        }
    }

    fn batch(&self, id: i64) -> Batch {
        Batch {
            fence: self.fence,
            id,
            at_ms: 1_000,
            highest_key: 10 * id,
            mark: Position::new(100 * id, 7),
            block_inserts: Vec::new(),
            block_deletes: Vec::new(),
            places: Vec::new(),
            targets: Vec::new(),
            deliveries: Vec::new(),
            delivery_deletes: Vec::new(),
            commands: Vec::new(),
            failures: Vec::new(),
            failure_deletes: Vec::new(),
            fired: 0,
            first_due_ms: None,
            namespaces: Vec::new(),
        }
    }

    async fn try_commit(&self, batch: Batch) -> Result<Timestamp> {
        let (holder, outgoing) = (self.holder.clone(), Vec::new());
        self.store.commit_timers(TimerBatch { holder, batch, outgoing }).await
    }

    async fn commit(&self, batch: Batch) {
        self.try_commit(batch).await.expect("commits");
    }

    async fn blocks(&self, need: TimerNeed) -> (Vec<BlockId>, bool) {
        match self.supply(need).await.expect("reads") {
            Supply::Blocks { rows, is_last } => (rows.iter().map(|row| row.id).collect(), is_last),
            other => panic!("{other:?}"),
        }
    }
}

fn is_fenced<T: std::fmt::Debug>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Fenced { .. }))
}

fn id(level: u8, number: i64, kind: Kind, batch: i64, n: u32) -> BlockId {
    BlockId { slot: Slot { level, number }, kind, batch, n }
}

fn block_row(id: BlockId, first_key: i64, last_key: i64, count: u32) -> BlockRow {
    BlockRow { id, first_key, last_key, count, data: vec![id.kind as u8, id.n as u8, 0, 255] }
}

pub async fn a_shard_goes_with_its_partition(home: &dyn Home) {
    let store = home.open().await;
    let (first, second) = (HolderId::from("first"), HolderId::from("second"));
    let taken = store.acquire(PartitionId(2), &first, 60_000).await.expect("acquires").expect("it is free");
    let owner = Owner::of(store.clone(), first.clone(), PartitionId(2)).await;
    let stranger = Owner {
        store: store.clone(),
        holder: second.clone(),
        ..Owner::of(store.clone(), first.clone(), PartitionId(2)).await
    };
    assert!(is_fenced(owner.try_commit(owner.batch(1)).await), "whoever reads anew begins a new epoch");
    assert!(is_fenced(stranger.supply(TimerNeed::Recover).await), "another holder has it");
    let owner = Owner::of(store.clone(), first.clone(), PartitionId(2)).await;
    owner.commit(owner.batch(1)).await;
    let again =
        store.acquire(PartitionId(2), &first, 60_000).await.expect("acquires").expect("it is its own");
    owner.commit(owner.batch(2)).await;
    store.release(&taken.fence).await.expect_err("a fence of before");
    owner.commit(owner.batch(3)).await;
    store.release(&again.fence).await.expect("releases");
    assert!(is_fenced(owner.try_commit(owner.batch(4)).await), "it was given up");
    assert!(is_fenced(owner.supply(TimerNeed::Settle { batch: 3 }).await));
    store.acquire(PartitionId(2), &second, 60_000).await.expect("acquires").expect("it is free");
    assert!(is_fenced(owner.try_commit(owner.batch(5)).await), "another has taken it");
    let next = Owner::of(store, second, PartitionId(2)).await;
    let recovered = next.recover().await.expect("reads");
    assert_eq!((recovered.last_batch, recovered.highest_key), (3, 30));
    assert_eq!(recovered.mark, Position::new(300, 7));
}

pub async fn an_unknown_outcome_of_a_shard_is_settled(home: &dyn Home) {
    let owner = Owner::open(home).await;
    owner.commit(owner.batch(1)).await;
    let settle = |batch| owner.supply(TimerNeed::Settle { batch });
    let Supply::Settled { was_written, fence } = settle(1).await.expect("reads") else { panic!() };
    assert!(was_written && fence.epoch > owner.fence.epoch);
    assert!(is_fenced(owner.try_commit(owner.batch(2)).await), "what is still under way must not land");
    let Supply::Settled { was_written, fence } = settle(2).await.expect("reads") else { panic!() };
    assert!(!was_written);
    let owner = Owner { fence, ..owner };
    for number in 2..600 {
        owner.commit(owner.batch(number)).await;
    }
    let settled = owner.supply(TimerNeed::Settle { batch: 599 }).await.expect("reads");
    assert!(matches!(settled, Supply::Settled { was_written: true, .. }), "old batches go, new ones stay");
}

pub async fn blocks_come_in_pages(home: &dyn Home) {
    let owner = Owner::open(home).await;
    let ids = [
        id(0, 5, Kind::Tombstones, 1, 0),
        id(0, 5, Kind::Entries, 1, 0),
        id(0, 5, Kind::Entries, 1, 1),
        id(0, 5, Kind::Entries, 2, 0),
        id(0, 9, Kind::Entries, 2, 0),
        id(3, 1, Kind::Entries, 2, 0),
    ];
    for number in 1..=2 {
        let rows = ids.iter().filter(|id| id.batch == number).map(|id| block_row(*id, 1, 9, 100)).collect();
        owner.commit(Batch { block_inserts: rows, ..owner.batch(number) }).await;
    }
    let slot = Slot { level: 0, number: 5 };
    let blocks = |after, up_to_batch, entries_max| {
        owner.blocks(TimerNeed::Blocks { slot, after, up_to_batch, entries_max })
    };
    assert_eq!(blocks(None, i64::MAX, 1_000).await, (ids[..4].to_vec(), true));
    assert_eq!(blocks(None, 1, 1_000).await, (ids[..3].to_vec(), true));
    assert_eq!(blocks(None, i64::MAX, 200).await, (ids[..2].to_vec(), false));
    assert_eq!(blocks(Some(ids[1]), i64::MAX, 200).await, (ids[2..4].to_vec(), true));
    assert_eq!(blocks(Some(ids[1]), i64::MAX, 1).await, (ids[2..3].to_vec(), false), "one at least");
    assert_eq!(blocks(Some(ids[3]), i64::MAX, 1).await, (Vec::new(), true));
    let first = async |level, from| match owner.supply(TimerNeed::First { level, from }).await.expect("reads")
    {
        Supply::First(number) => number,
        other => panic!("{other:?}"),
    };
    assert_eq!((first(0, 0).await, first(0, 6).await, first(0, 10).await), (Some(5), Some(9), None));
    assert_eq!((first(3, 0).await, first(2, 0).await), (Some(1), None));
    owner.commit(Batch { block_deletes: ids[1..3].to_vec(), ..owner.batch(3) }).await;
    assert_eq!(blocks(None, i64::MAX, 1_000).await, (vec![ids[0], ids[3]], true));
    let Supply::Blocks { rows, .. } = owner
        .supply(TimerNeed::Blocks { slot, after: Some(ids[0]), up_to_batch: 9, entries_max: 1 })
        .await
        .expect("reads")
    else {
        panic!()
    };
    assert_eq!(rows, [block_row(ids[3], 1, 9, 100)], "every field survives");
}

pub async fn the_blocks_of_a_timer_are_found(home: &dyn Home) {
    let owner = Owner::open(home).await;
    let due_ms = 1_700_000_000_123;
    let rows: Vec<BlockRow> = (0..LEVELS)
        .map(|level| {
            block_row(BlockId { slot: Slot::of(due_ms, level), ..id(0, 0, Kind::Entries, 1, 0) }, 10, 20, 50)
        })
        .collect();
    let other_keys = block_row(BlockId { n: 1, ..rows[0].id }, 21, 30, 50);
    let other_slot = block_row(id(0, rows[0].id.slot.number + 1, Kind::Entries, 1, 0), 10, 20, 50);
    let inserts = [rows.clone(), vec![other_keys, other_slot]].concat();
    owner.commit(Batch { block_inserts: inserts, ..owner.batch(1) }).await;
    let position = Position::new(due_ms, 15);
    let find = |after, entries_max| owner.blocks(TimerNeed::Find { position, after, entries_max });
    let coarsest_first: Vec<BlockId> = rows.iter().rev().map(|row| row.id).collect();
    assert_eq!(find(None, 1_000).await, (coarsest_first.clone(), true));
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let (ids, is_last) = find(after, 100).await;
        assert!(ids.len() <= 2);
        after = ids.last().copied().or(after);
        found.extend(ids);
        if is_last {
            break;
        }
    }
    assert_eq!(found, coarsest_first, "page by page");
}

fn place(id: PlaceId, key: i64) -> Place {
    Place { id, key, due_ms: 5, id_due_ms: 4, generation: 3, state: PlaceState::Paused }
}

pub async fn places_are_kept_by_id_and_key(home: &dyn Home) {
    let owner = Owner::open(home).await;
    let own = PlaceId::of_own_id(u128::MAX / 3);
    let places = [
        place(PlaceId::of_generated(7, 1_000), 7),
        place(PlaceId::of_generated(300, 1_000), 300),
        place(own, 9),
    ];
    let puts = places.iter().map(|place| PlaceChange::Put(*place)).collect();
    owner.commit(Batch { places: puts, ..owner.batch(1) }).await;
    let get = async |id| match owner.supply(TimerNeed::Place(id)).await.expect("reads") {
        Supply::Place(place) => place,
        other => panic!("{other:?}"),
    };
    for place in places {
        assert_eq!(get(place.id).await, Some(place), "every field survives");
    }
    let generated = async |after| match owner.supply(TimerNeed::Places { after }).await.expect("reads") {
        Supply::Places { rows, is_last } => (rows, is_last),
        other => panic!("{other:?}"),
    };
    assert_eq!(generated(None).await, (places[..2].to_vec(), true), "own ids are not among them");
    assert_eq!(generated(Some(places[0].id)).await, (places[1..2].to_vec(), true));
    // The id has gone to another timer, which the delete does not mean. Then a timer comes and goes with one batch.
    let changes = vec![
        PlaceChange::Put(place(own, 10)),
        PlaceChange::Delete { id: own, key: 9 },
        PlaceChange::Put(place(PlaceId::of_generated(8, 1_000), 8)),
        PlaceChange::Delete { id: PlaceId::of_generated(8, 1_000), key: 8 },
        PlaceChange::Delete { id: PlaceId::of_generated(7, 1_000), key: 7 },
        PlaceChange::Put(Place { generation: 4, ..places[1] }),
        PlaceChange::Put(Place { generation: 5, ..places[1] }),
    ];
    owner.commit(Batch { places: changes, ..owner.batch(2) }).await;
    assert_eq!(get(own).await, Some(place(own, 10)));
    assert_eq!(generated(None).await, (vec![Place { generation: 5, ..places[1] }], true));
}

pub async fn deliveries_wait_in_lanes(home: &dyn Home) {
    let owner = Owner::open(home).await;
    let row = |lane, batch, n| DeliveryRow {
        id: DeliveryId { lane, batch, n },
        first_key: 3,
        count: 10,
        data: vec![1, 2, n as u8],
    };
    let rows = vec![row(2, 1, 0), row(2, 1, 1), row(9, 1, 0)];
    let target = |id| TargetRow { id, hash: u128::MAX - u128::from(id), lane: 2, data: vec![0, id as u8] };
    let failure = FailureRow { key: 1, generation: 0, at_ms: 5, reason: "a \0 b".into(), data: vec![1] };
    let scope = Scope { tenant: "t".into(), namespace: "n".into() };
    let pause = Pause { since: Position::new(4, 5), is_resuming: true };
    let batch = Batch {
        deliveries: rows.clone(),
        targets: vec![target(1), target(2)],
        failures: vec![failure.clone(), FailureRow { key: 2, ..failure.clone() }],
        namespaces: vec![(scope.clone(), Some(pause))],
        ..owner.batch(1)
    };
    owner.commit(batch).await;
    let page = async |lane, after, entries_max| {
        let page = owner.store.deliveries(owner.partition, lane, after, entries_max).await.expect("reads");
        (page.rows, page.is_last)
    };
    assert_eq!(page(2, None, 100).await, (rows[..2].to_vec(), true));
    assert_eq!(page(2, None, 10).await, (rows[..1].to_vec(), false));
    assert_eq!(page(2, None, 1).await, (rows[..1].to_vec(), false), "one at least");
    assert_eq!(page(2, Some(rows[0].id), 10).await, (rows[1..2].to_vec(), true));
    let lane = async |from| owner.store.next_lane(owner.partition, from).await.expect("reads");
    assert_eq!((lane(0).await, lane(3).await, lane(10).await), (Some(2), Some(9), None));
    let mut targets = owner.store.timer_targets(owner.partition, &[2, 1, 77]).await.expect("reads");
    targets.sort_by_key(|target| target.id);
    assert_eq!(targets, [target(1), target(2)]);
    let recovered = owner.recover().await.expect("reads");
    assert_eq!(recovered.namespaces, [(scope.clone(), pause)]);
    assert_eq!(recovered.targets.len(), 2);
    let owner = Owner { fence: recovered.fence, ..owner };
    let batch = Batch {
        delivery_deletes: vec![rows[0].id, rows[2].id],
        failures: vec![failure],
        namespaces: vec![(scope, None)],
        ..owner.batch(2)
    };
    owner.commit(batch).await;
    let left = owner.store.deliveries(owner.partition, 2, None, 100).await.expect("reads");
    assert_eq!(left.rows, rows[1..2]);
    assert_eq!(owner.recover().await.expect("reads").namespaces, []);
}

/// The reads for searches and operators show the rows of timers.
pub async fn rows_of_timers_can_be_looked_at(home: &dyn Home) {
    let owner = Owner::open(home).await;
    let (store, partition) = (&owner.store, owner.partition);
    let block = |level, number, kind, batch, n| BlockRow {
        id: BlockId { slot: Slot { level, number }, kind, batch, n },
        first_key: 1,
        last_key: 9,
        count: 5,
        data: vec![7; 10],
    };
    let blocks = vec![
        block(0, 4, Kind::Tombstones, 1, 0),
        block(0, 4, Kind::Entries, 1, 0),
        block(0, 4, Kind::Entries, 1, 1),
        block(0, 6, Kind::Entries, 1, 0),
        block(3, 1, Kind::Entries, 1, 0),
    ];
    let failure = |key, generation| FailureRow {
        key,
        generation,
        at_ms: 5,
        reason: "gone".into(),
        data: vec![key as u8],
    };
    let failures = vec![failure(1, 2), failure(2, 0), failure(2, 1)];
    let delivery = |lane, n| DeliveryRow {
        id: DeliveryId { lane, batch: 1, n },
        first_key: 3,
        count: 10,
        data: vec![1],
    };
    let own = PlaceId::of_own_id(9);
    let place = Place { id: own, key: 3, due_ms: 4, id_due_ms: 4, generation: 1, state: PlaceState::Paused };
    let scope = Scope { tenant: "t".into(), namespace: "n".into() };
    let pause = Pause { since: Position::new(4, 5), is_resuming: false };
    owner
        .commit(Batch {
            block_inserts: blocks.clone(),
            failures: failures.clone(),
            deliveries: vec![delivery(2, 0), delivery(2, 1), delivery(u32::MAX, 0)],
            places: vec![PlaceChange::Put(place)],
            namespaces: vec![(scope.clone(), Some(pause))],
            ..owner.batch(1)
        })
        .await;
    let state = store.timer_shard(partition).await.expect("reads");
    assert_eq!((state.last_batch, state.namespaces), (1, vec![(scope, pause)]));
    let range = |after, blocks_max| BlockRange {
        level: 0,
        kind: Kind::Entries,
        first_slot: 4,
        last_slot: 6,
        batches_after: 0,
        after,
        blocks_max,
    };
    let read = async |range| store.timer_blocks(partition, range).await.expect("reads");
    assert_eq!(read(range(None, 9)).await, blocks[1..4]);
    assert_eq!(read(range(None, 2)).await, blocks[1..3]);
    assert_eq!(read(range(Some(blocks[1].id), 9)).await, blocks[2..4]);
    assert_eq!(read(BlockRange { last_slot: 5, ..range(None, 9) }).await, blocks[1..3]);
    assert_eq!(read(BlockRange { batches_after: 1, ..range(None, 9) }).await, []);
    let slots = store.timer_slots(partition, None, 2).await.expect("reads");
    let used = |kind, blocks, entries| {
        let (slot, bytes) = (Slot { level: 0, number: 4 }, 10 * blocks);
        SlotUse { slot, kind, blocks, entries, bytes }
    };
    assert_eq!(slots, [used(Kind::Tombstones, 1, 5), used(Kind::Entries, 2, 10)]);
    let after = slots.last().map(|used| (used.slot, used.kind));
    let slots = store.timer_slots(partition, after, 9).await.expect("reads");
    assert_eq!(slots.iter().map(|used| used.slot.level).collect::<Vec<_>>(), [0, 3]);
    let lanes = store.timer_lanes(partition).await.expect("reads");
    let told: Vec<_> = lanes.iter().map(|lane| (lane.lane, lane.rows, lane.entries)).collect();
    assert_eq!(told, [(2, 2, 20), (u32::MAX, 1, 10)]);
    let places = store.timer_places(partition, &[own, PlaceId::of_own_id(1)]).await.expect("reads");
    assert_eq!(places, [place]);
    let page = async |after, rows_max| store.timer_failures(partition, after, rows_max).await.expect("reads");
    assert_eq!(page(None, 2).await, failures[..2]);
    let second = FailureId { key: 2, generation: 0 };
    assert_eq!(page(Some(second), 9).await, failures[2..]);
    owner.commit(Batch { failure_deletes: vec![second], ..owner.batch(2) }).await;
    assert_eq!(page(None, 9).await, [failures[0].clone(), failures[2].clone()]);
}

pub async fn commands_of_timers_wait_in_the_inbox(home: &dyn Home) {
    let owner = Owner::open(home).await;
    let entry = |number: u8| NewInboxEntry {
        partition: PartitionId(u16::from(number) % PARTITIONS + 1),
        received_at: Timestamp(1),
        payload: vec![number],
    };
    let (holder, outgoing) = (owner.holder.clone(), vec![entry(1), entry(2)]);
    let stale = Batch { fence: Fence { epoch: 0, ..owner.fence }, ..owner.batch(1) };
    let refused = TimerBatch { holder: holder.clone(), batch: stale, outgoing: outgoing.clone() };
    assert!(is_fenced(owner.store.commit_timers(refused).await));
    let written = TimerBatch { holder, batch: owner.batch(1), outgoing };
    owner.store.commit_timers(written).await.expect("commits");
    for number in [1, 2] {
        let waiting = owner.store.waiting(entry(number).partition, 10).await.expect("reads");
        let payloads: Vec<&[u8]> = waiting.iter().map(|entry| &entry.payload[..]).collect();
        assert_eq!(payloads, [[number]], "once, and not from what was refused");
    }
}

/// A shard as its loop runs it: reads, commits, and a crash in the middle. Every timer fires once.
pub async fn a_shard_runs_on_the_store(home: &dyn Home) {
    const TIMERS: i64 = 3_000;
    const START_MS: i64 = 1_700_000_000_000;
    let mut owner = Owner::open(home).await;
    let config = Config { block_entries_max: 50, merge_blocks_min: 4, ..Config::default() };
    let (mut shard, mut now_ms, mut fired) = (Shard::new(config), START_MS, BTreeMap::new());
    for step in 0..60 {
        for _ in 0..20 {
            for (number, need) in shard.needs(now_ms) {
                let supply = owner.supply(need).await.expect("reads");
                if let Supply::Recovered(recovered) = &supply {
                    owner.fence = recovered.fence;
                }
                shard.supply(number, supply, now_ms).expect("nothing is damaged");
            }
            if let Some(batch) = shard.close(now_ms) {
                note_fired(&batch, &mut fired);
                owner.commit(batch).await;
                shard.landed(Commit::Written);
            }
        }
        if step < 10 {
            let creates = (0..TIMERS / 10).map(|n| create(now_ms + spread_ms(step * TIMERS / 10 + n)));
            shard.offer(step as u64, Request::CreateAll(creates.collect())).expect("there is room");
        }
        if step == 30 {
            shard = Shard::new(config);
        }
        now_ms = shard
            .wake_at_ms()
            .unwrap_or(now_ms)
            .max(now_ms + if step < 12 { 700 } else { 1 << step.min(40) });
    }
    assert_eq!(fired.len() as i64, TIMERS, "each has fired");
    assert!(fired.values().all(|times| *times == 1), "and once");
    for level in 0..LEVELS {
        let left = owner.supply(TimerNeed::First { level, from: 0 }).await.expect("reads");
        assert_eq!(left, Supply::First(None), "level {level} is empty in the end");
    }
}

/// From a moment to years.
fn spread_ms(nth: i64) -> i64 {
    (1 << (nth % 37)) + nth % 1_000
}

fn create(due_ms: i64) -> Create {
    let scope = Arc::new(Scope { tenant: "t".into(), namespace: "n".into() });
    let target = Target { lane: FIRST_KEPT_LANE, data: Arc::from(&b"somewhere"[..]) };
    let (own_id, mode, scheduled_ms) = (None, Mode::Fail, None);
    Create { own_id, mode, scope, due_ms, scheduled_ms, target, flags: Flags(0), payload: Box::default() }
}

fn note_fired(batch: &Batch, fired: &mut BTreeMap<i64, u32>) {
    for row in &batch.deliveries {
        let Ok(Block::Entries(entries)) = block::decode(&row.data) else { panic!("deliveries are entries") };
        for entry in entries {
            assert!(entry.due_ms <= batch.at_ms, "early");
            *fired.entry(entry.key).or_default() += 1;
        }
    }
}
