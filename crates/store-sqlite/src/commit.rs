//! One batch, written inside the writer's transaction.

use crate::error::{Fault, Outcome};
use crate::maintenance::history;
use crate::row::{StatementBinder, statements};
use crate::step::{Step, Steps};
use crate::{SqliteStore, element_counts};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tidemill_model::entity::ElementInstance;
use tidemill_model::{Change, Ended, Entity, EntityKind, PartitionId, Stored};
use tidemill_store::{Batch, BatchId, Commit, Committed, Error, Fence, FiredTimers, Result};
use tidemill_store_sql::{AnyRow, Table, any_row};

#[async_trait]
impl Commit for SqliteStore {
    async fn commit(&self, batch: Batch) -> Result<Committed> {
        let woken: Vec<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        if let Some(hook) = &self.on_batch {
            hook(&batch);
        }
        let steps = self.writer.steps.clone();
        // The writer returns after the sync, so an answer that leaves the core now survives a loss of power.
        let committed = self.writer.write(move |connection| write(connection, &batch, &steps)).await?;
        // Only now can a reader see the entries: a wake-up before the commit would find the inbox empty.
        for partition in woken {
            tidemill_store::Wakeup::wake(self, partition).await;
        }
        Ok(committed)
    }

    async fn has_batch(&self, partition: PartitionId, batch: BatchId) -> Result<bool> {
        self.loads
            .read(move |connection| {
                // A read can answer this, although a commit may be under way: the caller has acquired the
                // partition before, and the writer runs one after the other.
                let sql = "SELECT 1 FROM batches WHERE partition_id = ?1 AND batch_id = ?2";
                Ok(connection.prepare_cached(sql)?.exists(params![partition.0, batch.0])?)
            })
            .await
    }

    async fn in_hand(&self, partition: PartitionId) -> Result<Option<Vec<u8>>> {
        self.loads
            .read(move |connection| {
                let sql = "SELECT note FROM in_hand WHERE partition_id = ?1";
                Ok(connection.prepare_cached(sql)?.query_row([partition.0], |row| row.get(0)).optional()?)
            })
            .await
    }

    async fn note_in_hand(&self, fence: &Fence, note: Option<Vec<u8>>) -> Result<()> {
        let fence = fence.clone();
        self.writer
            .write(move |connection| {
                // A node that has lost the partition must not overwrite what its successor has noted.
                check_fence(connection, &fence)?;
                let partition = fence.partition.0;
                match &note {
                    Some(note) => connection
                        .prepare_cached(
                            "INSERT OR REPLACE INTO in_hand (partition_id, note) VALUES (?1, ?2)",
                        )?
                        .execute(params![partition, note])?,
                    None => connection
                        .prepare_cached("DELETE FROM in_hand WHERE partition_id = ?1")?
                        .execute([partition])?,
                };
                Ok(())
            })
            .await
    }
}

fn write(connection: &Connection, batch: &Batch, steps: &Steps) -> Outcome<Committed> {
    // The writer has one transaction at a time, so the fence cannot change between this look and the commit.
    let reserved_until = check_fence(connection, &batch.fence)?;
    // A key beyond the block could be given once more by the next owner, whose block begins there.
    if batch.highest_key >= reserved_until {
        return Err(Fault::Store(Error::Refused {
            culprit: None,
            reason: format!(
                "key counter {} lies outside the reserved block, which ends at {reserved_until}",
                batch.highest_key
            ),
        }));
    }
    // The unique index on the batch's id makes a second try of the same batch fail as a whole.
    insert_batch(connection, batch)?;
    // The transaction that carries the effects of an entry deletes it, which is why each entry runs once.
    for position in &batch.consumed {
        connection.prepare_cached("DELETE FROM inbox WHERE position = ?1")?.execute([position.0])?;
    }
    // Before new timers are written: those may lie in the range that is deleted.
    if let Some(fired) = &batch.fired {
        delete_fired(connection, batch.partition(), fired)?;
    }
    write_changes(connection, &batch.changes, steps)?;
    // This follows the changes, because an instance may end and be deleted in the same batch: its rows are in history by now.
    for instance in &batch.deletions {
        history::delete_some(connection, instance.0)?;
    }
    write_answers(connection, batch)?;
    for entry in &batch.outgoing {
        crate::inbox::insert(connection, entry)?;
    }
    definitions_version(connection, batch.changes.iter().any(changes_definitions))
}

