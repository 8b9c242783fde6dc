//! One batch of a shard: one transaction, sent in one flush, with one statement for each table that it touches.

use crate::call::{Call, Param};
use crate::commit::append_call;
use std::borrow::Cow;
use tidemill_model::PartitionId;
use tidemill_store::{TIMER_BATCHES_KEPT, TimerBatch};
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{
    Batch, BlockId, BlockRow, DeliveryId, DeliveryRow, FailureId, FailureRow, Pause, Place, PlaceChange,
    TargetRow,
};

const BATCH: &str = "INSERT INTO timer_batches (partition_id, batch_id, at, highest_key, mark_due, mark_key) \
    VALUES ($1, $2, $3, $4, $5, $6)";

const OLD_BATCHES: &str = "DELETE FROM timer_batches WHERE partition_id = $1 AND batch_id < $2";

/// Columns as arrays: the statement is the same for any number of rows, so it is prepared once.
const BLOCKS: &str = "INSERT INTO timer_blocks \
    (partition_id, level, slot, kind, batch_id, n, first_key, last_key, count, data) \
    SELECT $1, u.* FROM unnest($2::smallint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[], \
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bytea[]) u";

/// One by one through the primary key, whatever the planner thinks of the size of the table.
const DELETE_BLOCKS: &str = "DELETE FROM timer_blocks WHERE ctid = ANY(ARRAY(SELECT x.place \
    FROM unnest($2::smallint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[]) \
    k(level, slot, kind, batch_id, n) CROSS JOIN LATERAL (SELECT ctid AS place FROM timer_blocks b \
    WHERE b.partition_id = $1 AND b.level = k.level AND b.slot = k.slot AND b.kind = k.kind \
    AND b.batch_id = k.batch_id AND b.n = k.n OFFSET 0) x))";

/// A timer that moves keeps its id, so its place is overwritten.
const PUT_PLACES: &str = "INSERT INTO timer_places (partition_id, id, key, due_at, id_due_at, generation, state) \
    SELECT $1, u.* FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], \
    $7::smallint[]) u ON CONFLICT (partition_id, id) DO UPDATE SET key = excluded.key, \
    due_at = excluded.due_at, id_due_at = excluded.id_due_at, generation = excluded.generation, \
    state = excluded.state";

/// With the key, because the id may belong to a newer timer by now: that one stays.
const DELETE_PLACES: &str = "DELETE FROM timer_places WHERE ctid = ANY(ARRAY(SELECT x.place \
    FROM unnest($2::bytea[], $3::bigint[]) k(id, key) CROSS JOIN LATERAL (SELECT ctid AS place \
    FROM timer_places p WHERE p.partition_id = $1 AND p.id = k.id AND p.key = k.key OFFSET 0) x))";

/// No conflict is provided for: the shard gives out numbers of targets, and one that is used twice is a defect.
const TARGETS: &str = "INSERT INTO timer_targets (partition_id, target_id, hash, lane, data) \
    SELECT $1, u.* FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[]) u";

const DELIVERIES: &str = "INSERT INTO timer_deliveries \
    (partition_id, lane, batch_id, n, first_key, count, data) SELECT $1, u.* FROM \
    unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[]) u";

/// One by one through the primary key, as blocks are.
const DELETE_DELIVERIES: &str = "DELETE FROM timer_deliveries WHERE ctid = ANY(ARRAY(SELECT x.place \
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) k(lane, batch_id, n) CROSS JOIN LATERAL \
    (SELECT ctid AS place FROM timer_deliveries d WHERE d.partition_id = $1 AND d.lane = k.lane \
    AND d.batch_id = k.batch_id AND d.n = k.n OFFSET 0) x))";

/// The same failure may be told twice, after a crash between the delivery and its end.
const FAILURES: &str = "INSERT INTO timer_failures (partition_id, key, generation, at, reason, data) \
    SELECT $1, u.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bytea[]) u \
    ON CONFLICT (partition_id, key, generation) DO UPDATE SET at = excluded.at, reason = excluded.reason, \
    data = excluded.data";

const DELETE_FAILURES: &str = "DELETE FROM timer_failures f USING unnest($2::bigint[], $3::bigint[]) k(key, generation) \
    WHERE f.partition_id = $1 AND f.key = k.key AND f.generation = k.generation";

const PAUSE: &str = "INSERT INTO timer_namespaces \
    (partition_id, tenant, namespace, since_due, since_key, is_resuming) VALUES ($1, $2, $3, $4, $5, $6) \
    ON CONFLICT (partition_id, tenant, namespace) DO UPDATE SET since_due = excluded.since_due, \
    since_key = excluded.since_key, is_resuming = excluded.is_resuming";

