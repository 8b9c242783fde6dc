//! One batch of a shard, written inside the writer's transaction.

use crate::error::{Fault, Outcome};
use crate::ownership::now;
use rusqlite::{Connection, OptionalExtension, params};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Error, HolderId, TIMER_BATCHES_KEPT, TimerBatch};
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{
    Batch, BlockId, BlockRow, DeliveryId, DeliveryRow, FailureId, FailureRow, Fence, Pause, PlaceChange,
    TargetRow,
};

pub(super) fn batch(connection: &Connection, timers: &TimerBatch) -> Outcome<Timestamp> {
    let (partition, batch) = (timers.partition(), &timers.batch);
    crate::bench::note_statements(statements(timers));
    check_fence(connection, partition, &batch.fence, &timers.holder)?;
    insert_batch(connection, partition, batch)?;
    delete_blocks(connection, partition, &batch.block_deletes)?;
    insert_blocks(connection, partition, &batch.block_inserts)?;
    change_places(connection, partition, &batch.places)?;
    insert_targets(connection, partition, &batch.targets)?;
    delete_deliveries(connection, partition, &batch.delivery_deletes)?;
    insert_deliveries(connection, partition, &batch.deliveries)?;
    delete_failures(connection, partition, &batch.failure_deletes)?;
    insert_failures(connection, partition, &batch.failures)?;
    for (scope, pause) in &batch.namespaces {
        change_namespace(connection, partition, scope, pause.as_ref())?;
    }
    for entry in &timers.outgoing {
        crate::inbox::insert(connection, entry)?;
    }
    Ok(Timestamp(now()))
}

/// The fence, the batch, and one for each row.
fn statements(timers: &TimerBatch) -> usize {
    let batch = &timers.batch;
    2 + batch.block_deletes.len()
        + batch.block_inserts.len()
        + batch.places.len()
        + batch.targets.len()
        + batch.delivery_deletes.len()
        + batch.deliveries.len()
        + batch.failure_deletes.len()
        + batch.failures.len()
        + batch.namespaces.len()
        + timers.outgoing.len()
}

fn check_fence(
    connection: &Connection,
    partition: PartitionId,
    fence: &Fence,
    holder: &HolderId,
) -> Outcome<()> {
    let sql = "SELECT 1 FROM timer_shards WHERE partition_id = ?1 AND epoch = ?2 AND holder = ?3";
    let found: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row(params![partition.0, fence.epoch, holder.as_str()], |row| row.get(0))
        .optional()?;
    match found {
        Some(_) => Ok(()),
        None => Err(Fault::Store(Error::Fenced { partition, epoch: fence.epoch })),
    }
}

/// Old rows go a few hundred at a time, so that the table stays small and most commits delete nothing.
fn insert_batch(connection: &Connection, partition: PartitionId, batch: &Batch) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT INTO timer_batches (partition_id, batch_id, at, highest_key, mark_due, mark_key) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            partition.0,
            batch.id,
            batch.at_ms,
            batch.highest_key,
            batch.mark.due_ms,
            batch.mark.key
        ])?;
    if batch.id % TIMER_BATCHES_KEPT == 0 {
        connection
            .prepare_cached("DELETE FROM timer_batches WHERE partition_id = ?1 AND batch_id < ?2")?
            .execute(params![partition.0, batch.id - TIMER_BATCHES_KEPT])?;
    }
    Ok(())
}

