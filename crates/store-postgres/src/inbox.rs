//! The durable inbox: appended in groups, read from a floor.

use crate::PostgresStore;
use crate::call::{Call, Param, small};
use async_trait::async_trait;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{CommandOutcome, Inbox, InboxEntry, NewInboxEntry, Position, Result};

/// From the floor on: rows that were deleted below it stay in the index until a vacuum, and each read would pass over all of them.
const WAITING: &str = "SELECT position, received_at, payload FROM inbox \
    WHERE partition_id = $1 AND position > $2 ORDER BY position LIMIT $3";

/// Sent in one flush. `LATERAL` with `OFFSET 0` looks each partition up by itself: a plan for `ANY` that was made while the table was
/// empty would read all of it when it is large.
const OUTCOME: [&str; 3] = [
    "SELECT x.* FROM unnest($1::smallint[]) p CROSS JOIN LATERAL \
     (SELECT at, answer FROM results WHERE partition_id = p AND position = $2 OFFSET 0) x",
    "SELECT at, reason FROM dead_letters WHERE partition_id = ANY($1) AND position = $2 LIMIT 1",
    "SELECT x.* FROM unnest($1::smallint[]) p CROSS JOIN LATERAL \
     (SELECT 1 FROM inbox WHERE partition_id = p AND position = $2 OFFSET 0) x",
];

#[async_trait]
impl Inbox for PostgresStore {
    async fn append(&self, entries: Vec<NewInboxEntry>) -> Result<Vec<Position>> {
        self.appender.append(entries).await
    }

    async fn waiting(&self, partition: PartitionId, limit: usize) -> Result<Vec<InboxEntry>> {
        let params = [partition.into(), self.floors.start(partition).into(), (limit as i64).into()];
        let rows = self.loads.read_one(Call::new(WAITING, params)).await?;
        let entries = rows.iter().map(|row| InboxEntry {
            position: Position(row.get(0)),
            received_at: Timestamp(row.get(1)),
            payload: row.get(2),
        });
        Ok(entries.collect())
    }

    /// A position does not tell its partition, so each of them is asked.
    async fn outcome(&self, position: Position) -> Result<CommandOutcome> {
        let partitions: Vec<i16> = self.partitions.ids().map(small).collect();
        let calls =
            OUTCOME.map(|sql| Call::new(sql, [Param::Smalls(partitions.clone()), Param::from(position.0)]));
        let found = self.loads.read(&calls).await?;
        Ok(match (found[0].first(), found[1].first(), found[2].first()) {
            (Some(row), ..) => CommandOutcome::Done { at: Timestamp(row.get(0)), answer: row.get(1) },
            (None, Some(row), _) => {
                CommandOutcome::DeadLetter { at: Timestamp(row.get(0)), reason: row.get(1) }
            }
            (None, None, Some(_)) => CommandOutcome::Waiting,
            (None, None, None) => CommandOutcome::Unknown,
        })
    }
}
