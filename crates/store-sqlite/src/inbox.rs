//! The durable inbox. Appends share the writer's transactions, so many of them cost one sync.

use crate::SqliteStore;
use crate::error::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{CommandOutcome, Inbox, InboxEntry, NewInboxEntry, Position, Result, Wakeup};

#[async_trait]
impl Inbox for SqliteStore {
    async fn append(&self, entries: Vec<NewInboxEntry>) -> Result<Vec<Position>> {
        let partitions: Vec<PartitionId> = entries.iter().map(|entry| entry.partition).collect();
        let positions = self
            .writer
            .write(move |connection| entries.iter().map(|entry| insert(connection, entry)).collect())
            .await?;
        // After the commit: an owner that was woken earlier would look before the entry can be seen.
        for partition in partitions {
            self.wake(partition).await;
        }
        Ok(positions)
    }

    async fn waiting(&self, partition: PartitionId, limit: usize) -> Result<Vec<InboxEntry>> {
        self.loads
            .read(move |connection| {
                let mut statement = connection.prepare_cached(
                    // By position, which is the order of appending. The index by partition ends with the row id, so nothing is sorted.
                    "SELECT position, received_at, payload FROM inbox \
                     WHERE partition_id = ?1 ORDER BY position LIMIT ?2",
                )?;
                let entries = statement.query_map(params![partition.0, limit as i64], |row| {
                    Ok(InboxEntry {
                        position: Position(row.get(0)?),
                        received_at: Timestamp(row.get(1)?),
                        payload: row.get(2)?,
                    })
                })?;
                Ok(entries.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn outcome(&self, position: Position) -> Result<CommandOutcome> {
        self.loads.read(move |connection| outcome(connection, position)).await
    }
}

/// Within the transaction of the caller: a commit appends the follow-ups of its own commands with it.
pub(crate) fn insert(connection: &Connection, entry: &NewInboxEntry) -> Outcome<Position> {
    connection
        .prepare_cached("INSERT INTO inbox (partition_id, received_at, payload) VALUES (?1, ?2, ?3)")?
        .execute(params![entry.partition.0, entry.received_at.0, entry.payload])?;
    Ok(Position(connection.last_insert_rowid()))
}

/// In this order, because a result and a dead letter outlive the entry: both are written by the commit that removes it, so an entry
/// that is found in none of the three never existed or was forgotten.
fn outcome(connection: &Connection, position: Position) -> Outcome<CommandOutcome> {
    let done = connection
        .prepare_cached("SELECT at, answer FROM results WHERE position = ?1")?
        .query_row([position.0], |row| {
            Ok(CommandOutcome::Done { at: Timestamp(row.get(0)?), answer: row.get(1)? })
        })
        .optional()?;
    if let Some(done) = done {
        return Ok(done);
    }
    let dead = connection
        .prepare_cached("SELECT at, reason FROM dead_letters WHERE position = ?1")?
        .query_row([position.0], |row| {
            Ok(CommandOutcome::DeadLetter { at: Timestamp(row.get(0)?), reason: row.get(1)? })
        })
        .optional()?;
    if let Some(dead) = dead {
        return Ok(dead);
    }
    // Last, and from the same state as the two reads before: in another order an entry could be missed while it changes tables.
    let waits = connection.prepare_cached("SELECT 1 FROM inbox WHERE position = ?1")?.exists([position.0])?;
    Ok(if waits { CommandOutcome::Waiting } else { CommandOutcome::Unknown })
}
