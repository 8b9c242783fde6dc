//! Commands that were put aside.

use crate::PostgresStore;
use crate::call::{Call, Param, small};
use async_trait::async_trait;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{DeadLetters, LetterNumber, Position, Result, StoredLetter};
use tokio_postgres::Row;

const LIST: &str = "SELECT number, partition_id, position, at, reason, payload FROM dead_letters \
    WHERE number > $1 ORDER BY number LIMIT $2";

/// By all partitions, because the index begins with the partition and a number alone would not be found by it.
const FIND: &str = "SELECT number, partition_id, position, at, reason, payload FROM dead_letters \
    WHERE partition_id = ANY($1) AND number = $2";

/// One statement for both tables: nobody can see the letter gone and the entry not there yet, and two operators who retry the same
/// letter get one entry.
const RETRY: &str = "WITH letter AS (DELETE FROM dead_letters WHERE partition_id = ANY($1) AND number = $2 \
    RETURNING partition_id, payload) \
    INSERT INTO inbox (partition_id, received_at, payload) SELECT partition_id, $3, payload FROM letter \
    RETURNING partition_id, position";

const DROP: &str = "DELETE FROM dead_letters WHERE partition_id = ANY($1) AND number = $2 RETURNING 1";

#[async_trait]
impl DeadLetters for PostgresStore {
    async fn dead_letters(&self, after: Option<LetterNumber>, limit: usize) -> Result<Vec<StoredLetter>> {
        let after = after.map_or(0, |number| number.0);
        let rows = self.searches.read_one(Call::new(LIST, [after.into(), (limit as i64).into()])).await?;
        Ok(rows.iter().map(letter).collect())
    }

    async fn dead_letter(&self, number: LetterNumber) -> Result<Option<StoredLetter>> {
        let rows = self.searches.read_one(Call::new(FIND, self.named(number))).await?;
        Ok(rows.first().map(letter))
    }

    async fn retry_dead_letter(&self, number: LetterNumber, at: Timestamp) -> Result<Option<Position>> {
        let mut params = self.named(number);
        params.push(at.0.into());
        let rows = self.writes.write(&[Call::new(RETRY, params)]).await?.swap_remove(0);
        let Some(row) = rows.first() else { return Ok(None) };
        let partition = PartitionId(row.get::<_, i16>(0) as u16);
        tidemill_store::Wakeup::wake(self, partition).await;
        Ok(Some(Position(row.get(1))))
    }

    async fn drop_dead_letter(&self, number: LetterNumber) -> Result<bool> {
        let rows = self.writes.write(&[Call::new(DROP, self.named(number))]).await?.swap_remove(0);
        Ok(!rows.is_empty())
    }
}

impl PostgresStore {
    /// A number does not tell its partition.
    fn named(&self, number: LetterNumber) -> Vec<Param<'static>> {
        vec![Param::Smalls(self.partitions.ids().map(small).collect()), number.0.into()]
    }
}

fn letter(row: &Row) -> StoredLetter {
    StoredLetter {
        number: LetterNumber(row.get(0)),
        partition: PartitionId(row.get::<_, i16>(1) as u16),
        position: row.get::<_, Option<i64>>(2).map(Position),
        at: Timestamp(row.get(3)),
        reason: row.get(4),
        payload: row.get(5),
    }
}
