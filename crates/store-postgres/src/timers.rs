//! Reading the schedule.

use crate::PostgresStore;
use crate::call::Call;
use crate::error::unreadable;
use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::entity::Timer;
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Result, TimerPage, TimerPosition, TimerStore, unpack};

/// A row comparison, because many timers are due in the same millisecond: by `due_at` alone a page could not go on behind one of them.
const TIMERS: &str = "SELECT data FROM timers WHERE partition_id = $1 AND (due_at, key) > ($2, $3) \
    AND due_at <= $4 ORDER BY due_at, key LIMIT $5";

#[async_trait]
impl TimerStore for PostgresStore {
    async fn timers(
        &self,
        partition: PartitionId,
        after: Option<TimerPosition>,
        until: Timestamp,
        limit: usize,
    ) -> Result<TimerPage> {
        self.follower.catch_up_owned(partition).await?;
        let (due, key) = after.map_or((i64::MIN, i64::MIN), |after| (after.due_at.0, after.key.0));
        let params = [partition.into(), due.into(), key.into(), until.0.into(), (limit as i64).into()];
        let rows = self.loads.read_one(Call::new(TIMERS, params)).await?;
        let timers: Vec<Arc<Timer>> = rows
            .iter()
            .map(|row| unpack(row.get(0)).map(Arc::new).map_err(unreadable))
            .collect::<Result<_>>()?;
        let horizon = match timers.last() {
            Some(last) if timers.len() >= limit => TimerPosition::of(last),
            _ => TimerPosition::end_of(until),
        };
        Ok(TimerPage { timers, horizon })
    }
}