/// Gives the end of the partition's reserved keys. Every write of an owner comes through here: a node that
/// has lost its partition gets `Fenced` and has written nothing.
pub(crate) fn check_fence(connection: &Connection, fence: &Fence) -> Outcome<u64> {
    let reserved_until: Option<u64> = connection
        .prepare_cached(
            "SELECT next_key FROM partitions WHERE partition_id = ?1 AND epoch = ?2 AND holder = ?3",
        )?
        .query_row(params![fence.partition.0, fence.epoch, fence.holder.as_str()], |row| row.get(0))
        .optional()?;
    reserved_until
        .ok_or_else(|| Fault::Store(Error::Fenced { partition: fence.partition, epoch: fence.epoch }))
}

fn insert_batch(connection: &Connection, batch: &Batch) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT INTO batches (partition_id, batch_id, at, highest_key, log) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![batch.partition().0, batch.id.0, batch.at.0, batch.highest_key, batch.log])?;
    Ok(())
}

/// One statement for the whole range, because a storm of timers is deleted by it. The core sees to it that no timer lies in the range
/// that has not fired.
fn delete_fired(connection: &Connection, partition: PartitionId, fired: &FiredTimers) -> Outcome<()> {
    let (after_due, after_key) =
        fired.after.map_or((i64::MIN, i64::MIN), |after| (after.due_at.0, after.key.0));
    connection
        .prepare_cached(
            "DELETE FROM timers WHERE partition_id = ?1 AND (due_at, key) > (?2, ?3) AND (due_at, key) <= (?4, ?5)",
        )?
        .execute(params![partition.0, after_due, after_key, fired.up_to.due_at.0, fired.up_to.key.0])?;
    Ok(())
}

fn write_answers(connection: &Connection, batch: &Batch) -> Outcome<()> {
    // The first answer of a key is written once: a second one would mean that a command has run twice, and must fail. A late answer
    // replaces the note that it will come.
    let once = batch
        .answers
        .iter()
        .map(|answer| ("INSERT INTO idempotency VALUES (?1, ?2, ?3, ?4, ?5, ?6)", answer));
    let late = "INSERT OR REPLACE INTO idempotency VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for (sql, answer) in once.chain(batch.late_answers.iter().map(|answer| (late, answer))) {
        connection.prepare_cached(sql)?.execute(params![
            batch.partition().0,
            answer.tenant.as_str(),
            answer.key.as_str(),
            answer.body_hash,
            answer.answer,
            answer.created_at.0
        ])?;
    }
    // A result replaces the note that its answer comes with another command.
    for result in &batch.results {
        connection.prepare_cached("INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3)")?.execute(params![
            result.position.0,
            batch.at.0,
            result.answer
        ])?;
    }
    for letter in &batch.dead_letters {
        connection
            .prepare_cached(
                "INSERT INTO dead_letters (partition_id, position, at, reason, payload) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                batch.partition().0,
                letter.position.map(|position| position.0),
                batch.at.0,
                letter.reason,
                letter.payload
            ])?;
    }
    Ok(())
}

/// The version is read in the same transaction, so whoever hears of a deployment also hears of the version that contains it.
fn definitions_version(connection: &Connection, moves: bool) -> Outcome<Committed> {
    if moves {
        connection.execute("UPDATE settings SET value = value + 1 WHERE name = 'definitions_version'", [])?;
    }
    let definitions_version = connection
        .prepare_cached("SELECT value FROM settings WHERE name = 'definitions_version'")?
        .query_row([], |row| row.get(0))?;
    Ok(Committed { definitions_version, now: tidemill_model::Timestamp(crate::ownership::now()) })
}

