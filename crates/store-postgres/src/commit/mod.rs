//! One batch: one transaction, sent in one flush. Its changes are written as one record that the tables follow, or to the tables
//! at once; then the number of statements depends on the tables that the batch touches, not on its rows.

mod changes;
mod columns;
mod rest;
mod statements;

pub(crate) use rest::append as append_call;

use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::connect::Flushed;
use crate::error;
use crate::follow::{self, Net, Redo, Way};
use crate::maintenance::history;
use async_trait::async_trait;
use changes::Step;
use std::borrow::Cow;
use std::time::Duration;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Batch, BatchId, Commit, Committed, Error, Fence, Result};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

/// The last statement before COMMIT. It fails by dividing by zero where the fence is stale, and by a root of a
/// negative number where a key lies outside the reserved block. `FOR SHARE` holds back whoever takes over until
/// this transaction is visible.
const FENCE: &str = "SELECT 1 / count(*), sqrt(min(next_key - 1 - $4)::float8), \
    (SELECT value FROM settings WHERE name = 'definitions_version'), \
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint \
    FROM (SELECT next_key FROM partitions WHERE partition_id = $1 AND epoch = $2 AND holder = $3 FOR SHARE) s";

/// Tries of a transaction that met another one.
const TRIES_MAX: u32 = 5;

#[async_trait]
impl Commit for PostgresStore {
    async fn commit(&self, mut batch: Batch) -> Result<Committed> {
        if let Some(hook) = &self.on_batch {
            hook(&batch);
        }
        let written = match self.follower.prepare(&mut batch).await? {
            Way::Logged { redo } => self.commit_logged(&batch, redo).await,
            Way::InPlace { redo } => self.commit_in_place(&batch, redo).await,
        };
        self.follower.end(&batch, written.as_ref().err());
        written
    }

    async fn has_batch(&self, partition: PartitionId, batch: BatchId) -> Result<bool> {
        let sql = "SELECT 1 FROM batches WHERE partition_id = $1 AND batch_id = $2";
        let rows = self.writes.read_one(Call::new(sql, [partition.into(), batch.0.into()])).await?;
        Ok(!rows.is_empty())
    }

    async fn in_hand(&self, partition: PartitionId) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT note FROM in_hand WHERE partition_id = $1";
        let rows = self.writes.read_one(Call::new(sql, [partition.into()])).await?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    async fn note_in_hand(&self, fence: &Fence, note: Option<Vec<u8>>) -> Result<()> {
        let partition = fence.partition.into();
        let call = match note {
            Some(note) => Call::new(
                "INSERT INTO in_hand (partition_id, note) VALUES ($1, $2) \
                 ON CONFLICT (partition_id) DO UPDATE SET note = EXCLUDED.note",
                [partition, Param::Bytes(note.into())],
            ),
            None => Call::new("DELETE FROM in_hand WHERE partition_id = $1", [partition]),
        };
        self.write_fenced(fence, call).await.map(drop)
    }
}

impl PostgresStore {
    /// Makes the batch durable. Its changes reach the tables later.
    async fn commit_logged(&self, batch: &Batch, redo: Redo) -> Result<Committed> {
        let mut steps: Vec<Step<'_>> =
            rest::calls(batch, &redo.changes).into_iter().map(Step::from).collect();
        let (packed, size) = if redo.is_empty() { (Vec::new(), 0) } else { redo.pack() };
        let place = steps.len();
        if !redo.is_empty() {
            let data = Param::Bytes(Cow::Borrowed(&packed));
            steps.push(Call::new(follow::INSERT, [batch.partition().into(), data]).into());
        }
        let (committed, answers) = self.write_batch(batch, steps).await?;
        let number = answers.get(place).filter(|_| !redo.is_empty()).and_then(|rows| rows.first());
        let record = number.map(|row| (row.get(0), size));
        self.follower.logged(batch, redo, record);
        Ok(committed)
    }

    /// Writes the changes to the tables with the commit.
    async fn commit_in_place(&self, batch: &Batch, redo: Redo) -> Result<Committed> {
        let mut steps: Vec<Step<'_>> =
            rest::calls(batch, &redo.changes).into_iter().map(Step::from).collect();
        let net = Net::of(batch.partition(), [&redo]);
        steps.extend(table_steps(batch.partition(), &net, self.counts.is_due(batch.partition())));
        steps.extend(history::delete_some(&batch.deletions).into_iter().map(Step::from));
        let (committed, _) = self.write_batch(batch, steps).await?;
        self.follower.written(batch, &redo);
        Ok(committed)
    }

