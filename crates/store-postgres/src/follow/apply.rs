//! Brings redo records to the tables. Whoever does it deletes the records in the same transaction, so each is applied once, whether
//! by its owner, by another node or by a successor.

use super::window::Pending;
use super::{Follower, Net, Redo};
use crate::call::{Call, Param};
use crate::commit::table_steps;
use crate::error;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_store::{Error, Result};
use tokio_postgres::error::SqlState;

/// Records that one transaction applies, where they have to be read.
const READ_MAX: i64 = 64;
/// Records that one transaction applies from memory.
const APPLIED_MAX: usize = 1_000;
/// Tries of a transaction that met another one.
const TRIES_MAX: u32 = 20;

const READ: &str =
    "SELECT number, data FROM redo WHERE partition_id = $1 AND number > $2 ORDER BY number LIMIT $3";

/// Fails by dividing by zero where somebody else has applied one of them. Locks them until the end of the transaction, so that the
/// next one who comes waits and then finds them gone.
const TAKE: &str = "WITH gone AS (DELETE FROM redo WHERE ctid = ANY(ARRAY(SELECT x.place FROM unnest($2::bigint[]) k \
    CROSS JOIN LATERAL (SELECT ctid AS place FROM redo WHERE partition_id = $1 AND number = k OFFSET 0) x)) \
    RETURNING 1) SELECT 1 / (count(*) = cardinality($2))::int FROM gone";

/// The end of a try.
enum Tried {
    Applied,
    /// Another transaction was in the way, or has applied some of the records.
    Met,
}

impl Follower {
    /// Everything that was committed when this was called is in the tables when it returns. Those who call it meanwhile share the next
    /// round.
    pub(crate) async fn round(self: &Arc<Self>, partition: PartitionId) -> Result<()> {
        let wanted = self.of(partition).next_round();
        let follower = self.clone();
        // A task of its own: a caller that gives up must not break off what others wait for.
        let round = tokio::spawn(async move {
            let window = follower.of(partition);
            let _turn = window.turn.lock().await;
            if window.has_ended(wanted) {
                return Ok(());
            }
            let round = window.begin_round();
            follower.apply_all(partition).await?;
            window.end_round(round);
            Ok(())
        });
        round.await.unwrap_or_else(|_| Err(Error::Closed("the follower has ended".into())))
    }

    async fn apply_all(&self, partition: PartitionId) -> Result<()> {
        let window = self.of(partition);
        let mut tries = 0;
        // From memory as long as nobody else has applied any of it.
        loop {
            let mut pending = window.pending();
            pending.truncate(APPLIED_MAX);
            let Some(last) = pending.last().map(|last| last.number) else { break };
            match self.apply(partition, &pending).await? {
                Tried::Applied => window.applied(last),
                Tried::Met => {
                    // Most likely a reader on another node was faster.
                    self.note_read();
                    break;
                }
            }
            if pending.len() < APPLIED_MAX {
                return Ok(());
            }
        }
        loop {
            let known = window.pending().last().map(|last| last.number);
            let records = self.read(partition, window.floor()).await?;
            let Some(last) = records.last().map(|last| last.number) else {
                if let Some(known) = known {
                    window.applied(known);
                }
                return Ok(());
            };
            match self.apply(partition, &records).await? {
                Tried::Applied => window.applied(last),
                Tried::Met if tries < TRIES_MAX => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=5))).await;
                }
                Tried::Met => {
                    let reason = format!("other transactions were in the way {TRIES_MAX} times");
                    return Err(Error::Failed { place: "the table redo".into(), reason });
                }
            }
        }
    }

    async fn read(&self, partition: PartitionId, floor: i64) -> Result<Vec<Pending>> {
        let params = [partition.into(), floor.into(), READ_MAX.into()];
        let rows = self.pool.read_one(Call::new(READ, params)).await?;
        let record = |row: &tokio_postgres::Row| {
            let data: &[u8] = row.get(1);
            let redo = Arc::new(Redo::unpack(data)?);
            Ok(Pending { number: row.get(0), redo, bytes: data.len() })
        };
        rows.iter().map(record).collect()
    }

    /// One transaction in one flush.
    async fn apply(&self, partition: PartitionId, records: &[Pending]) -> Result<Tried> {
        let numbers: Vec<i64> = records.iter().map(|record| record.number).collect();
        let net = Net::of(partition, records.iter().map(|record| &*record.redo));
        let mut calls = vec![Call::new(TAKE, [partition.into(), Param::Keys(numbers)])];
        let folds = self.counts.is_due(partition);
        calls.extend(table_steps(partition, &net, folds).into_iter().map(|step| step.call));
        let mut lease = self.pool.take().await?;
        let mut flushed = lease.transact("BEGIN", &calls, "COMMIT", &[]).await;
        drop(lease);
        match flushed.cause() {
            None => Ok(Tried::Applied),
            Some((Some(0), error)) if error.code() == Some(&SqlState::DIVISION_BY_ZERO) => Ok(Tried::Met),
            Some((_, error)) if error::is_passing(&error) || error::is_connection(&error) => Ok(Tried::Met),
            Some((_, error)) => Err(self.told(partition, &error)),
        }
    }

    /// A row that Postgres refuses here is the fault of no command that runs now: nobody may put one aside for it.
    fn told(&self, partition: PartitionId, error: &tokio_postgres::Error) -> Error {
        match self.pool.connector().error(error) {
            Error::Refused { reason, .. } => {
                tracing::error!(%partition, reason, "committed changes cannot be written to the tables");
                Error::Failed { place: format!("redo of partition {partition}"), reason }
            }
            other => other,
        }
    }
}
