//! A batch of service timers as writes.

use crate::keys::Keys;
use crate::timer_rows::*;
use crate::writes::{COMES, GOES, SORTED_SET, Writes, number};
use tidemill_store::{TIMER_BATCHES_KEPT, TimerBatch, pack};
use tidemill_timers::shard::{Batch, PlaceChange, TargetRow};

pub(super) fn head_of(timers: &TimerBatch) -> Vec<Vec<u8>> {
    let TimerBatch { holder, batch, .. } = timers;
    vec![
        holder.as_bytes().to_vec(),
        number(batch.fence.epoch),
        number(batch.id),
        number(batch.id - 2 * TIMER_BATCHES_KEPT + 1),
        number(batch.highest_key),
        number(batch.mark.due_ms),
        number(batch.mark.key),
    ]
}

/// True if a batch removes rows and adds none but what it still has to deliver.
pub(super) fn frees(timers: &TimerBatch) -> bool {
    let TimerBatch { batch, .. } = timers;
    batch.block_inserts.is_empty() && !batch.block_deletes.is_empty() || !batch.delivery_deletes.is_empty()
}

pub(super) fn write(writes: &mut Writes, keys: &Keys, batch: Batch) {
    for id in &batch.block_deletes {
        drop_member(writes, keys, "blocks", "block-data", &block_text(id));
    }
    for row in batch.block_inserts {
        put_member(
            writes,
            keys,
            ("blocks", BlockHead::text(&row)),
            ("block-data", block_text(&row.id)),
            row.data,
        );
    }
    let (places, ids) = (keys.named("places"), keys.named("place-ids"));
    for change in batch.places {
        match change {
            PlaceChange::Put(place) => {
                let field = place_field(place.id);
                if !place.id.is_own() {
                    writes.add(COMES, "ZADD", ids.clone(), ["0", &field]);
                }
                writes.add(COMES, "HSET", places.clone(), [field, place_text(&place)]);
            }
            PlaceChange::Delete { id, key } => {
                let args =
                    [number(writes.key(ids.clone(), SORTED_SET)), place_field(id).into_bytes(), number(key)];
                writes.alone(COMES, "unplace", places.clone(), args);
            }
        }
    }
    for TargetRow { id, hash, lane, data } in batch.targets {
        let stored = pack(&StoredTarget { hash: format!("{hash:x}"), lane, data });
        writes.add(COMES, "HSET", keys.named("timer-targets"), [number(id), stored]);
    }
    for id in &batch.delivery_deletes {
        drop_member(writes, keys, "deliveries", "delivery-data", &delivery_text(id));
    }
    for row in batch.deliveries {
        let id = delivery_text(&row.id);
        put_member(writes, keys, ("deliveries", DeliveryHead::text(&row)), ("delivery-data", id), row.data);
    }
    let failure_id = |key: i64, generation: u32| format!("{}{generation:08x}", hex(key));
    for id in &batch.failure_deletes {
        let id = failure_id(id.key, id.generation);
        drop_member(writes, keys, "timer-failures", "timer-failure-data", &id);
    }
    for row in batch.failures {
        let id = failure_id(row.key, row.generation);
        let stored = pack(&StoredFailure { at_ms: row.at_ms, reason: row.reason, data: row.data });
        let head = format!("{id}:{}:{}", row.key, row.generation);
        put_member(writes, keys, ("timer-failures", head), ("timer-failure-data", id), stored);
    }
    let namespaces = keys.named("timer-namespaces");
    for (scope, pause) in &batch.namespaces {
        match pause {
            Some(pause) => {
                writes.add(COMES, "HSET", namespaces.clone(), [scope_field(scope), pause_text(pause)]);
            }
            None => writes.alone(COMES, "HDEL", namespaces.clone(), [scope_field(scope)]),
        }
    }
}

fn put_member(writes: &mut Writes, keys: &Keys, head: (&str, String), field: (&str, String), data: Vec<u8>) {
    writes.add(COMES, "ZADD", keys.named(head.0), ["0".to_owned(), head.1]);
    writes.add(COMES, "HSET", keys.named(field.0), [field.1.into_bytes(), data]);
}

/// Heads begin with their id and a colon.
fn drop_member(writes: &mut Writes, keys: &Keys, set: &str, hash: &str, id: &str) {
    writes.alone(GOES, "ZREMRANGEBYLEX", keys.named(set), [format!("[{id}:"), format!("({id};")]);
    writes.add(GOES, "HDEL", keys.named(hash), [id]);
}
