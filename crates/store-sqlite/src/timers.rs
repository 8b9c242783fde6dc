//! Reading the schedule.

use crate::SqliteStore;
use async_trait::async_trait;
use rusqlite::params;
use std::sync::Arc;
use tidemill_model::entity::Timer;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Result, TimerPage, TimerPosition, TimerStore, unpack};

#[async_trait]
impl TimerStore for SqliteStore {
    async fn timers(
        &self,
        partition: PartitionId,
        after: Option<TimerPosition>,
        until: Timestamp,
        limit: usize,
    ) -> Result<TimerPage> {
        let (due, key) = after.map_or((i64::MIN, i64::MIN), |after| (after.due_at.0, after.key.0));
        self.loads
            .read(move |connection| {
                let mut statement = connection.prepare_cached(
                    // A row comparison, because many timers are due in the same millisecond: by `due_at` alone a page could not go on behind
                    // one of them.
                    "SELECT data FROM timers WHERE partition_id = ?1 AND (due_at, key) > (?2, ?3) \
                     AND due_at <= ?4 ORDER BY due_at, key LIMIT ?5",
                )?;
                let mut rows = statement.query(params![partition.0, due, key, until.0, limit as i64])?;
                let mut timers: Vec<Arc<Timer>> = Vec::new();
                while let Some(row) = rows.next()? {
                    timers.push(Arc::new(unpack(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?));
                }
                // A page that is not full has seen everything up to `until`, so whatever is created later with an earlier due time is new.
                let horizon = match timers.last() {
                    Some(last) if timers.len() >= limit => TimerPosition::of(last),
                    _ => TimerPosition::end_of(until),
                };
                Ok(TimerPage { timers, horizon })
            })
            .await
    }
}