const END_PAUSE: &str =
    "DELETE FROM timer_namespaces WHERE partition_id = $1 AND tenant = $2 AND namespace = $3";

/// The last statement before COMMIT. It fails by dividing by zero where the fence is stale. `FOR SHARE` holds back whoever
/// takes over until this transaction is visible.
const FENCE: &str = "SELECT 1 / count(*), (extract(epoch FROM clock_timestamp()) * 1000)::bigint \
    FROM (SELECT 1 FROM timer_shards WHERE partition_id = $1 AND epoch = $2 AND holder = $3 FOR SHARE) s";

pub(super) fn calls(timers: &TimerBatch) -> Vec<Call<'_>> {
    let (partition, batch) = (timers.partition(), &timers.batch);
    let mut calls = batch_calls(partition, batch);
    calls.extend(filled(&batch.block_deletes, |ids| delete_blocks(partition, ids)));
    calls.extend(filled(&batch.block_inserts, |rows| insert_blocks(partition, rows)));
    calls.extend(place_calls(partition, &batch.places));
    calls.extend(filled(&batch.targets, |rows| insert_targets(partition, rows)));
    calls.extend(filled(&batch.delivery_deletes, |ids| delete_deliveries(partition, ids)));
    calls.extend(filled(&batch.deliveries, |rows| insert_deliveries(partition, rows)));
    calls.extend(filled(&batch.failure_deletes, |ids| delete_failures(partition, ids)));
    calls.extend(filled(&batch.failures, |rows| insert_failures(partition, rows)));
    calls.extend(batch.namespaces.iter().map(|(scope, pause)| namespace(partition, scope, pause.as_ref())));
    calls.extend(filled(&timers.outgoing, append_call));
    let fence = [partition.into(), (batch.fence.epoch as i64).into(), timers.holder.as_str().into()];
    calls.push(Call::new(FENCE, fence));
    calls
}

/// A statement for rows, where there are any.
fn filled<'b, T>(rows: &'b [T], call: impl FnOnce(&'b [T]) -> Call<'b>) -> Option<Call<'b>> {
    (!rows.is_empty()).then(|| call(rows))
}

/// Old rows go a few hundred at a time, so that the table stays small and most commits delete nothing.
fn batch_calls<'b>(partition: PartitionId, batch: &Batch) -> Vec<Call<'b>> {
    let params = [
        partition.into(),
        batch.id.into(),
        batch.at_ms.into(),
        batch.highest_key.into(),
        batch.mark.due_ms.into(),
        batch.mark.key.into(),
    ];
    let mut calls = vec![Call::new(BATCH, params)];
    if batch.id % TIMER_BATCHES_KEPT == 0 {
        calls.push(Call::new(OLD_BATCHES, [partition.into(), (batch.id - TIMER_BATCHES_KEPT).into()]));
    }
    calls
}

/// A column of numbers.
fn numbers<'b, T>(rows: &[T], number: impl Fn(&T) -> i64) -> Param<'b> {
    Param::Keys(rows.iter().map(number).collect())
}

fn smalls<'b, T>(rows: &[T], number: impl Fn(&T) -> u8) -> Param<'b> {
    Param::Smalls(rows.iter().map(|row| i16::from(number(row))).collect())
}

fn blobs<'b, T>(rows: &'b [T], bytes: impl Fn(&'b T) -> &'b [u8]) -> Param<'b> {
    Param::Blobs(rows.iter().map(|row| Cow::Borrowed(bytes(row))).collect())
}

fn words<'b, T>(rows: &[T], word: impl Fn(&T) -> u128) -> Param<'b> {
    Param::Blobs(rows.iter().map(|row| Cow::Owned(word(row).to_be_bytes().to_vec())).collect())
}

fn insert_blocks(partition: PartitionId, rows: &[BlockRow]) -> Call<'_> {
    let params = [
        partition.into(),
        smalls(rows, |row| row.id.slot.level),
        numbers(rows, |row| row.id.slot.number),
        smalls(rows, |row| row.id.kind as u8),
        numbers(rows, |row| row.id.batch),
        numbers(rows, |row| i64::from(row.id.n)),
        numbers(rows, |row| row.first_key),
        numbers(rows, |row| row.last_key),
        numbers(rows, |row| i64::from(row.count)),
        blobs(rows, |row| &row.data),
    ];
    Call::new(BLOCKS, params)
}

