//! Forgetting, a bounded piece at a time on the writer's thread.

mod backup;
pub(crate) mod history;
mod retention;

use crate::SqliteStore;
use async_trait::async_trait;
use rusqlite::params;
use std::path::Path;
use tidemill_model::Timestamp;
use tidemill_store::{Maintenance, Result, Retention};

#[async_trait]
impl Maintenance for SqliteStore {
    async fn purge_history(&self, ended_before: Timestamp, limit: usize) -> Result<usize> {
        let mut gone = 0;
        // Each step is a piece of work of its own, so that commits get their turn in between.
        while gone < limit {
            let most = limit - gone;
            let step = self
                .writer
                .write(move |connection| history::purge_some(connection, ended_before, most))
                .await?;
            gone += step.instances;
            if !step.has_more {
                break;
            }
        }
        Ok(gone)
    }

    async fn purge_results(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.writer
            .write(move |connection| {
                // Positions grow with time: only the first are looked at, never the whole table.
                let sql = "DELETE FROM results WHERE position IN (SELECT position FROM \
                    (SELECT position, at FROM results ORDER BY position LIMIT ?2) WHERE at < ?1)";
                Ok(connection.prepare_cached(sql)?.execute(params![before.0, limit as i64])?)
            })
            .await
    }

    /// An index by age finds them, because keys are chosen by clients and say nothing about time.
    async fn purge_idempotency(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.writer
            .write(move |connection| {
                let sql = "DELETE FROM idempotency WHERE (partition_id, tenant, key) IN \
                    (SELECT partition_id, tenant, key FROM idempotency WHERE created_at < ?1 LIMIT ?2)";
                Ok(connection.prepare_cached(sql)?.execute(params![before.0, limit as i64])?)
            })
            .await
    }

    async fn purge_batches(&self, before: Timestamp, limit: usize) -> Result<usize> {
        self.writer
            .write(move |connection| {
                // The last batch of a partition tells an owner whether its commit was written, and a
                // successor how late it is.
                // The last batches hold back at most one row per partition, hence the allowance.
                let sql = "DELETE FROM batches WHERE number IN (SELECT number FROM \
                    (SELECT number, at FROM batches ORDER BY number LIMIT ?2 + \
                    (SELECT count(*) FROM partitions)) WHERE at < ?1) \
                    AND number NOT IN (SELECT (SELECT b.number FROM batches b \
                    WHERE +b.partition_id = p.partition_id ORDER BY b.number DESC LIMIT 1) AS last FROM partitions p WHERE last IS NOT NULL)";
                Ok(connection.prepare_cached(sql)?.execute(params![before.0, limit as i64])?)
            })
            .await
    }

    async fn retention(&self) -> Result<Retention> {
        self.loads.read(retention::read).await
    }

    async fn set_retention(&self, retention: Retention) -> Result<()> {
        self.writer.write(move |connection| retention::set(connection, retention)).await
    }

    async fn back_up(&self, file: &Path) -> Result<()> {
        self.copy_to(file).await
    }
}
