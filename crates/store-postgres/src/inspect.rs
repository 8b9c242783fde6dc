//! Reads for operators. Days are told by the catalogue of Postgres, so that nothing is counted row by row.

use crate::PostgresStore;
use crate::call::Call;
use crate::periods::{LOG_TABLE, day_of, history_tables};
use async_trait::async_trait;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{
    Amount, BatchId, Inspect, LAG_COUNT_MAX, Lag, LogRange, LoggedBatch, PoolUse, Purpose, Result,
};

/// By time before id, because the log is cut into days by its time: a range of times leaves all other days unread.
const LOG: &str = "SELECT batch_id, at, log FROM batches WHERE partition_id = $1 AND at >= $2 AND at < $3 \
    AND batch_id >= $4 AND batch_id <= $5 ORDER BY at, batch_id LIMIT $6";

const LOG_BACKWARDS: &str = "SELECT batch_id, at, log FROM batches WHERE partition_id = $1 AND at >= $2 AND at < $3 \
    AND batch_id >= $4 AND batch_id <= $5 ORDER BY at DESC, batch_id DESC LIMIT $6";

/// Counted up to a limit: a long queue is told as long, and counting all of it would slow down what works it off.
const WAITING: &str = "SELECT count(*), min(received_at) FROM \
    (SELECT received_at FROM inbox WHERE partition_id = $1 ORDER BY position LIMIT $2) w";

const DUE: &str = "SELECT count(*), min(due_at) FROM \
    (SELECT due_at FROM timers WHERE partition_id = $1 AND due_at <= $2 ORDER BY due_at, key LIMIT $3) d";

const LAST: &str =
    "SELECT batch_id, at FROM batches WHERE partition_id = $1 ORDER BY at DESC, batch_id DESC LIMIT 1";

/// Rows are counted by ANALYZE. Before it has run Postgres 13 says 0 and later ones say -1, all of them of no pages; a
/// table without a file has no rows whatever they say.
const DAYS: &str = "SELECT c.relname::text, CASE WHEN pg_relation_size(c.oid) = 0 THEN 0 WHEN c.relpages = 0 THEN -1 \
    ELSE c.reltuples::bigint END, pg_total_relation_size(c.oid) \
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::text::regclass";

#[async_trait]
impl Inspect for PostgresStore {
    fn pools(&self) -> Vec<PoolUse> {
        self.meters.iter().map(|meter| meter.read()).collect()
    }

    async fn log(&self, partition: PartitionId, range: &LogRange, limit: usize) -> Result<Vec<LoggedBatch>> {
        let sql = if range.is_newest_first { LOG_BACKWARDS } else { LOG };
        let params = [
            partition.into(),
            range.at.start.0.into(),
            range.at.end.0.into(),
            range.ids.0.0.into(),
            range.ids.1.0.into(),
            (limit as i64).into(),
        ];
        let rows = self.searches.read_one(Call::new(sql, params)).await?;
        let batches = rows.iter().map(|row| LoggedBatch {
            partition,
            id: BatchId(row.get(0)),
            at: Timestamp(row.get(1)),
            log: row.get(2),
        });
        Ok(batches.collect())
    }

    async fn lag(&self, partition: PartitionId, now: Timestamp) -> Result<Lag> {
        self.follower.catch_up(&[partition]).await?;
        let limit = LAG_COUNT_MAX as i64;
        let calls = [
            Call::new(WAITING, [partition.into(), limit.into()]),
            Call::new(DUE, [partition.into(), now.0.into(), limit.into()]),
            Call::new(LAST, [partition.into()]),
        ];
        let found = self.loads.read(&calls).await?;
        let counted = |n: usize| {
            let row = found[n].first();
            let count = row.map_or(0, |row| row.get::<_, i64>(0));
            (count as u64, row.and_then(|row| row.get::<_, Option<i64>>(1)).map(Timestamp))
        };
        let ((waiting, oldest_received_at), (timers_due, oldest_due_at)) = (counted(0), counted(1));
        let last_batch = found[2].first().map(|row| (BatchId(row.get(0)), Timestamp(row.get(1))));
        Ok(Lag { waiting, oldest_received_at, timers_due, oldest_due_at, last_batch })
    }

    async fn amounts(&self) -> Result<Vec<Amount>> {
        self.catch_up_all().await?;
        let mut amounts = Vec::new();
        for table in history_tables().chain([LOG_TABLE]) {
            let purpose = if table == LOG_TABLE { Purpose::Log } else { Purpose::History };
            let rows = self.searches.read_one(Call::new(DAYS, [table.into()])).await?;
            amounts.extend(rows.iter().map(|row| Amount {
                purpose,
                name: table.to_owned(),
                day: day_of(table, row.get(0)),
                rows: u64::try_from(row.get::<_, i64>(1)).ok(),
                bytes: u64::try_from(row.get::<_, i64>(2)).ok(),
            }));
        }
        amounts.sort_by_key(|amount| amount.day);
        Ok(amounts)
    }
}
