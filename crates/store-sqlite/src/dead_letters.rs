//! Commands that were put aside.

use crate::SqliteStore;
use crate::error::Outcome;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, params};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{DeadLetters, LetterNumber, NewInboxEntry, Position, Result, StoredLetter, Wakeup};

const COLUMNS: &str = "number, partition_id, position, at, reason, payload";

#[async_trait]
impl DeadLetters for SqliteStore {
    /// On the connections of searches: operators must not take those that the engine loads with.
    async fn dead_letters(&self, after: Option<LetterNumber>, limit: usize) -> Result<Vec<StoredLetter>> {
        // Numbers begin with 1, and a number is never given twice (AUTOINCREMENT): a cursor stays valid while letters come and go.
        let after = after.map_or(0, |number| number.0);
        self.searches
            .read(move |connection| {
                let sql =
                    format!("SELECT {COLUMNS} FROM dead_letters WHERE number > ?1 ORDER BY number LIMIT ?2");
                let mut statement = connection.prepare_cached(&sql)?;
                let letters = statement.query_map(params![after, limit as i64], letter)?;
                Ok(letters.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    async fn dead_letter(&self, number: LetterNumber) -> Result<Option<StoredLetter>> {
        self.searches.read(move |connection| find(connection, number)).await
    }

    /// One transaction for both tables. A crash between them would lose the command, or run it twice.
    async fn retry_dead_letter(&self, number: LetterNumber, at: Timestamp) -> Result<Option<Position>> {
        let retried = self
            .writer
            .write(move |connection| {
                let Some(letter) = find(connection, number)? else { return Ok(None) };
                delete(connection, number)?;
                let partition = letter.partition;
                let entry = NewInboxEntry { partition, received_at: at, payload: letter.payload };
                Ok(Some((partition, crate::inbox::insert(connection, &entry)?)))
            })
            .await?;
        let Some((partition, position)) = retried else { return Ok(None) };
        // The wake-up follows the commit, as with an append: the owner that looks must see the entry.
        self.wake(partition).await;
        Ok(Some(position))
    }

    async fn drop_dead_letter(&self, number: LetterNumber) -> Result<bool> {
        self.writer.write(move |connection| delete(connection, number)).await
    }
}

fn find(connection: &Connection, number: LetterNumber) -> Outcome<Option<StoredLetter>> {
    let sql = format!("SELECT {COLUMNS} FROM dead_letters WHERE number = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([number.0], letter).optional()?)
}

fn delete(connection: &Connection, number: LetterNumber) -> Outcome<bool> {
    let sql = "DELETE FROM dead_letters WHERE number = ?1";
    Ok(connection.prepare_cached(sql)?.execute([number.0])? > 0)
}

fn letter(row: &Row<'_>) -> rusqlite::Result<StoredLetter> {
    Ok(StoredLetter {
        number: LetterNumber(row.get(0)?),
        partition: PartitionId(row.get(1)?),
        position: row.get::<_, Option<i64>>(2)?.map(Position),
        at: Timestamp(row.get(3)?),
        reason: row.get(4)?,
        payload: row.get(5)?,
    })
}
