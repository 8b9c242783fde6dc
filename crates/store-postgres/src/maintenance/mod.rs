//! Forgetting. Whole days go by dropping their partition; single rows only where something lies outside the days.

mod days;
pub(crate) mod history;
mod retention;

use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::periods::LOG_TABLE;
use async_trait::async_trait;
use tidemill_model::Timestamp;
use tidemill_store::{Maintenance, Result, Retention};

/// Instances outside the days that have ended long enough ago.
const OLD_INSTANCES: &str = "SELECT key FROM process_instances_history_default WHERE ended_at < $1 \
    ORDER BY ended_at LIMIT $2";

/// Instances of which one transaction of a purge deletes rows.
const PIECE_INSTANCES: usize = 10;

const OLD_RESULTS: &str =
    "DELETE FROM results WHERE ctid = ANY(ARRAY(SELECT ctid FROM results WHERE at < $1 LIMIT $2))";

const OLD_ANSWERS: &str = "DELETE FROM idempotency WHERE ctid = ANY(ARRAY( \
    SELECT ctid FROM idempotency WHERE created_at < $1 LIMIT $2))";

/// Log entries outside the days, but for the last of each partition.
const OLD_BATCHES: &str = "DELETE FROM batches_default WHERE ctid = ANY(ARRAY( \
    SELECT b.ctid FROM batches_default b WHERE b.at < $1 \
    AND EXISTS (SELECT 1 FROM batches n WHERE n.partition_id = b.partition_id \
    AND (n.at, n.batch_id) > (b.at, b.batch_id)) LIMIT $2))";

#[async_trait]
impl Maintenance for PostgresStore {
    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize> {
        // Rows that have not reached the tables would come after their day has gone.
        self.catch_up_all().await?;
        let dropped = self.drop_history_day(ended_before).await?;
        if dropped > 0 {
            return Ok(dropped);
        }
        let old = Call::new(OLD_INSTANCES, [ended_before.0.into(), Param::from(limit as i64)]);
        let keys: Vec<i64> = self.loads.read_one(old).await?.iter().map(|row| row.get(0)).collect();
        if keys.is_empty() {
            return Ok(0);
        }
        self.delete_history(keys).await
    }

    async fn purge_results(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.delete(OLD_RESULTS, before, limit).await
    }

    async fn purge_idempotency(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.delete(OLD_ANSWERS, before, limit).await
    }

    async fn purge_batches(&self, before: Timestamp, limit: usize) -> Result<usize> {
        let dropped = self.drop_log_day(before).await?;
        if dropped > 0 {
            return Ok(dropped);
        }
        debug_assert!(OLD_BATCHES.contains(LOG_TABLE));
        self.delete(OLD_BATCHES, before, limit).await
    }

    async fn retention(&self) -> Result<Retention> {
        self.kept().await
    }

    async fn set_retention(&self, retention: Retention) -> Result<()> {
        self.keep(retention).await
    }
}

impl PostgresStore {
    async fn delete(&self, sql: &'static str, before: Timestamp, limit: usize) -> Result<usize> {
        let counted = format!("WITH gone AS ({sql} RETURNING 1) SELECT count(*) FROM gone");
        let call = Call::new(counted, [before.0.into(), Param::from(limit as i64)]);
        let rows = self.writes.write(&[call]).await?.swap_remove(0);
        Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0)) as usize)
    }

    /// Counts instances. Their own rows go last: as long as they are there, the next purge comes back for the rest.
    async fn delete_history(&self, instances: Vec<i64>) -> Result<usize> {
        let mut gone = 0;
        for group in instances.chunks(PIECE_INSTANCES) {
            while !history::is_last_piece(&self.writes.write(&history::delete_belongings(group)).await?) {}
            gone += self.writes.write(&[history::delete_instances(group)]).await?[0].len();
        }
        Ok(gone)
    }
}