    /// One transaction under the fence, in one flush.
    async fn write_batch(
        &self,
        batch: &Batch,
        mut steps: Vec<Step<'_>>,
    ) -> Result<(Committed, Vec<Vec<Row>>)> {
        steps.push(fence_call(&batch.fence, batch.highest_key).into());
        let woken: Vec<PartitionId> = batch.outgoing.iter().map(|entry| entry.partition).collect();
        let (culprits, calls): (Vec<_>, Vec<_>) =
            steps.into_iter().map(|step| (step.culprit, step.call)).unzip();
        let after: Vec<Call<'_>> = self.notifiers.notification(&woken).into_iter().collect();
        let mut tries = 1;
        loop {
            let mut lease = self.writes.take().await.map_err(|error| unknown(&error))?;
            let mut flushed = lease.transact("BEGIN", &calls, "COMMIT", &after).await;
            // The connection goes back before the pause of a retry, so that others can use it meanwhile.
            drop(lease);
            match self.settle(&mut flushed, batch, &culprits) {
                Ok(Some(committed)) => {
                    self.floors.consumed(batch.partition(), &batch.consumed);
                    self.notifiers.notify_here(&woken);
                    let answers = flushed.answers.into_iter().map(Result::unwrap_or_default).collect();
                    return Ok((committed, answers));
                }
                Ok(None) if tries < TRIES_MAX => {
                    // Two that met would meet again if they waited equally long.
                    tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=10 << tries))).await;
                    tries += 1;
                }
                Ok(None) => {
                    let reason = format!("other transactions were in the way {TRIES_MAX} times");
                    return Err(Error::OutcomeUnknown { reason });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Committed, or none where it must be tried again.
    fn settle(
        &self,
        flushed: &mut Flushed,
        batch: &Batch,
        culprits: &[Option<tidemill_store::Culprit>],
    ) -> Result<Option<Committed>> {
        let Some((place, error)) = flushed.cause() else {
            let fence =
                flushed.answers.last().and_then(|answer| answer.as_ref().ok()).and_then(|rows| rows.first());
            let Some(fence) = fence else {
                let reason = "the fence gave no answer".to_owned();
                return Err(Error::OutcomeUnknown { reason });
            };
            let (version, now): (i64, i64) = (fence.get(2), fence.get(3));
            let now = Timestamp(now);
            return Ok(Some(Committed { definitions_version: version.unsigned_abs(), now }));
        };
        if error::is_passing(&error) {
            return Ok(None);
        }
        // COMMIT may have arrived before the connection broke.
        if error::is_connection(&error) {
            return Err(unknown(&self.writes.connector().error(&error)));
        }
        if place == Some(culprits.len() - 1) {
            return Err(self.fence_error(&batch.fence, batch.highest_key, &error));
        }
        match self.told(&error) {
            // The partition puts aside the command that wrote this row and writes the others.
            Error::Refused { reason, .. } => {
                let culprit = place.and_then(|place| culprits[place].clone());
                Err(Error::Refused { culprit, reason })
            }
            other => Err(other),
        }
    }

    /// One write under the fence.
    pub(crate) async fn write_fenced(
        &self,
        fence: &Fence,
        call: Call<'_>,
    ) -> Result<Vec<tokio_postgres::Row>> {
        let mut lease = self.writes.take().await?;
        let mut flushed = lease.transact("BEGIN", &[call, fence_call(fence, 0)], "COMMIT", &[]).await;
        match flushed.cause() {
            Some((Some(1), error)) => Err(self.fence_error(fence, 0, &error)),
            Some((_, error)) => Err(self.told(&error)),
            None => Ok(flushed.answers.swap_remove(0).unwrap_or_default()),
        }
    }

    /// The error of the last statement before COMMIT.
    fn fence_error(&self, fence: &Fence, highest_key: u64, error: &tokio_postgres::Error) -> Error {
        match error.code() {
            Some(&SqlState::DIVISION_BY_ZERO) => self.lost(fence),
            Some(&SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION) => Error::Refused {
                culprit: None,
                reason: format!("key counter {highest_key} lies outside the reserved block"),
            },
            _ => self.told(error),
        }
    }

    pub(crate) fn told(&self, error: &tokio_postgres::Error) -> Error {
        self.writes.connector().error(error)
    }
}

/// The net effect of batches on the tables.
pub(crate) fn table_steps<'r>(partition: PartitionId, net: &Net<'r>, folds_counts: bool) -> Vec<Step<'r>> {
    let before = rest::before_rows(partition, net, folds_counts);
    before.into_iter().map(Step::from).chain(changes::steps(partition, net)).collect()
}

fn fence_call(fence: &Fence, highest_key: u64) -> Call<'_> {
    let params = [
        fence.partition.into(),
        (fence.epoch as i64).into(),
        fence.holder.as_str().into(),
        (highest_key as i64).into(),
    ];
    Call::new(FENCE, params)
}

/// A connection that could not be had counts as well: the owner has to take the partition again in any case,
/// and that waits for the store.
pub(crate) fn unknown(error: &Error) -> Error {
    Error::OutcomeUnknown { reason: error.to_string() }
}