fn insert_blocks(connection: &Connection, partition: PartitionId, rows: &[BlockRow]) -> Outcome<()> {
    let mut insert = connection
        .prepare_cached("INSERT INTO timer_blocks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
    for row in rows {
        let BlockId { slot, kind, batch, n } = row.id;
        insert.execute(params![
            partition.0,
            slot.level,
            slot.number,
            kind as u8,
            batch,
            n,
            row.first_key,
            row.last_key,
            row.count,
            row.data
        ])?;
    }
    Ok(())
}

fn delete_blocks(connection: &Connection, partition: PartitionId, ids: &[BlockId]) -> Outcome<()> {
    let mut delete = connection.prepare_cached(
        "DELETE FROM timer_blocks WHERE partition_id = ?1 AND level = ?2 AND slot = ?3 AND kind = ?4 \
         AND batch_id = ?5 AND n = ?6",
    )?;
    for BlockId { slot, kind, batch, n } in ids {
        delete.execute(params![partition.0, slot.level, slot.number, *kind as u8, batch, n])?;
    }
    Ok(())
}

fn change_places(connection: &Connection, partition: PartitionId, changes: &[PlaceChange]) -> Outcome<()> {
    let mut put = connection
        .prepare_cached("INSERT OR REPLACE INTO timer_places VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut delete = connection
        .prepare_cached("DELETE FROM timer_places WHERE partition_id = ?1 AND id = ?2 AND key = ?3")?;
    for change in changes {
        match change {
            PlaceChange::Put(place) => put.execute(params![
                partition.0,
                place.id.0.to_be_bytes(),
                place.key,
                place.due_ms,
                place.id_due_ms,
                place.generation,
                place.state.code()
            ])?,
            PlaceChange::Delete { id, key } => {
                delete.execute(params![partition.0, id.0.to_be_bytes(), key])?
            }
        };
    }
    Ok(())
}

fn insert_targets(connection: &Connection, partition: PartitionId, rows: &[TargetRow]) -> Outcome<()> {
    for row in rows {
        connection
            .prepare_cached("INSERT INTO timer_targets VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![partition.0, row.id, row.hash.to_be_bytes(), row.lane, row.data])?;
    }
    Ok(())
}

fn insert_deliveries(connection: &Connection, partition: PartitionId, rows: &[DeliveryRow]) -> Outcome<()> {
    for row in rows {
        let DeliveryId { lane, batch, n } = row.id;
        connection
            .prepare_cached("INSERT INTO timer_deliveries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
            .execute(params![partition.0, lane, batch, n, row.first_key, row.count, row.data])?;
    }
    Ok(())
}

fn delete_deliveries(connection: &Connection, partition: PartitionId, ids: &[DeliveryId]) -> Outcome<()> {
    for DeliveryId { lane, batch, n } in ids {
        connection
            .prepare_cached(
                "DELETE FROM timer_deliveries WHERE partition_id = ?1 AND lane = ?2 AND batch_id = ?3 AND n = ?4",
            )?
            .execute(params![partition.0, lane, batch, n])?;
    }
    Ok(())
}

/// The same failure may be told twice, after a crash between the delivery and its end.
fn delete_failures(connection: &Connection, partition: PartitionId, ids: &[FailureId]) -> Outcome<()> {
    let sql = "DELETE FROM timer_failures WHERE partition_id = ?1 AND key = ?2 AND generation = ?3";
    for id in ids {
        connection.prepare_cached(sql)?.execute(params![partition.0, id.key, id.generation])?;
    }
    Ok(())
}

fn insert_failures(connection: &Connection, partition: PartitionId, rows: &[FailureRow]) -> Outcome<()> {
    for row in rows {
        connection
            .prepare_cached("INSERT OR REPLACE INTO timer_failures VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![partition.0, row.key, row.generation, row.at_ms, row.reason, row.data])?;
    }
    Ok(())
}

fn change_namespace(
    connection: &Connection,
    partition: PartitionId,
    scope: &Scope,
    pause: Option<&Pause>,
) -> Outcome<()> {
    match pause {
        Some(Pause { since, is_resuming }) => connection
            .prepare_cached("INSERT OR REPLACE INTO timer_namespaces VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                partition.0,
                scope.tenant,
                scope.namespace,
                since.due_ms,
                since.key,
                is_resuming
            ])?,
        None => connection
            .prepare_cached(
                "DELETE FROM timer_namespaces WHERE partition_id = ?1 AND tenant = ?2 AND namespace = ?3",
            )?
            .execute(params![partition.0, scope.tenant, scope.namespace])?,
    };
    Ok(())
}