fn delete_blocks(partition: PartitionId, ids: &[BlockId]) -> Call<'_> {
    let params = [
        partition.into(),
        smalls(ids, |id| id.slot.level),
        numbers(ids, |id| id.slot.number),
        smalls(ids, |id| id.kind as u8),
        numbers(ids, |id| id.batch),
        numbers(ids, |id| i64::from(id.n)),
    ];
    Call::new(DELETE_BLOCKS, params)
}

/// One statement may not change a row twice, so the last change of each place counts. Every delete names the key of the timer that
/// has the place before the batch or since one of its own puts.
fn place_calls<'b>(partition: PartitionId, changes: &[PlaceChange]) -> Vec<Call<'b>> {
    let mut last: std::collections::BTreeMap<u128, Option<Place>> = std::collections::BTreeMap::new();
    let mut deletes: Vec<(u128, i64)> = Vec::new();
    for change in changes {
        match change {
            PlaceChange::Put(place) => {
                last.insert(place.id.0, Some(*place));
            }
            PlaceChange::Delete { id, key } => {
                let put = last.get(&id.0).copied().flatten();
                if put.is_none_or(|put| put.key == *key) {
                    last.remove(&id.0);
                }
                deletes.push((id.0, *key));
            }
        }
    }
    let puts: Vec<Place> = last.into_values().flatten().collect();
    let mut calls = Vec::new();
    if !deletes.is_empty() {
        let params = [partition.into(), words(&deletes, |(id, _)| *id), numbers(&deletes, |(_, key)| *key)];
        calls.push(Call::new(DELETE_PLACES, params));
    }
    if !puts.is_empty() {
        let params = [
            partition.into(),
            words(&puts, |place| place.id.0),
            numbers(&puts, |place| place.key),
            numbers(&puts, |place| place.due_ms),
            numbers(&puts, |place| place.id_due_ms),
            numbers(&puts, |place| i64::from(place.generation)),
            smalls(&puts, |place| place.state.code()),
        ];
        calls.push(Call::new(PUT_PLACES, params));
    }
    calls
}

fn insert_targets(partition: PartitionId, rows: &[TargetRow]) -> Call<'_> {
    let params = [
        partition.into(),
        numbers(rows, |row| i64::from(row.id)),
        words(rows, |row| row.hash),
        numbers(rows, |row| i64::from(row.lane)),
        blobs(rows, |row| &row.data),
    ];
    Call::new(TARGETS, params)
}

fn insert_deliveries(partition: PartitionId, rows: &[DeliveryRow]) -> Call<'_> {
    let params = [
        partition.into(),
        numbers(rows, |row| i64::from(row.id.lane)),
        numbers(rows, |row| row.id.batch),
        numbers(rows, |row| i64::from(row.id.n)),
        numbers(rows, |row| row.first_key),
        numbers(rows, |row| i64::from(row.count)),
        blobs(rows, |row| &row.data),
    ];
    Call::new(DELIVERIES, params)
}

fn delete_deliveries(partition: PartitionId, ids: &[DeliveryId]) -> Call<'_> {
    let params = [
        partition.into(),
        numbers(ids, |id| i64::from(id.lane)),
        numbers(ids, |id| id.batch),
        numbers(ids, |id| i64::from(id.n)),
    ];
    Call::new(DELETE_DELIVERIES, params)
}

fn delete_failures(partition: PartitionId, ids: &[FailureId]) -> Call<'_> {
    let params = [partition.into(), numbers(ids, |id| id.key), numbers(ids, |id| i64::from(id.generation))];
    Call::new(DELETE_FAILURES, params)
}

fn insert_failures(partition: PartitionId, rows: &[FailureRow]) -> Call<'_> {
    // The text of a receiver may hold a NUL, which Postgres does not take.
    let reasons = rows.iter().map(|row| Some(Cow::Owned(row.reason.replace('\0', "\u{fffd}")))).collect();
    let params = [
        partition.into(),
        numbers(rows, |row| row.key),
        numbers(rows, |row| i64::from(row.generation)),
        numbers(rows, |row| row.at_ms),
        Param::Texts(reasons),
        blobs(rows, |row| &row.data),
    ];
    Call::new(FAILURES, params)
}

fn namespace<'b>(partition: PartitionId, scope: &'b Scope, pause: Option<&Pause>) -> Call<'b> {
    let (tenant, name) = (scope.tenant.as_str().into(), scope.namespace.as_str().into());
    match pause {
        Some(Pause { since, is_resuming }) => {
            let since = (since.due_ms.into(), since.key.into());
            let params = [partition.into(), tenant, name, since.0, since.1, Param::Bool(*is_resuming)];
            Call::new(PAUSE, params)
        }
        None => Call::new(END_PAUSE, [partition.into(), tenant, name]),
    }
}