/// Start subscriptions count too: when the version moves, partitions drop those that they have in memory.
fn changes_definitions(change: &Change) -> bool {
    matches!(
        change.entity().kind(),
        EntityKind::ProcessDefinition
            | EntityKind::Form
            | EntityKind::Resource
            | EntityKind::StartSubscription
    )
}

/// Removes come first, because a timer that moves is removed and put.
fn rank(change: &Change) -> u8 {
    match change {
        Change::Remove(_) => 0,
        Change::End { .. } => 1,
        Change::Put(_) => 2,
    }
}

/// Table by table, so that each statement is fetched once and its pages stay warm. By key within a table: rows
/// are appended in order.
fn write_changes(connection: &Connection, changes: &[Change], steps: &Steps) -> Outcome<()> {
    // The sort is stable and the engine lists each table by key, so the keys of a group stay in order.
    let mut order: Vec<&Change> = changes.iter().collect();
    order.sort_by_key(|change| (change.entity().kind(), rank(change)));
    for group in order.chunk_by(|a, b| a.entity().kind() == b.entity().kind() && rank(a) == rank(b)) {
        write_rows(connection, Table::of(group[0].entity().kind()), group)?;
        if matches!(group[0], Change::End { entity: Entity::ElementInstance(_), .. }) {
            let ended = group.iter().filter_map(|change| ElementInstance::of(change.entity()));
            // The counts that diagrams show change in the same transaction as the rows of history, so they never drift apart.
            element_counts::add(connection, ended)?;
        }
        steps.take(Step::RowsWritten);
    }
    Ok(())
}

/// All changes of the group are of one kind and one rank.
fn write_rows(connection: &Connection, table: &Table, group: &[&Change]) -> Outcome<()> {
    match group[0] {
        // Such an entity is never live, so its one row goes to history in whatever way it changes.
        _ if table.ended == Ended::HistoryFromTheStart => put_rows(connection, table, group),
        Change::Put(_) => put_rows(connection, table, group),
        Change::Remove(_) => remove_rows(connection, table, &mut group.iter().copied()),
        Change::End { .. } => {
            // An entity that began and ended in one batch never was a live row: there is nothing to remove.
            let stored = |change: &&Change| matches!(change, Change::End { was_stored: true, .. });
            remove_rows(connection, table, &mut group.iter().copied().filter(stored))?;
            end_rows(connection, table, group)
        }
    }
}

fn put_rows(connection: &Connection, table: &Table, group: &[&Change]) -> Outcome<()> {
    let mut statement = connection.prepare_cached(&statements(table).put)?;
    for change in group {
        let row = any_row(change.entity());
        let mut binder = StatementBinder::new(&mut statement);
        row.bind(&mut binder);
        row.bind_live(&mut binder);
        finish(table, row, binder)?;
    }
    Ok(())
}

fn remove_rows(
    connection: &Connection,
    table: &Table,
    changes: &mut dyn Iterator<Item = &Change>,
) -> Outcome<()> {
    let mut statement = connection.prepare_cached(&statements(table).remove)?;
    for change in changes {
        let row = any_row(change.entity());
        let mut binder = StatementBinder::new(&mut statement);
        row.bind_key(&mut binder);
        finish(table, row, binder)?;
    }
    Ok(())
}

fn end_rows(connection: &Connection, table: &Table, group: &[&Change]) -> Outcome<()> {
    // Kinds that nobody looks at after their end have no history.
    let Some(sql) = &statements(table).end else { return Ok(()) };
    let mut statement = connection.prepare_cached(sql)?;
    for change in group {
        let row = any_row(change.entity());
        let mut binder = StatementBinder::new(&mut statement);
        row.bind(&mut binder);
        row.bind_end(&mut binder);
        finish(table, row, binder)?;
    }
    Ok(())
}

/// An error names its row, because the partition puts aside the command that has written it.
fn finish(table: &Table, row: &dyn AnyRow, binder: StatementBinder<'_, '_>) -> Outcome<()> {
    binder.execute().map_err(|source| Fault::Row { kind: table.kind, key: row.number(), source })?;
    Ok(())
}
