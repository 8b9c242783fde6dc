//! One batch of a shard, written inside the writer's transaction.

use crate::error::{Fault, Outcome};
use crate::ownership::now;
use rusqlite::{Connection, OptionalExtension, Statement, params};
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
    // A loop that has lost its shard must not write a row. The writer runs one transaction at a time, so the
    // fence cannot change before the commit.
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
    // Timers that tell a process become commands here. A command is in the inbox exactly if its timer is gone, so it runs once.
    for entry in &timers.outgoing {
        crate::inbox::insert(connection, entry)?;
    }
    Ok(Timestamp(now()))
}

/// The fence, the batch, and one for each group of blocks and for each other row.
fn statements(timers: &TimerBatch) -> usize {
    let batch = &timers.batch;
    2 + groups(&batch.block_deletes).count()
        + groups(&batch.block_inserts).count()
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

/// The row names the batch for `Settle`, and carries the mark and the highest key that a new owner begins
/// with.
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

/// Rows as groups for one statement each: as large as possible, of few sizes, so that their statements stay prepared.
fn groups<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let size = [16, 4, 2, 1].into_iter().find(|size| *size <= rest.len())?;
        let (group, others) = rest.split_at(size);
        rest = others;
        Some(group)
    })
}

fn insert_blocks(connection: &Connection, partition: PartitionId, rows: &[BlockRow]) -> Outcome<()> {
    for group in groups(rows) {
        let values = vec!["(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"; group.len()].join(", ");
        let mut insert = connection.prepare_cached(&format!("INSERT INTO timer_blocks VALUES {values}"))?;
        for (nth, row) in group.iter().enumerate() {
            let at = bind_id(&mut insert, 10 * nth, partition, row.id)?;
            insert.raw_bind_parameter(at + 1, row.first_key)?;
            insert.raw_bind_parameter(at + 2, row.last_key)?;
            insert.raw_bind_parameter(at + 3, row.count)?;
            insert.raw_bind_parameter(at + 4, &row.data)?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

/// Exactly these: each is looked up by its whole id.
fn delete_blocks(connection: &Connection, partition: PartitionId, ids: &[BlockId]) -> Outcome<()> {
    for group in groups(ids) {
        let values = vec!["(?, ?, ?, ?, ?, ?)"; group.len()].join(", ");
        let mut delete = connection.prepare_cached(&format!(
            "DELETE FROM timer_blocks WHERE rowid IN (SELECT b.rowid FROM (VALUES {values}) v \
             CROSS JOIN timer_blocks b WHERE (b.partition_id, b.level, b.slot, b.kind, b.batch_id, b.n) \
             = (v.column1, v.column2, v.column3, v.column4, v.column5, v.column6))"
        ))?;
        for (nth, id) in group.iter().enumerate() {
            bind_id(&mut delete, 6 * nth, partition, *id)?;
        }
        delete.raw_execute()?;
    }
    Ok(())
}

/// The columns of the primary key, behind so many others. Gives how many there are now.
fn bind_id(
    statement: &mut Statement<'_>,
    behind: usize,
    partition: PartitionId,
    BlockId { slot, kind, batch, n }: BlockId,
) -> Outcome<usize> {
    let numbers = [i64::from(partition.0), slot.level.into(), slot.number, kind as i64, batch, i64::from(n)];
    for (nth, number) in numbers.into_iter().enumerate() {
        statement.raw_bind_parameter(behind + nth + 1, number)?;
    }
    Ok(behind + numbers.len())
}

fn change_places(connection: &Connection, partition: PartitionId, changes: &[PlaceChange]) -> Outcome<()> {
    let mut put = connection
        .prepare_cached("INSERT OR REPLACE INTO timer_places VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut delete = connection
        // The key must match too, because an id that was freed may belong to another timer by now.
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

/// This runs before `insert_failures`, as `Batch::failure_deletes` asks: otherwise it could delete a failure of this same batch.
fn delete_failures(connection: &Connection, partition: PartitionId, ids: &[FailureId]) -> Outcome<()> {
    let sql = "DELETE FROM timer_failures WHERE partition_id = ?1 AND key = ?2 AND generation = ?3";
    for id in ids {
        connection.prepare_cached(sql)?.execute(params![partition.0, id.key, id.generation])?;
    }
    Ok(())
}

/// A row is replaced, because the same failure may be told twice after a crash between the delivery and its end.
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
        // A pause has a row, a namespace that runs has none: there are many namespaces, and few are ever paused.
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
